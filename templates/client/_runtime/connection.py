"""Makes calls: validate, confirm, send, validate, type the result, log."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import MISSING, ValidationError

from . import PACKAGE
from .brief import plain
from .errors import (
    CallTimeout,
    ClientError,
    InvalidArguments,
    InvalidResult,
    ProtocolError,
    ToolError,
    UnknownTool,
)
from .options import CallOptions
from .problem import Problem, problems_of
from .response import recorder_of
from .session import Session, innermost
from .tool import Tool, find_tool

if TYPE_CHECKING:
    from mcp import MCPError
    from mcp.types import CallToolResult

    from .confirm import Confirmation
    from .progress import Progress
    from .wire.faults import Refused

T = TypeVar("T")

_HEADERS_SINCE = "2026-07-28"

audit = logging.getLogger(f"{PACKAGE}.audit")
"""Tool, argument names, seconds and outcome of each call; never a value."""


def tool_named(name: str) -> Tool[Any]:
    """Return the tool of that name; ``UnknownTool`` if the contract has none."""
    try:
        return find_tool(name)
    except LookupError:
        raise UnknownTool(name) from None


@dataclass(frozen=True)
class Connection:
    """An open connection, and how calls are made over it."""

    session: Session
    timeout: float | None
    confirmation: Confirmation | None

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
        started = time.perf_counter()
        outcome = "failed"
        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            if self.confirmation:
                await self.confirmation.require(tool, wire)
            progress = _progress(options)

            def request() -> Awaitable[CallToolResult]:
                return self.session.sdk.call_tool(
                    tool.name,
                    wire,
                    progress_callback=progress.notify if progress else None,
                    meta=cast("Any", options.meta),
                )

            result = await self._ask(request, tool.name, options.timeout, progress)
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
            line = "tool=%r arguments=%r seconds=%.3f outcome=%s"
            audit.info(line, tool.name, names, seconds, outcome)

    async def ask(
        self,
        request: Callable[[Any], Awaitable[T]],
        target: str,
        options: CallOptions,
    ) -> T:
        """Ask for a prompt or a resource, with what goes into its ``_meta``."""
        recorder = recorder_of(self)
        options = recorder.options.over(options) if recorder else options
        result = await self._ask(lambda: request(options.meta), target, options.timeout)
        if recorder:
            recorder.take(result)
        return result

    async def _ask(
        self,
        request: Callable[[], Awaitable[T]],
        target: str,
        timeout: float | None,
        progress: Progress | None = None,
    ) -> T:
        """Make a request, and wait for its answer no longer than the time limit."""
        import anyio

        if self.session.lost:
            raise self.session.lost_error()
        limit = self.limit(timeout)
        # The SDK's own begins only once a request is written, which may take long.
        with anyio.move_on_after(_finite(limit)) as scope:
            if progress is None:
                return await self._answered(request, target)
            async with progress.watch(scope):
                return await self._answered(request, target)
        if progress is not None and progress.failure is not None:
            raise progress.failure
        if self.session.lost:
            raise self.session.lost_error(may_have_run=True)
        raise CallTimeout(target, limit)

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


def _progress(options: CallOptions) -> Progress | None:
    if options.on_progress is None:
        return None
    from .progress import Progress

    return Progress(options.on_progress)


def _is_forgotten(fault: Refused) -> bool:
    """Tell whether a server answered for a session of which it knows nothing."""
    return fault.status == 404 and fault.is_in_session


def _finite(timeout: float | None) -> float | None:
    """Return a time limit as the SDK understands it, which knows no infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout
