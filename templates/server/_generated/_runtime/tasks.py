"""Runs calls as tasks, and answers what is asked about them, in both eras.

They are kept in this process, for their time: whoever enters the server again, or
another process, knows none of them.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
from anyio.abc import TaskGroup
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp.shared.message import ServerMessageMetadata
from mcp.types import methods
from pydantic import TypeAdapter, ValidationError

from . import PACKAGE, publish
from .context import MODERN, Context
from .policy import Tasks
from .task import Task
from .task_support import FIRST, is_known, knows_tasks, require_tasks, task_support

log = logging.getLogger(PACKAGE)


class UpdateTaskParams(types.RequestParams):
    """What ``tasks/update`` is called with."""

    task_id: str
    input_responses: dict[str, Any]


@dataclass(frozen=True)
class Running:
    """The tasks of a server while it serves, and the group that they run in."""

    group: TaskGroup
    kept: dict[str, Task] = field(default_factory=dict[str, Task])


def add_tasks(server: Server[Any]) -> None:
    """Let a server keep tasks while it serves, and answer what is asked about them."""
    server.lifespan = _lifespan
    one = types.GetTaskRequestParams
    server.add_request_handler("tasks/get", one, get_task)
    server.add_request_handler("tasks/cancel", one, cancel_task)
    server.add_request_handler("tasks/result", one, task_result)
    server.add_request_handler("tasks/list", types.PaginatedRequestParams, list_tasks)
    server.add_request_handler("tasks/update", UpdateTaskParams, update_task)
    server.middleware.append(_refuse_listening)


@asynccontextmanager
async def _lifespan(server: Server[Any]) -> AsyncGenerator[Running, None]:
    del server
    async with anyio.create_task_group() as group:
        yield Running(group)
        group.cancel_scope.cancel()


async def _refuse_listening(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Refuse to tell of tasks whoever does not declare them; nobody is told of any."""
    if ctx.method == "subscriptions/listen":
        wanted = (ctx.params or {}).get("notifications")
        if isinstance(wanted, Mapping) and "taskIds" in wanted:
            require_tasks(ctx)
    return await call_next(ctx)


def becomes_task(context: Context, params: types.CallToolRequestParams) -> bool:
    """Say whether a call runs as a task.

    Raises:
        MCPError: It must and may not, or the other way round.
    """
    support = task_support().get(params.name)
    if context.is_modern:
        if support == "required":
            require_tasks(context.sdk)
        return support is not None and knows_tasks(context.sdk)
    is_wanted = params.task is not None and context.sdk.protocol_version >= FIRST
    if is_wanted and support is None:
        message = f"The tool {params.name} does not run as a task"
        raise MCPError(types.METHOD_NOT_FOUND, message)
    if support == "required" and not is_wanted:
        message = f"The tool {params.name} runs as a task alone"
        raise MCPError(types.METHOD_NOT_FOUND, message)
    return is_wanted


def start(
    context: Context,
    params: types.CallToolRequestParams,
    limits: Tasks,
    run: Callable[[], Awaitable[types.CallToolResult | types.InputRequiredResult]],
) -> None:
    """Make a task of a call, and answer with it; the call goes on by itself.

    Raises:
        MCPError: Its caller has as many as it may have.
    """
    running: Running = context.sdk.lifespan_context
    _admit(running, context.caller, limits)
    task = Task(
        owner=context.caller,
        is_modern=context.is_modern,
        ttl=_ttl(params.task, limits) if not context.is_modern else limits.ttl,
        poll=limits.poll,
    )
    running.kept[task.id] = context.task = task
    publish.answer(
        {"resultType": "task", **task.shown} if task.is_modern else {"task": task.shown}
    )
    running.group.start_soon(_run, running, task, context.sdk.protocol_version, run)


def _admit(running: Running, owner: Hashable, limits: Tasks) -> None:
    own = [task for task in running.kept.values() if task.owner == owner]
    working = sum(not task.is_over for task in own)
    if working >= limits.working or len(own) >= limits.kept:
        raise MCPError(types.INTERNAL_ERROR, "Too many tasks; try again later")
    if len(running.kept) >= limits.kept_in_all:
        raise MCPError(types.INTERNAL_ERROR, "Too many tasks; try again later")


def _ttl(asked: types.TaskMetadata | None, limits: Tasks) -> float:
    if asked is None or asked.ttl is None:
        return limits.ttl
    return min(max(asked.ttl / 1000, _SHORTEST), limits.longest_ttl)


_SHORTEST = 1.0


async def _run(
    running: Running,
    task: Task,
    revision: str,
    run: Callable[[], Awaitable[types.CallToolResult | types.InputRequiredResult]],
) -> None:
    """Run a call to its end, and forget it when its time is over."""
    task.scope.deadline = task.due
    with publish.keeping() as kept, task.scope:
        try:
            task.finish(kept.into(_dumped(await run(), revision)))
        except MCPError as error:
            task.fail(error.error)
        except Exception:  # of what is no result, as the handler logs all the rest
            log.exception("a task ended with no result")
            task.fail(_NO_RESULT)
    task.cancel("The time of the task is over")
    del run  # and with it the request
    await anyio.sleep_until(task.due)
    del running.kept[task.id]


_NO_RESULT = types.ErrorData(
    code=types.INTERNAL_ERROR, message="Handler returned an invalid result"
)


def _dumped(
    result: types.CallToolResult | types.InputRequiredResult, revision: str
) -> dict[str, Any]:
    """Return a result as the SDK would have sent it."""
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return methods.serialize_server_result("tools/call", revision, dumped)


async def get_task(
    ctx: ServerRequestContext[Any], params: types.GetTaskRequestParams
) -> dict[str, Any]:
    """Answer ``tasks/get``, since 2026-07-28 with what the task ended with."""
    task = _owned(ctx, params.task_id)
    if not task.is_modern:
        return task.shown
    if task.status == "input_required":
        asked = {key: _request(each) for key, each in task.questions.items()}
        return {**task.shown, "inputRequests": asked}
    if task.status == "completed":
        return {**task.shown, "result": task.result}
    if task.error is not None:
        error = task.error.model_dump(mode="json", exclude_none=True)
        return {**task.shown, "error": error}
    return task.shown


async def cancel_task(
    ctx: ServerRequestContext[Any], params: types.GetTaskRequestParams
) -> dict[str, Any]:
    """Answer ``tasks/cancel``; it stops the author's method."""
    task = _owned(ctx, params.task_id)
    if task.is_over and not task.is_modern:
        message = f"Cannot cancel task: it is {task.status}"
        raise MCPError(types.INVALID_PARAMS, message)
    task.cancel("Cancelled by its caller")
    return {} if task.is_modern else task.shown


async def update_task(
    ctx: ServerRequestContext[Any], params: UpdateTaskParams
) -> dict[str, Any]:
    """Answer ``tasks/update``; answers to what is not asked are left alone."""
    _only(ctx, modern=True)
    task = _owned(ctx, params.task_id)
    given = params.input_responses
    open_now = [key for key in given if key in task.questions]
    for key in open_now:
        try:
            _answers(task.questions[key]).validate_python(given[key], by_name=False)
        except ValidationError:
            message = f"{key!r} is no answer to what was asked"
            raise MCPError(types.INVALID_PARAMS, message) from None
    for key in open_now:
        task.answer(key, given[key])
    return {}


async def list_tasks(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams
) -> dict[str, Any]:
    """Answer ``tasks/list``, of callers that are known from all others."""
    _only(ctx, modern=False)
    if not is_known(ctx):
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", "tasks/list")
    running: Running = ctx.lifespan_context
    caller = Context(ctx).caller
    own = [
        each
        for each in running.kept.values()
        if each.owner == caller and not each.is_modern
    ]
    if params.cursor is not None:
        ids = [each.id for each in own]
        if params.cursor not in ids:
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
        own = own[ids.index(params.cursor) + 1 :]
    page = own[:_PAGE]
    more = {"nextCursor": page[-1].id} if len(own) > len(page) else {}
    return {"tasks": [each.shown for each in page], **more}


async def task_result(
    ctx: ServerRequestContext[Any], params: types.GetTaskRequestParams
) -> dict[str, Any]:
    """Answer ``tasks/result`` when the task is over; what it asks goes this way."""
    _only(ctx, modern=False)
    task = _owned(ctx, params.task_id)
    async with anyio.create_task_group() as asking:
        while not task.is_over:
            for key in task.questions.keys() - task.put:
                task.put.add(key)
                asking.start_soon(_put, ctx, task, key)
            await task.change()
        asking.cancel_scope.cancel()
    result = task.ended_with()
    return {**result, "_meta": {**result.get("_meta", {}), **task.related}}


def _owned(ctx: ServerRequestContext[Any], task_id: str) -> Task:
    """Return a task of the one who asks for it."""
    if ctx.protocol_version >= MODERN:
        require_tasks(ctx)
        _compare_header(ctx, task_id)
    elif ctx.protocol_version < FIRST:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
    running: Running = ctx.lifespan_context
    task = running.kept.get(task_id)
    is_modern = ctx.protocol_version >= MODERN
    if task is None or task.owner != Context(ctx).caller or task.is_modern != is_modern:
        raise MCPError(types.INVALID_PARAMS, "Task not found")
    return task


_PAGE = 100


def _only(ctx: ServerRequestContext[Any], *, modern: bool) -> None:
    is_modern = ctx.protocol_version >= MODERN
    if is_modern != modern or ctx.protocol_version < FIRST:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)


def _compare_header(ctx: ServerRequestContext[Any], task_id: str) -> None:
    """Refuse a request whose header, by which proxies route it, names another task."""
    headers: Mapping[str, str] | None = getattr(ctx.request, "headers", None)
    if headers is None:
        return
    if decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        message = f"{MCP_NAME_HEADER} header does not match 'taskId'"
        raise MCPError(types.HEADER_MISMATCH, message)


def _answers(request: types.InputRequest) -> TypeAdapter[Any]:
    return TypeAdapter(_answer_type(request))


def _answer_type(request: types.InputRequest) -> type[types.Result]:
    if isinstance(request, types.ElicitRequest):
        return types.ElicitResult
    if isinstance(request, types.ListRootsRequest):
        return types.ListRootsResult
    return types.CreateMessageResultWithTools


def _request(
    request: types.InputRequest, meta: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    dumped = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    if meta is not None:
        params: dict[str, Any] = dumped.get("params") or {}
        dumped["params"] = {**params, "_meta": {**params.get("_meta", {}), **meta}}
    return dumped


async def _put(ctx: ServerRequestContext[Any], task: Task, key: str) -> None:
    """Put a question of a task to the client that waits for its result."""
    request = task.questions.get(key)
    if request is None:
        return
    related = type(request).model_validate(_request(request, task.related))
    try:
        answer = await ctx.session.send_request(
            related,
            _answer_type(request),
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            return  # whoever asks for the result next is asked again
        task.answer(key, error)
    except Exception as error:  # an answer that is none, which the method hears of
        task.answer(key, error)
    else:
        dumped = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        task.answer(key, cast("Any", dumped))
    finally:
        task.put.discard(key)
