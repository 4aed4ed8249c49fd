"""Notifications of a task's status: on its session, or since 2026-07-28 to clients that listen."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast

import anyio
from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler, SubscriptionBus
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from pydantic import ConfigDict, TypeAdapter, ValidationError

from .context import Context
from .task_protocol.eras import require_tasks
from .task_protocol.task import Task
from .task_requests import AnyTask, detailed_state

_Context: TypeAlias = ServerRequestContext[Any, Any]
_Find: TypeAlias = Callable[[_Context, str], Awaitable["AnyTask | None"]]
_TASK_IDS = "taskIds"


class TaskListenHandler(ListenHandler):
    """Serves ``subscriptions/listen``, also for the status of tasks.

    Args:
        bus: Notifies clients of other changes.
        find: Looks up a task of the caller by its ID.
    """

    def __init__(self, bus: SubscriptionBus, find: _Find) -> None:
        super().__init__(bus)
        self._find = find

    async def __call__(
        self, ctx: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream. Tasks of other callers are left out of the acknowledgment."""
        ids: Any = (params.notifications.model_extra or {}).get(_TASK_IDS)
        if ids is None:
            return await super().__call__(ctx, params)
        require_tasks(ctx)
        try:
            requested_ids = _IDS.validate_python(ids)
        except ValidationError:
            message = f"{_TASK_IDS} must be a list of strings"
            raise MCPError(types.INVALID_PARAMS, message) from None
        tasks_by_id = [await self._find(ctx, task_id) for task_id in requested_ids[:_MOST]]
        tasks = [task for task in tasks_by_id if task is not None and task.is_modern]
        session = _Acknowledging(ctx.session, [task.id for task in tasks])
        listening = replace(ctx, session=cast("ServerSession", session))
        async with _following(ctx, tasks, session.acknowledged):
            return await super().__call__(listening, params)


_MOST = 1_000
_IDS = TypeAdapter(list[str])


class _Acknowledging:
    """The session of a stream, which adds the tasks to its acknowledgment."""

    def __init__(self, session: ServerSession, ids: list[str]) -> None:
        self.acknowledged = anyio.Event()
        self._session = session
        self._ids = ids

    async def send_notification(
        self,
        notification: types.ServerNotification,
        related_request_id: types.RequestId | None = None,
    ) -> None:
        """Send a notification of the stream."""
        if isinstance(notification, types.SubscriptionsAcknowledgedNotification):
            filters = notification.params.notifications.model_dump(exclude_none=True)
            notification.params.notifications = types.SubscriptionFilter.model_validate(
                {**filters, _TASK_IDS: self._ids}
            )
        await self._session.send_notification(notification, related_request_id)
        self.acknowledged.set()


class _Params(types.NotificationParams):
    model_config = ConfigDict(extra="allow")


class _TaskNotification(types.Notification[_Params, Literal["notifications/tasks"]]):
    method: Literal["notifications/tasks"] = "notifications/tasks"
    params: _Params


class _StatusNotification(types.Notification[_Params, Literal["notifications/tasks/status"]]):
    method: Literal["notifications/tasks/status"] = "notifications/tasks/status"
    params: _Params


@asynccontextmanager
async def _following(
    ctx: _Context, tasks: Sequence[AnyTask], acknowledged: anyio.Event
) -> AsyncGenerator[None, None]:
    """Send the states of tasks on a stream, after its acknowledgment."""
    async with anyio.create_task_group() as group:
        for task in tasks:
            group.start_soon(_follow, ctx, task, acknowledged)
        yield
        group.cancel_scope.cancel()


async def _follow(ctx: _Context, task: AnyTask, acknowledged: anyio.Event) -> None:
    """Send the state of a task now, and each time that its status changes."""
    await acknowledged.wait()
    meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
    status = None
    with suppress(MCPError):  # it has expired
        while True:
            if task.status != status:
                status = task.status
                params = _Params.model_validate({**detailed_state(task), "_meta": meta})
                await ctx.session.send_notification(
                    cast("Any", _TaskNotification(params=params)),
                    related_request_id=ctx.request_id,
                )
            if task.is_over:
                return
            await task.change()


async def notify_session(context: Context, task: Task) -> None:
    """Notify the session that created a task, before 2026-07-28, when its status changes."""
    status = task.status
    closed = (anyio.BrokenResourceError, anyio.ClosedResourceError, MCPError)
    while not task.is_over:
        await task.change()
        if task.status == status:
            continue
        status = task.status
        params = _Params.model_validate(task.shared_fields)
        with suppress(*closed):
            await context.sdk.session.send_notification(
                cast("Any", _StatusNotification(params=params))
            )
