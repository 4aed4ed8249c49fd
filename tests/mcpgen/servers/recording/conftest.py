"""Fixtures of the tests in this folder."""

from __future__ import annotations

from listed_servers import ask_program
from recorded_commands import record, web

__all__ = ["ask_program", "record", "web"]
