"""Which tools of the contract run as tasks, and which callers may list theirs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

from .contract import read_contract
from .task_eras import support_of, with_tasks


@cache
def task_support() -> dict[str, str]:
    """Return what the contract says of tools: ``optional`` or ``required``."""
    tools: dict[str, dict[str, Any]] = read_contract()["tools"]
    found = {name: support_of(entry["definition"]) for name, entry in tools.items()}
    return {name: support for name, support in found.items() if support is not None}


def declared(
    capabilities: Mapping[str, Any], ctx: ServerRequestContext[Any], revision: str
) -> dict[str, Any]:
    """Return capabilities as a client of a revision is to see them."""
    if not task_support():
        return dict(capabilities)
    return with_tasks(capabilities, revision, lists=is_known(ctx))


def is_known(ctx: ServerRequestContext[Any]) -> bool:
    """Say whether a caller can be told from all others: by a token, or a process."""
    if ctx.request is None:
        return True
    scope: Mapping[str, Any] = getattr(ctx.request, "scope", {})
    return isinstance(scope.get("user"), AuthenticatedUser)
