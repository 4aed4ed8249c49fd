"""Tools that support tasks, and callers that may list theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

from .eras import support_of


def task_support(contract: Mapping[str, Any]) -> dict[str, str]:
    """Return the tools that may or must run as tasks: ``optional`` or ``required`` by name."""
    tools: dict[str, dict[str, Any]] = contract["tools"]
    supports = {name: support_of(entry["definition"]) for name, entry in tools.items()}
    return {name: support for name, support in supports.items() if support is not None}


def is_known(ctx: ServerRequestContext[Any]) -> bool:
    """Return True if a caller can be identified, by a token or as the only one."""
    if ctx.request is None:
        return True
    scope: Mapping[str, Any] = getattr(ctx.request, "scope", {})
    return isinstance(scope.get("user"), AuthenticatedUser)
