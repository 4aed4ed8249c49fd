"""What each handler of a mock is given, and the revision from which much is done otherwise."""

from __future__ import annotations

from typing import Any, TypeAlias

from mcp.server import ServerRequestContext

Context: TypeAlias = ServerRequestContext[Any, Any]

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, not only an object."""
