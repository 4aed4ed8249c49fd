"""Fixtures of the tests in this folder."""

from __future__ import annotations

from called_servers import shell
from login_servers import browser, command, server
from mock_servers import era
from recorded_commands import record, web
from server_projects import folder

__all__ = ["browser", "command", "era", "folder", "record", "server", "shell", "web"]
