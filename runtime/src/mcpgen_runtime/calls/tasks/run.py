"""Follows a task to its end: polls its status, answers its questions, cancels it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ...errors import (
    CallTimeout,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
    HttpError,
    InvalidResult,
    ProtocolError,
    TaskCancelled,
)
from ...options import ONCE, CallOptions
from ...problem import Problem, problems_of
from ..request import CallCounter, Request, finite
from ..retry import is_passing
from . import requests as task_requests
from .progress import TaskProgress
from .status import TaskStatus, read_status

if TYPE_CHECKING:
    import anyio
    from mcp import Client
    from mcp.types import CallToolResult

    from ...connection.session_manager import SessionManager

T = TypeVar("T")

_MOST_FAILURES = 6
"""The number of consecutive connection failures after which polling ends."""
_FIRST_WAIT = 0.25
"""Seconds to wait after the first failure. The wait doubles each time."""
_TO_STOP = 3.0
"""Time limit for cancelling a task, in seconds."""


@dataclass
class TaskRun:
    """A task of a tool and its last known status. It outlives sessions."""

    connector: SessionManager
    tool: str
    id: str
    options: CallOptions
    tally: CallCounter
    progress: TaskProgress | None = None
    last: TaskStatus | None = None
    """The status from the creation of the task, until somebody waits for it."""
    result: CallToolResult | None = None
    arguments: dict[str, Any] | None = None
    """The arguments of the call, until its outcome is recorded."""
    _raw: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _answers: dict[str, Any] = field(default_factory=dict[str, Any])
    _answered_keys: set[str] = field(default_factory=set[str])
    _is_over: bool = False
    _waiting: anyio.Lock | None = None

    async def status(self) -> TaskStatus:
        """Request the current status."""
        self._raw = await self._ask(lambda sdk: task_requests.get(sdk, self.id))
        status = read_status(self.tool, self._raw)
        self._is_over = status.is_over
        return status

    async def cancel(self) -> TaskStatus:
        """Request cancellation and return the status afterwards."""
        try:
            await self._ask(lambda sdk: task_requests.cancel(sdk, self.tool, self.id))
        except ProtocolError:
            status = await self.status()  # a task that has ended can't be cancelled
            if not status.is_over:
                raise
            return status
        return await self.status()

    async def wait(self, seconds: float | None, used: float = 0.0) -> CallToolResult:
        """Return the result within the remaining seconds."""
        if self.result is not None:
            return self.result
        return await self.connector.run(partial(self._wait, seconds, used))

    async def wait_or_cancel(self, seconds: float | None, used: float) -> CallToolResult:
        """Return the result. If the wait is cancelled, cancel the task."""
        try:
            return await self.wait(seconds, used)
        except (ConnectionLost, ConnectionFailed):
            raise
        except BaseException:
            await self._stop()
            raise

    async def _wait(self, seconds: float | None, used: float) -> CallToolResult:
        import anyio

        self._waiting = self._waiting or anyio.Lock()
        limit = finite(seconds)
        seconds_left = None if limit is None else max(limit - used, 0.0)
        with anyio.move_on_after(seconds_left) as scope:
            async with self._waiting:  # this involves the server and the user
                if self.result is None:
                    self.result = await self._watch_progress(scope)
            return self.result
        if self.progress is not None and self.progress.progress.failure is not None:
            raise self.progress.progress.failure
        raise CallTimeout(self.tool, seconds)

    async def _stop(self) -> None:
        """Cancel the task without waiting long."""
        import anyio

        if self._is_over:
            return
        options = replace(self.options, timeout=_TO_STOP, retry=ONCE)
        with anyio.CancelScope(shield=True):
            try:
                await self._ask(lambda sdk: task_requests.cancel(sdk, self.tool, self.id), options)
            except ClientError:
                return

    async def _watch_progress(self, scope: anyio.CancelScope) -> CallToolResult:
        if self.progress is None:
            return await self._poll()
        self.progress.progress.failure = None
        listeners = self.connector.task_listeners
        listeners[self.progress.token] = self.progress.notify
        try:
            async with self.progress.progress.watch(scope):
                return await self._poll()
        finally:
            listeners.pop(self.progress.token, None)

    async def _poll(self) -> CallToolResult:
        """Poll until the task has ended, even over new sessions."""
        status, self.last = self.last, None
        if status is not None and status.state != "working":
            status = None  # the current status is requested when needed
        failures, wait = 0, 0.0
        while True:
            try:
                if status is None:
                    status = await self.status()
                if self.progress is not None:
                    await self.progress.see(status)
                if status.is_over:
                    return await self._final_result(status)
                if status.state == "input_required":
                    if not self._brings_all:
                        return await self._open()
                    await self._answer()
                failures, wait = 0, status.poll_interval
            except (ConnectionLost, ConnectionFailed, HttpError) as error:
                failures += 1
                is_last = failures > _MOST_FAILURES or not is_passing(error)
                if self.connector.is_over or is_last:
                    raise
                wait = _FIRST_WAIT * 2.0 ** (failures - 1)
            await self.connector.sleep_before_retry(wait)
            status = None

    async def _final_result(self, status: TaskStatus) -> CallToolResult:
        if status.state == "cancelled":
            raise TaskCancelled(self.tool, self.id, status.message)
        if not self._brings_all:
            return await self._request_result()
        if status.state == "failed":
            raise self._failure(status)
        from pydantic import ValidationError

        try:
            return task_requests.final(self._raw.get("result"))
        except ValidationError as error:
            raise InvalidResult(self.tool, problems_of(error)) from None

    def _failure(self, status: TaskStatus) -> ClientError:
        error: Any = self._raw.get("error")
        if not isinstance(error, dict):
            return InvalidResult(self.tool, [Problem("/error", "the error has no message")])
        error_data = cast("dict[str, Any]", error)
        code, message = error_data.get("code"), error_data.get("message")
        return ProtocolError(
            self.tool,
            code if isinstance(code, int) else 0,
            message if isinstance(message, str) else status.message,
            error_data.get("data"),
        )

    @property
    def _brings_all(self) -> bool:
        """Whether a status includes questions and the result."""
        return task_requests.decides(self.connector.current.sdk)

    async def _answer(self) -> None:
        """Pass questions to the client's callbacks, each of them once."""
        requested = self._raw.get("inputRequests")
        if not isinstance(requested, dict):
            return
        questions = cast("dict[str, object]", requested)
        for key, question in questions.items():
            if key not in self._answers:
                sdk = self.connector.current.sdk
                self._answers[key] = await self._ask_client(sdk, key, question)
        answers = {
            key: answer
            for key, answer in self._answers.items()
            if key in questions and key not in self._answered_keys
        }
        if answers:
            await self._ask(lambda sdk: task_requests.update(sdk, self.id, answers))
            self._answered_keys |= answers.keys()

    async def _ask_client(self, sdk: Client, key: str, question: object) -> dict[str, Any]:
        from pydantic import ValidationError

        try:
            return await task_requests.ask(sdk, self.tool, key, question)
        except ValidationError as error:
            raise InvalidResult(self.tool, problems_of(error)) from None

    async def _open(self) -> CallToolResult:
        """Wait for the result, answer questions and report progress.

        Without a progress callback, only the result is requested.
        """
        endless = replace(self.options, timeout=None)  # the user may have to answer
        try:
            if self.progress is None:
                return await self._request_result(endless)
            return await self._waited_and_seen(endless)
        except ProtocolError:
            status = await self.status()
            if status.state != "cancelled":
                raise
            raise TaskCancelled(self.tool, self.id, status.message) from None

    async def _waited_and_seen(self, options: CallOptions) -> CallToolResult:
        import anyio

        failure: Exception | None = None
        result: CallToolResult | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._report_status)
            try:
                result = await self._request_result(options)
            except Exception as error:
                failure = error
            tasks.cancel_scope.cancel()
        if result is None:
            raise failure or ConnectionLost("the result was not waited for")
        return result

    async def _report_status(self) -> None:
        """Report each status until the task ends."""
        try:
            while True:
                status = await self.status()
                if self.progress is not None:
                    await self.progress.see(status)
                await self.connector.sleep_before_retry(status.poll_interval)
        except ClientError:  # the request for the result raises it
            return

    async def _request_result(self, options: CallOptions | None = None) -> CallToolResult:
        return await self._ask(lambda sdk: task_requests.result(sdk, self.id), options)

    async def _ask(
        self,
        make: Callable[[Client], Awaitable[T]],
        options: CallOptions | None = None,
    ) -> T:
        how = options or self.options
        return await Request(self.connector, make, self.tool, how, self.tally).answer()
