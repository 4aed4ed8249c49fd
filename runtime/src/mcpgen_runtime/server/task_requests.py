"""Requests about tasks, in both forms of the protocol."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
from anyio.abc import TaskGroup
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp.types import methods
from pydantic import TypeAdapter, ValidationError

from .task_protocol.eras import is_modern, require_era, require_tasks
from .task_protocol.task import Task

if TYPE_CHECKING:
    from .replicas.shared_tasks import RemoteTask, SharedTasks

_Context: TypeAlias = ServerRequestContext[Any, Any]
AnyTask: TypeAlias = "Task | RemoteTask"


class UpdateTaskParams(types.RequestParams):
    """Parameters of ``tasks/update``."""

    task_id: str
    input_responses: dict[str, Any]


@dataclass(frozen=True)
class Running:
    """The tasks of a server while it serves, and the group that they run in.

    ``shared`` has the tasks of all replicas, if there are several.
    """

    group: TaskGroup
    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    shared: SharedTasks | None = None


@asynccontextmanager
async def running(server: Server[Any]) -> AsyncGenerator[Running, None]:
    """Keep tasks running while the server runs."""
    shared: SharedTasks | None = getattr(server, "shared_tasks", None)
    async with anyio.create_task_group() as group:
        yield Running(group, shared=shared)
        group.cancel_scope.cancel()


@dataclass(frozen=True)
class TaskRequests:
    """Handlers of requests about tasks. ``find`` looks up a task by its ID."""

    find: Callable[[_Context, str], Awaitable[AnyTask | None]]

    def serve(self, server: Server[Any]) -> None:
        """Register the handlers, and keep tasks while the server runs."""
        server.lifespan = running
        params_type = types.GetTaskRequestParams
        server.add_request_handler("tasks/get", params_type, self.get)
        server.add_request_handler("tasks/cancel", params_type, self.cancel)
        server.add_request_handler("tasks/result", params_type, self.result)
        server.add_request_handler("tasks/update", UpdateTaskParams, self.update)

    async def get(self, ctx: _Context, params: types.GetTaskRequestParams) -> dict[str, Any]:
        """Handle ``tasks/get``, which since 2026-07-28 includes the result."""
        task = await self._find_task(ctx, params.task_id)
        return detailed_state(task) if task.is_modern else task.shared_fields

    async def cancel(self, ctx: _Context, params: types.GetTaskRequestParams) -> dict[str, Any]:
        """Handle ``tasks/cancel``, which cancels the call."""
        task = await self._find_task(ctx, params.task_id)
        if task.is_over and not task.is_modern:
            message = f"Cannot cancel task: it is {task.status}"
            raise MCPError(types.INVALID_PARAMS, message)
        await task.request_cancel("Cancelled by its caller")
        return {} if task.is_modern else task.shared_fields

    async def update(self, ctx: _Context, params: UpdateTaskParams) -> dict[str, Any]:
        """Handle ``tasks/update``. Answers to unknown questions are ignored."""
        task = await self._find_task(ctx, params.task_id, modern=True)
        responses = params.input_responses
        open_now = [key for key in responses if key in task.questions]
        for key in open_now:
            answers = TypeAdapter(_answer_type(task.questions[key]))
            try:
                answers.validate_python(responses[key], by_name=False)
            except ValidationError:
                message = f"{key!r} isn't the key of an open question"
                raise MCPError(types.INVALID_PARAMS, message) from None
        for key in open_now:
            await task.receive_answer(key, responses[key])
        return {}

    async def result(self, ctx: _Context, params: types.GetTaskRequestParams) -> dict[str, Any]:
        """Handle ``tasks/result``, which also carries the questions of the task."""
        task = await self._find_task(ctx, params.task_id, modern=False)
        async with anyio.create_task_group() as asking:
            while not task.is_over:
                for key in task.questions.keys() - task.put:
                    task.put.add(key)
                    asking.start_soon(_put, ctx, task, key)
                await task.change()
            asking.cancel_scope.cancel()
        result = task.ended_with()
        return {**result, "_meta": {**result.get("_meta", {}), **task.related_meta}}

    async def _find_task(
        self, ctx: _Context, task_id: str, *, modern: bool | None = None
    ) -> AnyTask:
        require_era(ctx, modern=modern)
        if is_modern(ctx):
            require_tasks(ctx)
        task = await self.find(ctx, task_id)
        if task is None or task.is_modern != is_modern(ctx):
            raise MCPError(types.INVALID_PARAMS, "Task not found")
        return task


def detailed_state(task: AnyTask) -> dict[str, Any]:
    """Return the state of a task since 2026-07-28, with its questions, result or error."""
    if task.status == "input_required":
        questions = {key: _json(question) for key, question in task.questions.items()}
        return {**task.shared_fields, "inputRequests": questions}
    if task.status == "completed":
        return {**task.shared_fields, "result": task.result}
    if task.error is not None:
        return {**task.shared_fields, "error": _json(task.error)}
    return task.shared_fields


def first_answer(task: Task) -> dict[str, Any]:
    """Return the response to a call that became a task."""
    if task.is_modern:
        return {"resultType": "task", **task.shared_fields}
    return {"task": task.shared_fields}


def result_as_sent(
    result: types.CallToolResult | types.InputRequiredResult, revision: str
) -> dict[str, Any]:
    """Return the result of a call as the SDK would have sent it."""
    return methods.serialize_server_result("tools/call", revision, _json(result))


async def _put(ctx: _Context, task: AnyTask, key: str) -> None:
    """Put a question of a task to the client that waits for its result."""
    request = task.questions.get(key)
    if request is None:
        return
    related = type(request).model_validate(_with_meta(request, task.related_meta))
    try:
        answer = await ctx.session.send_request(
            related,
            _answer_type(request),
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            return  # the next ``tasks/result`` asks again
        await task.receive_answer(key, error)
    except Exception as error:  # an invalid answer, which the call receives
        await task.receive_answer(key, error)
    else:
        await task.receive_answer(key, _json(answer))
    finally:
        task.put.discard(key)


def _with_meta(request: types.InputRequest, meta: Mapping[str, Any]) -> dict[str, Any]:
    dumped = _json(request)
    params: dict[str, Any] = dumped.get("params") or {}
    params = {**params, "_meta": {**params.get("_meta", {}), **meta}}
    return {**dumped, "params": params}


def _answer_type(request: types.InputRequest) -> type[types.Result]:
    if isinstance(request, types.ElicitRequest):
        return types.ElicitResult
    if isinstance(request, types.ListRootsRequest):
        return types.ListRootsResult
    return types.CreateMessageResultWithTools


def _json(model: Any) -> dict[str, Any]:
    """Convert a model of the SDK to JSON."""
    dumped: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped
