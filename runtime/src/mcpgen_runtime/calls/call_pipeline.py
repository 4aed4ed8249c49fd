"""Makes calls: validate, confirm, send, validate, type the result, log."""

from __future__ import annotations

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
    TypeVar,
    cast,
)

from pydantic import MISSING

from ..abbreviate import plain
from ..connection.session import Session
from ..contract import ToolInfo
from ..errors import ClientError, InvalidArguments, ToolError, UnknownTool
from ..models.response import Recorder, recorder_of
from ..options import CallOptions, Unexpected
from ..package import Tool
from ..problem import Problem
from ..tracing import is_observed
from .request import Request, Tally

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from ..connection.session_manager import Connector
    from ..package import Package
    from .confirm import Confirmation
    from .limits import CallLimits
    from .middleware import Call, Check, Kind, Middleware, Send
    from .progress import Progress
    from .tape import Tape
    from .telemetry import Operation

T = TypeVar("T")

_HEADERS_SINCE = "2026-07-28"


def tool_named(package: Package, name: str) -> Tool[Any]:
    """Return the tool of that name; ``UnknownTool`` if the contract has none."""
    try:
        return package.tool(name)
    except LookupError:
        raise UnknownTool(name) from None


def _unchecked(arguments: Mapping[str, object]) -> Mapping[str, Any]:
    return arguments


@dataclass(frozen=True)
class Query(Generic[T]):
    """What is asked for that is no tool, and how.

    ``make`` is given the arguments as they are sent and what goes into ``_meta``;
    what has no kind passes no middleware.
    """

    kind: Literal["prompt", "resource"] | None
    name: str
    make: Callable[[Client, Mapping[str, Any], Any], Awaitable[T]]
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    check: Callable[[Mapping[str, object]], Mapping[str, Any]] = _unchecked


@dataclass(eq=False)
class Captured(BaseException):
    """The call that a method would have made."""

    connection: Connection
    tool: Tool[Any]
    arguments: Mapping[str, object]
    read: Callable[[CallToolResult], Any]
    options: CallOptions


@dataclass(frozen=True)
class Connection:
    """How calls are made over the sessions of a connector."""

    connector: Connector
    options: CallOptions
    """What calls have that do not say otherwise."""
    confirmation: Confirmation | None = None
    limits: CallLimits | None = None
    middleware: tuple[Middleware, ...] = ()
    tape: Tape | None = None
    """What records the calls, or replays them."""
    unexpected: Unexpected = "warn"
    tally: Tally = field(default_factory=Tally, repr=False)
    trust: bool = False
    """Whether the caller trusts what the server says of its tools."""

    def asks_about(self, info: ToolInfo) -> bool:
        """Return True if a ``confirm`` hook is asked before a call of this tool."""
        if self.confirmation is not None:
            return self.confirmation.is_due(info)
        return not (self.trust and info.is_harmless)

    @property
    def package(self) -> Package:
        """What its client was generated from."""
        return self.connector.package

    @property
    def session(self) -> Session:
        """The last session; the next call makes another one if it was lost."""
        return self.connector.current

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
        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            options = recorder.options.over(options)
            raise Captured(self, tool, arguments, read, options)
        if not is_observed():
            return await self._call(tool, arguments, read, options)
        from .telemetry import Operation

        with Operation(self.connector, "tool", tool.name) as operation:
            return await self._call(tool, arguments, read, options, operation)

    async def ask(self, query: Query[T], options: CallOptions) -> T:
        """Ask for a prompt or a resource."""
        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            raise TypeError(f"{query.name!r} is no tool: a tool alone runs as a task")
        if query.kind is None or not is_observed():
            return await self._ask(query, options)
        from .telemetry import Operation

        with Operation(self.connector, query.kind, query.name) as operation:
            return await self._ask(query, options, operation)

    async def _call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        read: Callable[[CallToolResult], T],
        options: CallOptions,
        operation: Operation | None = None,
    ) -> T:
        import anyio

        from ..models.values import encode_arguments

        recorder = recorder_of(self)
        options = self._all_options(options, recorder)
        requests: list[Request[CallToolResult]] = []
        started = time.perf_counter()
        outcome = "failed"

        async def send(wire: Mapping[str, Any]) -> CallToolResult:
            request = await self._tool_request(tool, wire, options)
            requests.append(request)
            asking = self._asking("tool", tool.name, wire, request)
            return await _timed(asking, operation)

        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            if self.middleware:
                check = partial(encode_arguments, tool)
                call = self._seen("tool", tool.name, wire, options)
                result = await self._through(call, check, send)
            else:
                result = await send(wire)
            if recorder:
                recorder.take(result)
            outcome = ToolError.__name__ if result.is_error else "done"
            outcome = "started" if options.is_start else outcome
            return read(result)
        except ClientError as error:
            outcome = type(error).__name__
            raise
        except anyio.get_cancelled_exc_class():
            outcome = "cancelled"
            raise
        finally:
            names = sorted(name for name, value in arguments.items() if value is not MISSING)
            seconds = time.perf_counter() - started
            attempts = sum(request.attempts for request in requests)
            line = "tool=%r arguments=%r seconds=%.3f attempts=%d outcome=%s"
            # Never a value.
            audit = self.package.logger("audit")
            audit.info(line, tool.name, names, seconds, attempts, outcome)

    async def _tool_request(
        self, tool: Tool[Any], wire: Mapping[str, Any], options: CallOptions
    ) -> Request[CallToolResult]:
        """Return the request of a call, if nothing refuses it."""
        await self.connector.learn_tools()
        self._refuse_drifted(tool, wire)
        if self.limits:
            self.limits.take(tool.name)
        if self.confirmation:
            await self.confirmation.require(tool, wire)
        progress = _progress(options)

        def send(sdk: Client) -> Awaitable[CallToolResult]:
            self._refuse_drifted(tool, wire)  # by the session that there is now
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
        return TaskCall.of(request, dict(wire), check)

    async def _ask(
        self,
        query: Query[T],
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
            return await _timed(asking, operation)

        wire = query.check(query.arguments)
        if self.middleware and query.kind is not None:
            call = self._seen(query.kind, query.name, wire, options)
            result: T = await self._through(call, query.check, send)
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
        """Return what asks the server, or what was recorded of it."""
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
        """Tell the server something, which is no call and has no answer."""
        if self.session.route.is_replay:
            return
        options = self._all_options(options, None)
        await Request(self.connector, notify, target, options).answer()

    def _seen(self, kind: Kind, name: str, wire: Mapping[str, Any], options: CallOptions) -> Call:
        """Return a call as the middleware sees it."""
        from .middleware import Call

        meta = MappingProxyType(dict(options.meta or {}))
        info = self.package.tools[name] if kind == "tool" else None
        return Call(kind, name, wire, meta, info, options.is_start, self.connector)

    async def _through(self, call: Call, check: Check, send: Send) -> Any:
        """Make a call through the middleware, in the loop that the connection is in."""
        from .middleware import Chain

        return await self.connector.run(Chain.of(self.middleware, call, check, send).run)

    def _all_options(self, options: CallOptions, recorder: Recorder | None) -> CallOptions:
        """Return the options of a call, all of which say something."""
        asked = recorder.options.over(options) if recorder else options
        return asked.over(self.options)

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


async def _timed(asking: Awaitable[T], operation: Operation | None) -> T:
    """Wait for a request, whose time is measured where anyone wants to know it."""
    if operation is None:
        return await asking
    return await operation.timed(asking)


def _progress(options: CallOptions) -> Progress | None:
    resets = options.timeout_resets_on_progress
    if options.on_progress is None and not resets:
        return None
    from .progress import Progress

    return Progress(options.on_progress, options.timeout if resets else None)
