"""Which tools run as tasks, and what a server and its clients declare for that."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

from .context import MODERN
from .contract import read_contract

TASKS = "io.modelcontextprotocol/tasks"
"""The extension that they are since 2026-07-28; before, the protocol had them."""

FIRST = "2025-11-25"


@cache
def task_support() -> dict[str, str]:
    """Return what the contract says of tools: ``optional`` or ``required``."""
    tools: dict[str, dict[str, Any]] = read_contract()["tools"]
    found: dict[str, str] = {}
    for name, entry in tools.items():
        execution = entry["definition"].get("execution")
        if isinstance(execution, dict):
            support = cast("dict[str, Any]", execution).get("taskSupport")
            if support in ("optional", "required"):
                found[name] = support
    return found


def with_tasks(
    capabilities: Mapping[str, Any], ctx: ServerRequestContext[Any], revision: str
) -> dict[str, Any]:
    """Return capabilities as a client of a revision is to see them."""
    if not task_support() or revision < FIRST:
        return dict(capabilities)
    if revision >= MODERN:
        extensions: dict[str, Any] = capabilities.get("extensions", {})
        extensions = {**extensions, TASKS: {}}
        return {**capabilities, "extensions": extensions}
    tasks: dict[str, Any] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
    if is_known(ctx):
        tasks = {"list": {}, **tasks}
    return {**capabilities, "tasks": tasks}


def is_known(ctx: ServerRequestContext[Any]) -> bool:
    """Say whether a caller can be told from all others: by a token, or a process."""
    if ctx.request is None:
        return True
    scope: Mapping[str, Any] = getattr(ctx.request, "scope", {})
    return isinstance(scope.get("user"), AuthenticatedUser)


def knows_tasks(ctx: ServerRequestContext[Any]) -> bool:
    """Say whether a request since 2026-07-28 may be answered with a task."""
    declared = ctx.session.client_capabilities
    return declared is not None and TASKS in (declared.extensions or {})


def require_tasks(ctx: ServerRequestContext[Any]) -> None:
    """Refuse a client since 2026-07-28 that does not declare the extension."""
    if not knows_tasks(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"The client did not declare the extension {TASKS!r}, which is needed",
            {"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )
