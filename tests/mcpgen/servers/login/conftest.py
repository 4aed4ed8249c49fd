"""Fixtures of the tests in this folder."""

from __future__ import annotations

from login_servers import browser, command, server

__all__ = ["browser", "command", "server"]
