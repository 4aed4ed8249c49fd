"""Calls that a mock runs as tasks, and what is asked about them, in both eras."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, cast

import anyio
from anyio.abc import TaskGroup
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp.types import methods

from mcpgen.contract.document import Contract
from mcpgen.isolation import reason
from mcpgen.jsontext import Json, is_object
from mcpgen.mock.canned import put, whole
from mcpgen.mock.results import MODERN
from mcpgen.mock.task import Task

Context: TypeAlias = ServerRequestContext[Any, Any]
Answered: TypeAlias = types.CallToolResult | types.InputRequiredResult
Run: TypeAlias = Callable[[Task | None], Awaitable[Answered]]

EXTENSION = "io.modelcontextprotocol/tasks"
_FIRST = "2025-11-25"
_TTL = 600.0
_POLL = 0.05
_MOST = 1_000


class UpdateParams(types.RequestParams):
    """What ``tasks/update`` is called with."""

    task_id: str
    input_responses: dict[str, Any]


@dataclass(frozen=True)
class _Running:
    group: TaskGroup
    kept: dict[str, Task] = field(default_factory=dict[str, Task])


@dataclass(frozen=True)
class Tasks:
    """Which tools run as tasks, and how they are followed."""

    contract: Contract

    @cached_property
    def support(self) -> Mapping[str, str]:
        """What the contract says of tools; since 2026-07-28 the server alone decides, for all."""
        executions = {name: raw.get("execution") for name, raw in self.contract.tools.items()}
        said = {
            name: each["taskSupport"]
            for name, each in executions.items()
            if is_object(each) and each.get("taskSupport") in ("optional", "required")
        }
        extensions = self.contract.capabilities.get("extensions")
        if not said and is_object(extensions) and EXTENSION in extensions:
            return dict.fromkeys(executions, "optional")
        return said

    def declared(self, capabilities: Mapping[str, Json], revision: str) -> dict[str, Json]:
        """Return capabilities with that of tasks, in the way of an era."""
        if not self.support or revision < _FIRST:
            return dict(capabilities)
        if revision >= MODERN:
            extensions: dict[str, Json] = {**capabilities.get("extensions", {}), EXTENSION: {}}
            return {**capabilities, "extensions": extensions}
        calls: Json = {"requests": {"tools": {"call": {}}}}
        return {**capabilities, "tasks": {"list": {}, "cancel": {}, **calls}}

    def serve(self, server: Server[Any]) -> None:
        """Let a server keep tasks while it serves, and answer what is asked about them."""
        if not self.support:
            return
        server.lifespan = _lifespan
        one = types.GetTaskRequestParams
        server.add_request_handler("tasks/get", one, _get)
        server.add_request_handler("tasks/cancel", one, _cancel)
        server.add_request_handler("tasks/result", one, _result)
        server.add_request_handler("tasks/list", types.PaginatedRequestParams, _list)
        server.add_request_handler("tasks/update", UpdateParams, _update)

    def takes(self, ctx: Context, params: types.CallToolRequestParams) -> bool:
        """Say whether a call becomes a task, or refuse it where it must and cannot."""
        support = self.support.get(params.name)
        if ctx.protocol_version >= MODERN:
            if support == "required":
                _require(ctx)
            return support is not None and _knows(ctx)
        is_wanted = params.task is not None and ctx.protocol_version >= _FIRST
        if is_wanted and support is None:
            message = f"The tool {params.name} does not run as a task"
            raise MCPError(types.METHOD_NOT_FOUND, message)
        if support == "required" and not is_wanted:
            message = f"The tool {params.name} runs as a task alone"
            raise MCPError(types.METHOD_NOT_FOUND, message)
        return is_wanted

    def start(self, ctx: Context, run: Run) -> types.CallToolResult:
        """Answer with a task, in which the call goes on by itself."""
        running: _Running = ctx.lifespan_context
        while len(running.kept) >= _MOST:
            del running.kept[next(iter(running.kept))]
        is_modern = ctx.protocol_version >= MODERN
        task = Task(owner=None, is_modern=is_modern, ttl=_TTL, poll=_POLL)
        running.kept[task.id] = task
        put({"resultType": "task", **task.shown} if is_modern else {"task": task.shown})
        running.group.start_soon(_run, task, ctx.protocol_version, run)
        return types.CallToolResult(content=[])


def runs_tasks(contract: Contract) -> bool:
    """Say whether a mock of a contract runs any tool as a task."""
    return bool(Tasks(contract).support)


def _knows(ctx: Context) -> bool:
    declared = ctx.session.client_capabilities
    return declared is not None and EXTENSION in (declared.extensions or {})


def _require(ctx: Context) -> None:
    if not _knows(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"The client did not declare the extension {EXTENSION!r}, which is needed",
            {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )


@asynccontextmanager
async def _lifespan(server: Server[Any]) -> AsyncGenerator[_Running]:
    del server
    async with anyio.create_task_group() as group:
        yield _Running(group)
        group.cancel_scope.cancel()


async def _run(task: Task, revision: str, run: Run) -> None:
    """Run a call to its end, whatever that is."""
    kept: dict[str, Json] = {}
    whole.set(kept)
    with task.scope:
        try:
            result = await run(task)
            dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            sent = methods.serialize_server_result("tools/call", revision, dumped)
            task.finish({**sent, **kept})
        except MCPError as error:
            task.fail(error.error)
        except Exception as error:  # a fault of the mock's is that task's alone
            task.fail(types.ErrorData(code=types.INTERNAL_ERROR, message=reason(error)))


def _kept(ctx: Context, task_id: str) -> Task:
    is_modern = ctx.protocol_version >= MODERN
    if is_modern:
        _require(ctx)
    running: _Running = ctx.lifespan_context
    task = running.kept.get(task_id)
    if task is None or task.is_modern != is_modern:
        raise MCPError(types.INVALID_PARAMS, "Task not found")
    return task


async def _get(ctx: Context, params: types.GetTaskRequestParams) -> Json:
    task = _kept(ctx, params.task_id)
    shown = task.shown
    if not task.is_modern:
        return shown
    if task.status == "input_required":
        asked = {key: _dumped(each) for key, each in task.questions.items()}
        return {**shown, "inputRequests": asked}
    if task.error is not None:
        return {**shown, "error": task.error.model_dump(mode="json", exclude_none=True)}
    return {**shown, "result": task.result} if task.status == "completed" else shown


async def _cancel(ctx: Context, params: types.GetTaskRequestParams) -> Json:
    task = _kept(ctx, params.task_id)
    if task.is_over and not task.is_modern:
        raise MCPError(types.INVALID_PARAMS, f"Cannot cancel task: it is {task.status}")
    task.cancel("Cancelled by its caller")
    return {} if task.is_modern else task.shown


async def _update(ctx: Context, params: UpdateParams) -> Json:
    _only(ctx, modern=True)
    task = _kept(ctx, params.task_id)
    for key, answer in params.input_responses.items():
        if key in task.questions:
            task.answer(key, answer)
    return {}


async def _list(ctx: Context, params: types.PaginatedRequestParams) -> Json:
    _only(ctx, modern=False)
    del params
    running: _Running = ctx.lifespan_context
    return {"tasks": [task.shown for task in running.kept.values() if not task.is_modern]}


async def _result(ctx: Context, params: types.GetTaskRequestParams) -> Json:
    """Answer once a task is over; what it asks goes this way, until 2025-11-25."""
    _only(ctx, modern=False)
    task = _kept(ctx, params.task_id)
    async with anyio.create_task_group() as asking:
        while not task.is_over:
            for key in task.questions.keys() - task.put:
                task.put.add(key)
                asking.start_soon(_put_question, ctx, task, key)
            await task.change()
        asking.cancel_scope.cancel()
    result = task.ended_with()
    return {**result, "_meta": {**result.get("_meta", {}), **task.related}}


async def _put_question(ctx: Context, task: Task, key: str) -> None:
    dumped = _dumped(task.questions[key])
    params: dict[str, Json] = dumped.get("params") or {}
    dumped["params"] = {**params, "_meta": task.related}
    try:
        answer = await ctx.session.send_request(
            types.ElicitRequest.model_validate(dumped),
            types.ElicitResult,
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except MCPError as error:
        if error.code != types.CONNECTION_CLOSED:  # else whoever asks next is asked again
            task.answer(key, error)
    else:
        task.answer(key, _dumped(answer))
    finally:
        task.put.discard(key)


def _dumped(model: Any) -> dict[str, Json]:
    return cast("dict[str, Json]", model.model_dump(by_alias=True, mode="json", exclude_none=True))


def _only(ctx: Context, *, modern: bool) -> None:
    is_modern = ctx.protocol_version >= MODERN
    if is_modern != modern or ctx.protocol_version < _FIRST:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
