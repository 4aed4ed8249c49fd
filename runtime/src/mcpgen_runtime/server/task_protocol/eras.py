"""Support of tasks by revision, and its capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mcp import MCPError, types
from mcp.server import ServerRequestContext

TASKS = "io.modelcontextprotocol/tasks"
"""The extension for tasks since 2026-07-28. Before, they were part of the protocol."""

FIRST = "2025-11-25"
DECIDED = "2026-07-28"
"""The first revision in which only the server decides whether a call runs as a task."""


def support_of(definition: Mapping[str, Any]) -> str | None:
    """Return the task support of a tool, ``optional`` or ``required``, or None."""
    execution = definition.get("execution")
    if not isinstance(execution, dict):
        return None
    support = cast("dict[str, Any]", execution).get("taskSupport")
    return support if support in ("optional", "required") else None


def with_tasks(capabilities: Mapping[str, Any], revision: str, *, lists: bool) -> dict[str, Any]:
    """Add the capabilities for tasks, and for listing them."""
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
    """Return True if a call of a tool with this support runs as a task.

    Raises:
        MCPError: The tool requires a task and the client doesn't allow it, or vice versa.
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
        message = f"The tool {params.name} only runs as a task"
        raise MCPError(types.METHOD_NOT_FOUND, message)
    return is_wanted


def is_modern(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the server decides what runs as a task in the request's revision."""
    return ctx.protocol_version >= DECIDED


def knows_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return True if a client of 2026-07-28 accepts tasks."""
    declared = ctx.session.client_capabilities
    return declared is not None and TASKS in (declared.extensions or {})


def require_tasks(ctx: ServerRequestContext[Any, Any]) -> None:
    """Reject a client since 2026-07-28 that doesn't declare the extension."""
    if not knows_tasks(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"The client didn't declare the required extension {TASKS!r}",
            {"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )


def require_era(ctx: ServerRequestContext[Any, Any], *, modern: bool | None = None) -> None:
    """Reject a method that doesn't exist in the request's revision."""
    is_other = modern is not None and is_modern(ctx) != modern
    if is_other or ctx.protocol_version < FIRST:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
