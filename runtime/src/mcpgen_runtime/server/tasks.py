"""Calls that run as tasks, each visible only to its caller.

Tasks are kept in this process until they expire. Without a shared store, neither another
process nor a restarted server knows them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.subscriptions import SubscriptionBus
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value

from . import publish
from .context import Context
from .policy import Tasks
from .task_notifications import TaskListenHandler, notify_session
from .task_protocol.eras import is_modern, require_era
from .task_protocol.support import is_known
from .task_protocol.task import Task
from .task_requests import AnyTask, Running, TaskRequests, first_answer, result_as_sent


def add_tasks(server: Server[Any], bus: SubscriptionBus) -> None:
    """Keep tasks while a server runs, and handle requests about them."""
    TaskRequests(_requested_task).serve(server)
    server.add_request_handler("tasks/list", types.PaginatedRequestParams, list_tasks)
    server.add_request_handler(
        "subscriptions/listen",
        types.SubscriptionsListenRequestParams,
        TaskListenHandler(bus, _own_task),
    )


async def start(
    context: Context,
    params: types.CallToolRequestParams,
    limits: Tasks,
    run: Callable[[], Awaitable[types.CallToolResult | types.InputRequiredResult]],
) -> None:
    """Start a task for a call, and return its response. The call continues by itself.

    Raises:
        MCPError: The caller has too many tasks.
    """
    running: Running = context.sdk.lifespan_context
    await _admit(running, context.caller, limits)
    task = Task(
        owner=context.caller,
        is_modern=context.is_modern,
        ttl=_ttl(params.task, limits) if not context.is_modern else limits.ttl,
        poll=limits.poll,
    )
    if running.shared is not None:
        await running.shared.add(task)
        running.group.start_soon(running.shared.follow, task)
    running.tasks[task.id] = context.task = task
    publish.answer(first_answer(task))
    running.group.start_soon(_run, running, task, context, run)
    if not task.is_modern:
        running.group.start_soon(notify_session, context, task)


async def _admit(running: Running, owner: Hashable, limits: Tasks) -> None:
    if running.shared is not None:
        working, total = await running.shared.counts(owner)
    else:
        own = [task for task in running.tasks.values() if task.owner == owner]
        working, total = sum(not task.is_over for task in own), len(own)
    is_full = len(running.tasks) >= limits.max_kept_total
    if working >= limits.working or total >= limits.kept or is_full:
        raise MCPError(types.INTERNAL_ERROR, "Too many tasks; try again later")


def _ttl(metadata: types.TaskMetadata | None, limits: Tasks) -> float:
    if metadata is None or metadata.ttl is None:
        return limits.ttl
    return min(max(metadata.ttl / 1000, _SHORTEST), limits.max_ttl)


_SHORTEST = 1.0


async def _run(
    running: Running,
    task: Task,
    context: Context,
    run: Callable[[], Awaitable[types.CallToolResult | types.InputRequiredResult]],
) -> None:
    """Run a call to its end, and remove it when it has expired."""
    task.scope.deadline = task.due
    with publish.keeping() as store, task.scope:
        try:
            task.finish(
                store.insert_json(result_as_sent(await run(), context.sdk.protocol_version))
            )
        except MCPError as error:
            task.fail(error.error)
        except Exception:  # an invalid result; the handler logs everything else
            context.logger.exception("a task ended with no result")
            task.fail(_NO_RESULT)
    task.cancel("The time of the task is over")
    del run  # and with it the request
    await anyio.sleep_until(task.due)
    del running.tasks[task.id]
    if running.shared is not None:
        running.shared.forget(task)


_NO_RESULT = types.ErrorData(
    code=types.INTERNAL_ERROR, message="Handler returned an invalid result"
)


async def list_tasks(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams
) -> dict[str, Any]:
    """Handle ``tasks/list`` for callers that can be identified."""
    require_era(ctx, modern=False)
    if not is_known(ctx):
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", "tasks/list")
    running: Running = ctx.lifespan_context
    caller = Context(ctx).caller
    tasks: Sequence[AnyTask] = [task for task in running.tasks.values() if task.owner == caller]
    if running.shared is not None:
        tasks = await running.shared.of_owner(caller)
    own = [task for task in tasks if not task.is_modern]
    if params.cursor is not None:
        ids = [item.id for item in own]
        if params.cursor not in ids:
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
        own = own[ids.index(params.cursor) + 1 :]
    page = own[:_PAGE]
    more = {"nextCursor": page[-1].id} if len(own) > len(page) else {}
    return {"tasks": [entry.shared_fields for entry in page], **more}


_PAGE = 100


async def _requested_task(ctx: ServerRequestContext[Any, Any], task_id: str) -> AnyTask | None:
    """Return the task that a request is about, or None if it isn't the caller's."""
    if is_modern(ctx):
        _compare_header(ctx, task_id)
    return await _own_task(ctx, task_id)


async def _own_task(ctx: ServerRequestContext[Any, Any], task_id: str) -> AnyTask | None:
    """Return a task of the caller, or None."""
    running: Running = ctx.lifespan_context
    caller = Context(ctx).caller
    if running.shared is not None:
        return await running.shared.find(task_id, caller)
    task = running.tasks.get(task_id)
    return task if task and task.owner == caller else None


def _compare_header(ctx: ServerRequestContext[Any], task_id: str) -> None:
    """Reject a request whose routing header names another task."""
    headers: Mapping[str, str] | None = getattr(ctx.request, "headers", None)
    if headers is None:
        return
    if decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        message = f"{MCP_NAME_HEADER} header does not match 'taskId'"
        raise MCPError(types.HEADER_MISMATCH, message)
