"""A call that may become a task, which is then followed to its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import TaskUnsupported
from ..request import Request
from . import requests as task_requests
from .progress import TaskProgress
from .requests import Started
from .run import TaskRun
from .status import read_id, read_status

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult


@dataclass(eq=False)
class TaskCall(Request["CallToolResult"]):
    """A request that can call its tool directly or as a task."""

    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    check: Callable[[], None] = lambda: None
    """Raises if the current session doesn't allow the call."""
    task_progress: TaskProgress | None = None

    @classmethod
    def from_request(
        cls,
        request: Request[CallToolResult],
        arguments: dict[str, Any],
        check: Callable[[], None],
    ) -> TaskCall:
        """Make a request that may become a task, if the server and the options allow it."""
        call = cls(
            request.connector,
            request.make,
            request.target,
            request.options,
            request.tally,
            request.is_tool,
            request.progress,
        )
        call.arguments, call.check = arguments, check
        if request.progress is not None:
            call.task_progress = TaskProgress(request.progress)
        return call

    async def answer(self) -> CallToolResult:
        """Send the request, and wait for the result of its task if there is one."""
        if self.options.is_start:
            result = await super().answer()
            if isinstance(result, Started) and self.task_progress is not None:
                result.token = self.task_progress.token
            return result
        return await self.connector.run(self._wait_for_result)

    async def _wait_for_result(self) -> CallToolResult:
        import anyio

        began = anyio.current_time()
        listeners, progress = self.connector.task_listeners, self.task_progress
        if progress is not None:
            listeners[progress.token] = progress.notify
        try:
            result = await super().answer()
        finally:
            if progress is not None:
                listeners.pop(progress.token, None)
        if not isinstance(result, Started):
            return result
        used = anyio.current_time() - began
        return await self.run_of(result).wait_or_cancel(self.options.timeout, used)

    def run_of(self, started: Started) -> TaskRun:
        """Follow a started task."""
        return TaskRun(
            self.connector,
            self.target,
            read_id(self.target, started.task),
            self.options,
            self.tally,
            self.task_progress,
            read_status(self.target, started.task),
        )

    def _send(self, sdk: Client) -> Awaitable[CallToolResult]:
        self.check()
        reason = self._reason_for_none(sdk)
        if reason and self.options.is_start:
            raise TaskUnsupported(self.target, f"it cannot start as a task: {reason}")
        if reason or task_requests.decides(sdk):
            return self.make(sdk)
        meta = dict(self.options.meta or {})
        if self.task_progress is not None:
            meta.setdefault("progressToken", self.task_progress.token)
        ttl = self.options.task_ttl
        return task_requests.create(sdk, self.target, self.arguments, ttl, meta or None)

    def _reason_for_none(self, sdk: Client) -> str:
        """Return why a call can't become a task, or ``""`` if it can."""
        reason = task_requests.reason_for_none(sdk)
        if reason or task_requests.decides(sdk):
            return reason
        support = self.connector.package.tools[self.target].task_support
        if support == "forbidden":
            return "the tool doesn't declare support for tasks"
        options = self.options
        is_wanted = support == "required" or options.as_task or options.is_start
        return "" if is_wanted else "it was not asked for"
