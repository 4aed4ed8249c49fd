"""Fixtures of the tests in this folder."""

from __future__ import annotations

from connected_servers import shop

__all__ = ["shop"]
