"""Makes calls: validates, confirms and sends them, validates and types the results, logs."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
)

import anyio
from pydantic import MISSING

from ..abbreviate import plain
from ..connection.session import Session
from ..contract import ToolInfo
from ..errors import ClientError, InvalidArguments, ToolError, UnknownTool
from ..models.response import Recorder, recorder_of
from ..models.values import decode_result, encode_arguments
from ..options import CallOptions, Unexpected
from ..package import Tool
from ..problem import Problem
from ..tracing import is_observed
from .request import CallCounter, Request

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from ..connection.session_manager import SessionManager
    from ..package import Package
    from .confirm import Confirmation
    from .limits import CallLimits
    from .middleware import Call, Check, Kind, Middleware, Send
    from .progress import Progress
    from .tape import Tape
    from .telemetry import Operation

T = TypeVar("T")

Read: TypeAlias = Callable[[Tool[Any], "CallToolResult"], Any]
"""Converts the result of a tool."""

_HEADERS_SINCE = "2026-07-28"


def tool_named(package: Package, name: str) -> Tool[Any]:
    """Return a tool by its name, or raise ``UnknownTool``."""
    try:
        return package.tool(name)
    except LookupError:
        raise UnknownTool(name) from None


def _leave_arguments(arguments: Mapping[str, object]) -> Mapping[str, Any]:
    return arguments


@dataclass(frozen=True)
class ContentRequest(Generic[T]):
    """A request other than a tool call.

    ``make`` gets the JSON arguments and the content of ``_meta``. A request without a kind
    bypasses the middleware.
    """

    kind: Literal["prompt", "resource"] | None
    name: str
    make: Callable[[Client, Mapping[str, Any], Any], Awaitable[T]]
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    check: Callable[[Mapping[str, object]], Mapping[str, Any]] = _leave_arguments


@dataclass(eq=False)
class Captured(BaseException):
    """The call that a method would have made."""

    connection: CallPipeline
    tool: Tool[Any]
    arguments: Mapping[str, object]
    options: CallOptions


@dataclass(frozen=True)
class CallPipeline:
    """Makes calls over the sessions of a client."""

    connector: SessionManager
    options: CallOptions
    """The default options of calls."""
    confirmation: Confirmation | None = None
    limits: CallLimits | None = None
    middleware: tuple[Middleware, ...] = ()
    tape: Tape | None = None
    """Records or replays the calls."""
    unexpected: Unexpected = "warn"
    tally: CallCounter = field(default_factory=CallCounter, repr=False)
    trust: bool = False
    """Whether the caller trusts the server's annotations."""

    def asks_about(self, info: ToolInfo) -> bool:
        """Return True if the ``confirm`` hook is called before this tool."""
        if self.confirmation is not None:
            return self.confirmation.is_due(info)
        return not (self.trust and info.is_harmless)

    @property
    def package(self) -> Package:
        """The contract of the client."""
        return self.connector.package

    @property
    def session(self) -> Session:
        """The latest session. If it was lost, the next call opens another."""
        return self.connector.current

    def __str__(self) -> str:
        return f"{plain(self.session.route.label)}, {self.session.state}"

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        options: CallOptions,
        read: Read | None = None,
    ) -> Any:
        """Call a tool, and return the result as its type, or as ``read`` converts it.

        Raises:
            UnknownTool: The contract has no tool with this name.
        """
        tool = tool_named(self.package, name)
        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            options = recorder.options.over(options)
            raise Captured(self, tool, arguments, options)
        if not is_observed():
            return await self._call(tool, arguments, options, read or self.read)
        from .telemetry import Operation

        with Operation(self.connector, "tool", tool.name) as operation:
            return await self._call(tool, arguments, options, read or self.read, operation)

    def read(self, tool: Tool[T], result: CallToolResult) -> T:
        """Convert a result to its type."""
        return decode_result(tool, result, self.unexpected)

    async def ask(self, query: ContentRequest[T], options: CallOptions) -> T:
        """Request a prompt or a resource."""
        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            raise TypeError(f"{query.name!r} isn't a tool: only a tool can run as a task")
        if query.kind is None or not is_observed():
            return await self._ask(query, options)
        from .telemetry import Operation

        with Operation(self.connector, query.kind, query.name) as operation:
            return await self._ask(query, options, operation)

    async def _call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        options: CallOptions,
        read: Read,
        operation: Operation | None = None,
    ) -> Any:
        recorder = recorder_of(self)
        options = self._all_options(options, recorder)
        requests: list[Request[CallToolResult]] = []
        started = time.perf_counter()
        outcome = "failed"

        async def send(wire: Mapping[str, Any]) -> CallToolResult:
            request = await self._tool_request(tool, wire, options)
            requests.append(request)
            asking = self._asking("tool", tool.name, wire, request)
            return await (operation.measure(asking) if operation else asking)

        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            if self.middleware:
                check = partial(encode_arguments, tool)
                call = self._middleware_call("tool", tool.name, wire, options)
                result = await self._run_middleware(call, check, send)
            else:
                result = await send(wire)
            if recorder:
                recorder.take(result)
            outcome = ToolError.__name__ if result.is_error else "done"
            outcome = "started" if options.is_start else outcome
            return read(tool, result)
        except ClientError as error:
            outcome = type(error).__name__
            raise
        except anyio.get_cancelled_exc_class():
            outcome = "cancelled"
            raise
        finally:
            audit = self.package.audit
            if audit.isEnabledFor(logging.INFO):
                names = sorted(name for name, value in arguments.items() if value is not MISSING)
                seconds = time.perf_counter() - started
                attempts = sum(request.attempts for request in requests)
                line = "tool=%r arguments=%r seconds=%.3f attempts=%d outcome=%s"
                # Never a value.
                audit.info(line, tool.name, names, seconds, attempts, outcome)

    async def _tool_request(
        self, tool: Tool[Any], wire: Mapping[str, Any], options: CallOptions
    ) -> Request[CallToolResult]:
        """Return the request of a call, unless it is rejected."""
        if self.connector.must_list_tools:
            await self.connector.list_tools_again()
        self._refuse_drifted(tool, wire)
        if self.limits:
            self.limits.take(tool.name)
        if self.confirmation:
            await self.confirmation.require(tool, wire)
        progress = _progress(options)

        def send(sdk: Client) -> Awaitable[CallToolResult]:
            self._refuse_drifted(tool, wire)  # with the current session
            return sdk.call_tool(
                tool.name,
                dict(wire),
                progress_callback=progress.notify if progress else None,
                meta=cast("Any", options.meta),
            )

        request = Request(self.connector, send, tool.name, options, self.tally)
        request.is_tool, request.progress = True, progress
        if not (options.is_start or self.package.has_tasks):
            return request
        from .tasks.call import TaskCall

        check = partial(self._refuse_drifted, tool, wire)
        return TaskCall.from_request(request, dict(wire), check)

    async def _ask(
        self,
        query: ContentRequest[T],
        options: CallOptions,
        operation: Operation | None = None,
    ) -> T:
        recorder = recorder_of(self)
        options = self._all_options(options, recorder)

        async def send(wire: Mapping[str, Any]) -> T:
            if self.limits:
                self.limits.take(query.name)

            def make(sdk: Client) -> Awaitable[T]:
                return query.make(sdk, wire, options.meta)

            request = Request(self.connector, make, query.name, options, self.tally)
            asking = self._asking(query.kind, query.name, wire, request)
            return await (operation.measure(asking) if operation else asking)

        wire = query.check(query.arguments)
        if self.middleware and query.kind is not None:
            call = self._middleware_call(query.kind, query.name, wire, options)
            result: T = await self._run_middleware(call, query.check, send)
        else:
            result = await send(wire)
        if recorder:
            recorder.take(result)
        return result

    def _asking(
        self,
        kind: Kind | None,
        name: str,
        wire: Mapping[str, Any],
        request: Request[T],
    ) -> Awaitable[T]:
        """Return the awaitable that requests the server, or replays the recording."""
        tape = self.tape
        if tape is None or (kind is None and not tape.replays):
            return request.answer()
        return tape.answer(kind or "", name, wire, request)

    async def tell(
        self,
        notify: Callable[[Client], Awaitable[None]],
        target: str,
        options: CallOptions,
    ) -> None:
        """Send the server a notification."""
        if self.session.route.is_replay:
            return
        options = self._all_options(options, None)
        await Request(self.connector, notify, target, options).answer()

    def _middleware_call(
        self, kind: Kind, name: str, wire: Mapping[str, Any], options: CallOptions
    ) -> Call:
        """Return a call as the middleware sees it."""
        from .middleware import Call

        meta = MappingProxyType(dict(options.meta or {}))
        info = self.package.tools[name] if kind == "tool" else None
        return Call(kind, name, wire, meta, info, options.is_start, self.connector)

    async def _run_middleware(self, call: Call, check: Check, send: Send) -> Any:
        """Make a call through the middleware, in the loop that the connection is in."""
        from .middleware import Chain

        return await self.connector.run(Chain.for_call(self.middleware, call, check, send).run)

    def _all_options(self, options: CallOptions, recorder: Recorder | None) -> CallOptions:
        """Fill in the defaults of all call options."""
        own_options = recorder.options.over(options) if recorder else options
        return own_options.over(self.options)

    def _refuse_drifted(self, tool: Tool[Any], wire: Mapping[str, object]) -> None:
        drift = self.session.drift
        if drift is not None and not self.session.lost:
            drift.require(tool.name, wire)

    def _refuse_forbidden(self, tool: Tool[Any]) -> None:
        session = self.session
        if not tool.forbidden or session.lost or session.route.is_local:
            return
        if session.sdk.protocol_version >= _HEADERS_SINCE:
            raise InvalidArguments(tool.name, [Problem("", tool.forbidden)])


def _progress(options: CallOptions) -> Progress | None:
    resets = options.timeout_resets_on_progress
    if options.on_progress is None and not resets:
        return None
    from .progress import Progress

    return Progress(options.on_progress, options.timeout if resets else None)
