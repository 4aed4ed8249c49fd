"""Which revisions run calls as tasks, and what servers and clients declare for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mcp import MCPError, types
from mcp.server import ServerRequestContext

TASKS = "io.modelcontextprotocol/tasks"
"""The extension that they are since 2026-07-28; before, the protocol had them."""

FIRST = "2025-11-25"
DECIDED = "2026-07-28"
"""From this revision on the server alone says which calls become tasks."""


def support_of(definition: Mapping[str, Any]) -> str | None:
    """Return what a tool says of tasks, ``optional`` or ``required``, if it has any."""
    execution = definition.get("execution")
    if not isinstance(execution, dict):
        return None
    support = cast("dict[str, Any]", execution).get("taskSupport")
    return support if support in ("optional", "required") else None


def with_tasks(capabilities: Mapping[str, Any], revision: str, *, lists: bool) -> dict[str, Any]:
    """Return capabilities with that of tasks, and of a list of them."""
    if revision < FIRST:
        return dict(capabilities)
    if revision >= DECIDED:
        extensions: dict[str, Any] = capabilities.get("extensions", {})
        return {**capabilities, "extensions": {**extensions, TASKS: {}}}
    tasks: dict[str, Any] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
    if lists:
        tasks = {"list": {}, **tasks}
    return {**capabilities, "tasks": tasks}


def becomes_task(
    ctx: ServerRequestContext[Any, Any],
    params: types.CallToolRequestParams,
    support: str | None,
) -> bool:
    """Say whether a call of a tool with this support runs as a task.

    Raises:
        MCPError: It must and may not, or the other way round.
    """
    if is_modern(ctx):
        if support == "required":
            require_tasks(ctx)
        return support is not None and knows_tasks(ctx)
    is_wanted = params.task is not None and ctx.protocol_version >= FIRST
    if is_wanted and support is None:
        message = f"The tool {params.name} does not run as a task"
        raise MCPError(types.METHOD_NOT_FOUND, message)
    if support == "required" and not is_wanted:
        message = f"The tool {params.name} runs as a task alone"
        raise MCPError(types.METHOD_NOT_FOUND, message)
    return is_wanted


def is_modern(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Say whether a request is of a revision in which the server decides."""
    return ctx.protocol_version >= DECIDED


def knows_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Say whether a request since 2026-07-28 may be answered with a task."""
    declared = ctx.session.client_capabilities
    return declared is not None and TASKS in (declared.extensions or {})


def require_tasks(ctx: ServerRequestContext[Any, Any]) -> None:
    """Refuse a client since 2026-07-28 that does not declare the extension."""
    if not knows_tasks(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"The client did not declare the extension {TASKS!r}, which is needed",
            {"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )


def require_era(ctx: ServerRequestContext[Any, Any], *, modern: bool | None = None) -> None:
    """Refuse a request that its revision does not have, be it one of both eras."""
    is_other = modern is not None and is_modern(ctx) != modern
    if is_other or ctx.protocol_version < FIRST:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
