"""Makes calls: validate, confirm, send, validate, type the result, log."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import MISSING, ValidationError

from . import PACKAGE
from .brief import plain
from .errors import (
    CallTimeout,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
    HttpError,
    InvalidArguments,
    InvalidResult,
    ProtocolError,
    ToolError,
    UnknownTool,
)
from .options import REPEATING, CallOptions
from .problem import Problem, problems_of
from .response import recorder_of
from .session import Session, innermost
from .tool import Tool, find_tool

if TYPE_CHECKING:
    import anyio
    from mcp import MCPError
    from mcp.types import CallToolResult

    from .confirm import Confirmation
    from .limits import CallLimits
    from .progress import Progress
    from .retry import Budget
    from .wire.faults import Refused

T = TypeVar("T")

_HEADERS_SINCE = "2026-07-28"

audit = logging.getLogger(f"{PACKAGE}.audit")
"""Tool, argument names, seconds, attempts and outcome of calls; never a value."""


def tool_named(name: str) -> Tool[Any]:
    """Return the tool of that name; ``UnknownTool`` if the contract has none."""
    try:
        return find_tool(name)
    except LookupError:
        raise UnknownTool(name) from None


@dataclass
class Request:
    """What one call asks for, by which options, and how often it was sent.

    Prompts and resources are asked for by no tool.
    """

    target: str
    options: CallOptions
    is_tool: bool = False
    progress: Progress | None = None
    attempts: int = 0


@dataclass(eq=False)
class Connection:
    """An open connection, and how calls are made over it."""

    session: Session
    timeout: float | None
    confirmation: Confirmation | None
    options: CallOptions = REPEATING
    """What calls have that do not say otherwise."""
    limits: CallLimits | None = None
    _calls: int = 0
    _budget: Budget | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{plain(self.session.route.label)}, {self.session.state}"

    async def call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        read: Callable[[CallToolResult], T],
        options: CallOptions,
    ) -> T:
        """Send valid arguments, and return what is read out of the SDK's result."""
        import anyio

        from .values import encode_arguments

        recorder = recorder_of(self)
        options = recorder.options.over(options) if recorder else options
        request = Request(tool.name, options.over(self.options), is_tool=True)
        started = time.perf_counter()
        outcome = "failed"
        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            self._count(tool.name)
            if self.confirmation:
                await self.confirmation.require(tool, wire)
            progress = request.progress = self._progress(request.options)

            def send() -> Awaitable[CallToolResult]:
                return self.session.sdk.call_tool(
                    tool.name,
                    wire,
                    progress_callback=progress.notify if progress else None,
                    meta=cast("Any", options.meta),
                )

            result = await self._ask(request, send)
            if recorder:
                recorder.take(result)
            outcome = ToolError.__name__ if result.is_error else "done"
            return read(result)
        except ClientError as error:
            outcome = type(error).__name__
            raise
        except anyio.get_cancelled_exc_class():
            outcome = "cancelled"
            raise
        finally:
            names = sorted(
                name for name, value in arguments.items() if value is not MISSING
            )
            seconds = time.perf_counter() - started
            line = "tool=%r arguments=%r seconds=%.3f attempts=%d outcome=%s"
            audit.info(line, tool.name, names, seconds, request.attempts, outcome)

    async def ask(
        self,
        request: Callable[[Any], Awaitable[T]],
        target: str,
        options: CallOptions,
    ) -> T:
        """Ask for a prompt or a resource, with what goes into its ``_meta``."""
        recorder = recorder_of(self)
        options = recorder.options.over(options) if recorder else options
        self._count(target)
        asked = Request(target, options.over(self.options))
        result = await self._ask(asked, lambda: request(options.meta))
        if recorder:
            recorder.take(result)
        return result

    async def _ask(self, request: Request, send: Callable[[], Awaitable[T]]) -> T:
        """Make a request, and wait for its answer no longer than the time limit."""
        import anyio

        progress, limit = request.progress, self.limit(request.options.timeout)
        # The SDK's own begins only once a request is written, which may take long.
        with anyio.move_on_after(_finite(limit)) as scope:
            if progress is None:
                return await self._try(request, send, scope)
            async with progress.watch(scope):
                return await self._try(request, send, scope)
        if progress is not None and progress.failure is not None:
            raise progress.failure
        if self.session.lost:
            raise self.session.lost_error(may_have_run=True)
        raise CallTimeout(request.target, limit)

    async def _try(
        self,
        request: Request,
        send: Callable[[], Awaitable[T]],
        scope: anyio.CancelScope,
    ) -> T:
        """Make a request, and again where it failed on its way and that is safe."""
        import anyio

        while True:
            if self.session.lost:
                raise self.session.lost_error()
            request.attempts += 1
            try:
                return await self._answered(send, request.target)
            except (ConnectionFailed, ConnectionLost, HttpError) as error:
                left = scope.deadline - anyio.current_time()
                seconds = self._wait_before_next(error, request, left)
                if seconds is None:
                    raise
            await anyio.sleep(seconds)

    def _wait_before_next(
        self, error: ClientError, request: Request, left: float
    ) -> float | None:
        """Return the seconds to wait before the next attempt, if there is one."""
        retry = request.options.retry
        if retry is None or retry.attempts == 1 or self.session.lost:
            return None
        from .retry import Budget, wait_before_next

        tool = request.target if request.is_tool else None
        seconds = wait_before_next(error, tool, retry, request.attempts, left=left)
        if seconds is None:
            return None
        self._budget = self._budget or Budget()
        return seconds if self._budget.take(self._calls) else None

    def _count(self, target: str) -> None:
        """Count a call; ``TooManyCalls`` if there are too many of late."""
        if self.limits:
            self.limits.take(target)
        self._calls += 1

    async def _answered(self, request: Callable[[], Awaitable[T]], target: str) -> T:
        """Wait for an answer; what the SDK raises becomes an error of this package."""
        try:
            return await request()
        except Exception as error:
            if self.session.lost:
                await self.session.wait_for_end()
            raise self._translated(innermost(error), target) from None

    def _translated(self, error: BaseException, target: str) -> BaseException:
        import anyio
        from mcp import InputRequiredRoundsExceededError, MCPError

        if isinstance(error, MCPError):
            return self._protocol_error(error, target)
        if isinstance(error, ValidationError):
            return InvalidResult(target, problems_of(error))
        if isinstance(error, InputRequiredRoundsExceededError):
            return ProtocolError(target, 0, str(error))
        is_closed = (anyio.ClosedResourceError, anyio.BrokenResourceError)
        if isinstance(error, is_closed) or self.session.lost:
            return self.session.lost_error(may_have_run=True)
        return error

    def _protocol_error(self, error: MCPError, target: str) -> ClientError:
        """Tell what the server said from what the SDK says in its place."""
        from mcp.types import CONNECTION_CLOSED

        from .http_errors import request_error
        from .wire.faults import Broken, Refused, Unreadable

        session = self.session
        if isinstance(error.data, Refused) and _is_forgotten(error.data):
            session.end("the server has forgotten the session")
            return session.lost_error()
        if isinstance(error.data, Broken | Refused | Unreadable):
            return request_error(error.data, target, session.route)
        if error.code == CONNECTION_CLOSED and error.message == "Connection closed":
            # Of a client that was given nothing is heard, and its word must do.
            if session.route.is_client and not session.lost:
                session.end("the server closed the connection")
            if session.lost:
                return session.lost_error(may_have_run=True)
        return ProtocolError(target, error.code, error.message, error.data)

    def _refuse_forbidden(self, tool: Tool[Any]) -> None:
        if not tool.forbidden or self.session.lost or self.session.route.is_local:
            return
        if self.session.sdk.protocol_version >= _HEADERS_SINCE:
            raise InvalidArguments(tool.name, [Problem("", tool.forbidden)])

    def limit(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: its own, or else the client's."""
        return self.timeout if timeout is None else timeout

    def _progress(self, options: CallOptions) -> Progress | None:
        resets = options.timeout_resets_on_progress
        if options.on_progress is None and not resets:
            return None
        from .progress import Progress

        seconds = _finite(self.limit(options.timeout)) if resets else None
        return Progress(options.on_progress, seconds)


def _is_forgotten(fault: Refused) -> bool:
    """Tell whether a server answered for a session of which it knows nothing."""
    return fault.status == 404 and fault.is_in_session


def _finite(timeout: float | None) -> float | None:
    """Return a time limit as the SDK understands it, which knows no infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout
