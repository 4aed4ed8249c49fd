"""Fixtures of the tests in this folder."""

from __future__ import annotations

from replayed_calls import path

__all__ = ["path"]
