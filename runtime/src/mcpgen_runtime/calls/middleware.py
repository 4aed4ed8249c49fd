"""Middleware around the calls of a client."""

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
from ..models.response import suspend_recording
from ..threads import is_async

if TYPE_CHECKING:
    import anyio

    from ..connection.session_manager import SessionManager
    from ..package import Package

Kind: TypeAlias = Literal["tool", "prompt", "resource"]


@dataclass(frozen=True)
class Hints:
    """Unverified annotations of a tool.

    Missing ones have the protocol's defaults (MCP, schema, ``ToolAnnotations``).
    """

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True

    @classmethod
    def from_annotations(cls, claims: Mapping[str, Any]) -> Hints:
        """Parse annotations. Values that aren't booleans are ignored."""
        claimed = {name: claims.get(wire) for name, wire in _CLAIMS.items()}
        read = {name: claim for name, claim in claimed.items() if type(claim) is bool}
        return cls(**read)


_CLAIMS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


@dataclass(frozen=True)
class Call:
    """A call, as middleware sees it.

    Attributes:
        kind: ``"tool"``, ``"prompt"`` or ``"resource"``.
        name: The name of the tool or prompt, or the URI of the resource.
        arguments: The JSON to be sent. Read-only: use :meth:`replace` to change it.
        meta: The properties that ``with_options(meta=...)`` adds to ``_meta``.
        info: The recorded definition of a tool, otherwise None.
        is_started: Whether the call only starts a task. Its result is then empty.
    """

    kind: Kind
    name: str
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    info: ToolInfo | None = None
    is_started: bool = False
    _connector: SessionManager | None = field(default=None, repr=False, compare=False)

    @property
    def hints(self) -> Hints:
        """The annotations of a tool. Prompts and resources have the defaults."""
        return Hints.from_annotations(self.info.annotations if self.info else {})

    def replace(self, *, arguments: Mapping[str, Any]) -> Call:
        """Return a copy of the call with other arguments. They are validated again.

        Args:
            arguments: All arguments by their JSON names.
        """
        return dataclasses.replace(self, arguments=MappingProxyType(dict(arguments)))


connector_of: Callable[[Call], SessionManager | None] = attrgetter("_connector")

Proceed: TypeAlias = Callable[[Call], Awaitable[AnyResult]]
"""Continues a call and returns the SDK's result. May be called any number of times."""
SyncProceed: TypeAlias = Callable[[Call], AnyResult]
"""Continues a call for middleware that isn't ``async``, and blocks until it is done."""
AsyncMiddleware: TypeAlias = Callable[[Call, Proceed], Awaitable[AnyResult]]
PlainMiddleware: TypeAlias = Callable[[Call, SyncProceed], AnyResult]
Middleware: TypeAlias = "AsyncMiddleware | PlainMiddleware"
"""Receives a call and a function that continues it, and returns the result.

It may be ``async``. A plain function runs in a thread of its own.
"""

Send: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[Any]]
"""Sends validated arguments."""
Check: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Validates arguments and returns them as JSON, or raises ``InvalidArguments``."""


def check_middleware(middleware: Sequence[Middleware], package: Package) -> tuple[Middleware, ...]:
    """Validate the option ``middleware``.

    Raises:
        TypeError: An item isn't callable.
        ValueError: An item names a tool that the contract lacks.
    """
    for step in middleware:
        if not callable(step):
            raise TypeError(f"middleware must be callable, not {type(step).__name__}")
        if (check := getattr(step, "check", None)) is not None:
            check(package)
    return tuple(middleware)


@dataclass(frozen=True)
class Chain:
    """The middleware around one call. The first item is the outermost one."""

    middleware: tuple[Middleware, ...]
    call: Call
    wire: Mapping[str, Any]
    check: Check
    send: Send

    @classmethod
    def for_call(
        cls,
        middleware: tuple[Middleware, ...],
        call: Call,
        check: Check,
        send: Send,
    ) -> Chain:
        """Wrap a call with validated arguments. The middleware sees a copy of them."""
        argument_copy = MappingProxyType(copy.deepcopy(dict(call.arguments)))
        call_copy = dataclasses.replace(call, arguments=argument_copy)
        return cls(middleware, call_copy, call.arguments, check, send)

    async def run(self) -> Any:
        """Run the call in the event loop of the connection and return its result."""
        with suspend_recording():
            return await self._step(0, self.call)

    async def _step(self, index: int, call: Call) -> AnyResult:
        if (call.kind, call.name) != (self.call.kind, self.call.name):
            raise TypeError(f"middleware can't change the target of a call: {self.call.name!r}")
        if index == len(self.middleware):
            return await self._send_checked(call)
        middleware: Any = self.middleware[index]
        proceed = functools.partial(self._step, index + 1)
        if is_async(middleware):
            result: AnyResult = await middleware(call, proceed)
        else:
            result = await _Waiting(middleware, proceed).run(call)
        if not isinstance(result, _result_type(call.kind)):
            kind = type(result).__name__
            raise TypeError(f"middleware returned {kind} for a {call.kind}")
        return result

    async def _send_checked(self, call: Call) -> AnyResult:
        """Send the call. Arguments that the middleware changed are validated first."""
        wire, changed_text = self.wire, _text(call.arguments)
        if changed_text is None or changed_text != _text(wire):
            wire = self.check(dict(call.arguments))
        result: AnyResult = await self.send(wire)
        return result


def _text(arguments: Mapping[str, Any]) -> str | None:
    try:
        return json.dumps(dict(arguments))
    except (TypeError, ValueError):  # the validation reports the reason
        return None


def _result_type(kind: Kind) -> type[AnyResult]:
    from mcp.types import CallToolResult, GetPromptResult, ReadResourceResult

    if kind == "tool":
        return CallToolResult
    return GetPromptResult if kind == "prompt" else ReadResourceResult


@dataclass(eq=False)
class _Waiting:
    """Synchronous middleware in a thread, whose requests run in the event loop.

    If the call is cancelled, its requests are cancelled and the thread is abandoned.
    """

    middleware: PlainMiddleware
    proceed: Proceed
    _scopes: set[anyio.CancelScope] = field(default_factory=set["anyio.CancelScope"])
    _is_over: bool = False

    async def run(self, call: Call) -> AnyResult:
        import anyio
        import anyio.to_thread

        # A shared limiter could deadlock: waiting middleware might hold all of its tokens.
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
