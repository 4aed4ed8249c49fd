"""Fixtures of the tests in this folder."""

from __future__ import annotations

from generated_servers import bookshelf, folder
from task_servers import odd

__all__ = ["bookshelf", "folder", "odd"]
