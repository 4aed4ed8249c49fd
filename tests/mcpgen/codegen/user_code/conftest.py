"""Fixtures of the tests in this folder."""

from __future__ import annotations

from server_projects import folder

__all__ = ["folder"]
