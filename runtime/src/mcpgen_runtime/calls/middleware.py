"""What stands between a method of a client and the request that it makes."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..contract import ToolInfo
from ..models.content import AnyResult
from ..models.response import unrecorded
from ..threads import is_async

if TYPE_CHECKING:
    import anyio

    from ..connection.session_manager import Connector
    from ..package import Package

Kind: TypeAlias = Literal["tool", "prompt", "resource"]


@dataclass(frozen=True)
class Hints:
    """What a server claims of a tool, and where it claims nothing, the default.

    The defaults are those of the protocol (MCP, schema, ``ToolAnnotations``).
    """

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True

    @classmethod
    def of(cls, claims: Mapping[str, Any]) -> Hints:
        """Read the annotations of a tool; what is no boolean claims nothing."""
        given = {name: claims.get(wire) for name, wire in _CLAIMS.items()}
        read = {name: claim for name, claim in given.items() if type(claim) is bool}
        return cls(**read)


_CLAIMS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


@dataclass(frozen=True)
class Call:
    """A call on its way to the server.

    ``name`` is that of the tool or prompt on the wire, or the URI of the resource.
    ``arguments`` are the JSON that is sent, and read-only: :meth:`replace` makes a call
    with others. ``meta`` is what ``with_options(meta=...)`` adds; ``info`` is what the
    contract says of a tool. One that ``is_started`` makes a task whose result is not
    waited for here: its own result says nothing.
    """

    kind: Kind
    name: str
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    info: ToolInfo | None = None
    is_started: bool = False
    _connector: Connector | None = field(default=None, repr=False, compare=False)

    @property
    def hints(self) -> Hints:
        """What the server claims of the tool; of anything else the defaults."""
        return Hints.of(self.info.annotations if self.info else {})

    def replace(self, *, arguments: Mapping[str, Any]) -> Call:
        """Return the same call with other arguments, which are checked like the first.

        Args:
            arguments: All of them, by their names on the wire.
        """
        return dataclasses.replace(self, arguments=MappingProxyType(dict(arguments)))


connector_of: Callable[[Call], Connector | None] = attrgetter("_connector")

Proceed: TypeAlias = Callable[[Call], Awaitable[AnyResult]]
"""Goes on with a call, and returns the SDK's result; may be called again, or not."""
SyncProceed: TypeAlias = Callable[[Call], AnyResult]
"""The same for a middleware that is a plain function, which it keeps waiting."""
AsyncMiddleware: TypeAlias = Callable[[Call, Proceed], Awaitable[AnyResult]]
PlainMiddleware: TypeAlias = Callable[[Call, SyncProceed], AnyResult]
Middleware: TypeAlias = "AsyncMiddleware | PlainMiddleware"
"""Is given a call and what goes on with it, and returns the result.

It may be ``async``; a plain function runs in a thread of its own.
"""

Send: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[Any]]
"""Sends arguments that were checked."""
Check: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns arguments as they are sent; ``InvalidArguments`` where that cannot be."""


def checked(middleware: Sequence[Middleware], package: Package) -> tuple[Middleware, ...]:
    """Return the option as it is kept; ``TypeError`` for what cannot be called."""
    for one in middleware:
        if not callable(one):
            raise TypeError(f"middleware cannot be of type {type(one).__name__}")
        if (check := getattr(one, "check", None)) is not None:
            check(package)
    return tuple(middleware)


@dataclass(frozen=True)
class Chain:
    """The middleware of a client around one call, the first of them outermost."""

    middleware: tuple[Middleware, ...]
    call: Call
    wire: Mapping[str, Any]
    check: Check
    send: Send

    @classmethod
    def of(
        cls,
        middleware: tuple[Middleware, ...],
        call: Call,
        check: Check,
        send: Send,
    ) -> Chain:
        """Wrap a call whose arguments were checked; those that are seen are a copy."""
        seen = MappingProxyType(copy.deepcopy(dict(call.arguments)))
        shown = dataclasses.replace(call, arguments=seen)
        return cls(middleware, shown, call.arguments, check, send)

    async def run(self) -> Any:
        """Make the call, where the connection lives, and return what becomes of it."""
        with unrecorded():
            return await self._step(0, self.call)

    async def _step(self, place: int, call: Call) -> AnyResult:
        if (call.kind, call.name) != (self.call.kind, self.call.name):
            raise TypeError(f"a middleware can go on with {self.call.name!r} alone")
        if place == len(self.middleware):
            return await self._sent(call)
        middleware: Any = self.middleware[place]
        proceed = functools.partial(self._step, place + 1)
        if is_async(middleware):
            result: AnyResult = await middleware(call, proceed)
        else:
            result = await _Waiting(middleware, proceed).run(call)
        if not isinstance(result, _result_type(call.kind)):
            kind = type(result).__name__
            raise TypeError(f"a middleware returned {kind} for the {call.kind}")
        return result

    async def _sent(self, call: Call) -> AnyResult:
        """Send it; what is not what was checked before is checked now."""
        wire, given = self.wire, _text(call.arguments)
        if given is None or given != _text(wire):
            wire = self.check(dict(call.arguments))
        result: AnyResult = await self.send(wire)
        return result


def _text(arguments: Mapping[str, Any]) -> str | None:
    try:
        return json.dumps(dict(arguments))
    except (TypeError, ValueError):  # of a middleware; the check says why
        return None


def _result_type(kind: Kind) -> type[AnyResult]:
    from mcp.types import CallToolResult, GetPromptResult, ReadResourceResult

    if kind == "tool":
        return CallToolResult
    return GetPromptResult if kind == "prompt" else ReadResourceResult


@dataclass(eq=False)
class _Waiting:
    """A plain middleware in a thread, whose requests are made in the event loop.

    A call that is given up does not wait for it: what it waits for is cancelled.
    """

    middleware: PlainMiddleware
    proceed: Proceed
    _scopes: set[anyio.CancelScope] = field(default_factory=set["anyio.CancelScope"])
    _is_over: bool = False

    async def run(self, call: Call) -> AnyResult:
        import anyio
        import anyio.to_thread

        # Not one for all: those who wait for a place might hold all that there are.
        limiter = anyio.CapacityLimiter(1)
        try:
            return await anyio.to_thread.run_sync(
                self.middleware,
                call,
                self._wait,
                abandon_on_cancel=True,
                limiter=limiter,
            )
        finally:
            self._is_over = True
            for scope in self._scopes:
                scope.cancel()

    def _wait(self, call: Call) -> AnyResult:
        import anyio.from_thread

        return anyio.from_thread.run(self._proceed, call)

    async def _proceed(self, call: Call) -> AnyResult:
        import anyio

        if self._is_over:
            raise CancelledError
        with anyio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                return await self.proceed(call)
            finally:
                self._scopes.discard(scope)
        raise CancelledError
