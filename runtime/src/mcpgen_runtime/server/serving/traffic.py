"""Health checks, limits and draining of a server over HTTP, as ASGI middleware."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Container, Sized
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import anyio
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from starlette.responses import JSONResponse, PlainTextResponse

from ..asgi import ENDPOINT, Lifespan, header, route_path
from ..replicas.errors import UNAVAILABLE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Limits of a server over HTTP, and the time for pending calls when it stops.

    `app()` can only enforce ``calls`` and ``body``. The others are enforced by `run()`.
    """

    header: float = 10.0
    """Seconds for the headers of a request."""
    body: float = 30.0
    """Seconds for the body of a request."""
    connections: int = 1_000
    """Maximum number of open connections. Further requests get status 503."""
    calls: int = 200
    """Maximum number of requests at once, without open streams. Further ones get status 503,
    except for notifications and answers to questions.
    """
    drain: float = 25.0
    """Seconds for pending calls after SIGTERM or Ctrl-C."""


DEFAULT_LIMITS = HttpLimits()


class Readiness(Protocol):
    """A shared store, which may be unavailable for some time."""

    @property
    def is_ready(self) -> bool:
        """Whether calls can be accepted."""
        ...


class Traffic:
    """The state of a server over HTTP: whether it is ready or draining, and its requests."""

    def __init__(self, limits: HttpLimits, store: Readiness | None = None) -> None:
        self.limits = limits
        self._store = store
        self.is_started = False
        self.is_draining = False
        self.calls = 0
        self.connections: Sized = ()
        self.streams: set[anyio.CancelScope] = set()
        self.pending: set[anyio.CancelScope] = set()

    @property
    def is_ready(self) -> bool:
        """Whether a load balancer may send new requests."""
        return self.is_started and not self.is_draining and self.has_store

    @property
    def has_shared_store(self) -> bool:
        """Whether a call may end because the shared store doesn't respond."""
        return self._store is not None

    @property
    def has_store(self) -> bool:
        """Whether the shared store answers, if there is one."""
        return self._store is None or self._store.is_ready

    @property
    def is_only_draining(self) -> bool:
        """Whether lists are still answered."""
        return self.is_draining and self.has_store and self.calls <= self.limits.calls

    @property
    def is_full(self) -> bool:
        """Whether too many connections are open. A server of another kind doesn't tell."""
        return len(self.connections) > self.limits.connections

    def watch(self, lifespan: Lifespan) -> Lifespan:
        """Return a lifespan that notes when everything has started."""

        @asynccontextmanager
        async def with_note(app: Any) -> AsyncGenerator[Any, None]:
            async with lifespan(app) as state:
                self.is_started = True
                yield state

        return with_note

    def drain(self) -> None:
        """Reject new calls from now on, and close the streams of GET. Pending calls continue."""
        self.is_draining = True
        for stream in [*self.streams]:
            stream.cancel()

    def cancel_calls(self) -> None:
        """Cancel the pending calls, because the time for draining is over."""
        for call in [*self.pending]:
            call.cancel()


class TrafficControl:
    """ASGI middleware that answers health checks and admits requests to the endpoint.

    Health checks need no authorization and no known host, because they reveal only a status.
    """

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        self._app = app
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif response := self._own_response(scope):
            await response(scope, receive, send)
        elif route_path(scope) != ENDPOINT:
            await self._app(scope, receive, send)
        elif scope["method"] == "GET":
            await self._get_stream(scope, receive, send)
        else:
            await self._post(scope, receive, send)

    def _own_response(self, scope: Scope) -> JSONResponse | PlainTextResponse | None:
        path, method = route_path(scope), scope["method"]
        if path == "/healthz" and method in _READING:
            return JSONResponse({"status": "ok"})
        if path == "/readyz" and method in _READING:
            is_ready = self._traffic.is_ready
            status = "ready" if is_ready else "not ready"
            return JSONResponse({"status": status}, 200 if is_ready else 503)
        if path != ENDPOINT:
            return None
        if method in _READING and "text/event-stream" not in header(scope, b"accept"):
            return PlainTextResponse(_EXPLANATION, 406)
        is_refused = self._traffic.is_draining and method == "GET"
        return _refusal() if is_refused or self._traffic.is_full else None

    async def _get_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream until its client leaves, or the server drains."""
        started = _Started(scope, send)
        with anyio.CancelScope() as stream:
            self._traffic.streams.add(stream)
            try:
                await self._app(scope, receive, started)
            finally:
                self._traffic.streams.discard(stream)
        if stream.cancelled_caught:
            await started.end(scope, receive, _refusal())

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose body must arrive in time."""
        traffic, is_call = self._traffic, not _is_stream(scope)
        started = _Started(scope, send, waits=traffic.has_shared_store)
        is_full = is_call and traffic.calls >= traffic.limits.calls
        is_busy = traffic.is_draining or is_full or not traffic.has_store
        traffic.calls += is_call
        body: Receive
        body = timed_body = _TimedBody(receive, traffic.limits.body)
        serving = timed_body.serving
        try:
            with serving:
                traffic.pending.add(serving)
                if is_busy:
                    messages = await _read_body(body)
                    if _is_refused(scope, messages, _WORK if traffic.is_only_draining else None):
                        await _refusal()(scope, receive, started)
                        return
                    body = _replay(messages, body)
                await self._app(scope, body, started)
        finally:
            traffic.calls -= is_call
            traffic.pending.discard(serving)
        if serving.cancelled_caught:
            await started.end(scope, receive, _late() if timed_body.is_late else _refusal())


def _late() -> PlainTextResponse:
    return PlainTextResponse("The request took too long.\n", 408, {"connection": "close"})


def _refusal() -> PlainTextResponse:
    headers = {"retry-after": "1", "connection": "close"}
    return PlainTextResponse("The server is busy; try again later.\n", 503, headers)


async def _read_body(receive: Receive) -> list[Message]:
    """Read the body of a request, of which at most the beginning is kept if it is too large."""
    messages = [await receive()]
    size = len(messages[0].get("body", b""))
    while messages[-1].get("more_body") and size <= DEFAULT_MAX_REQUEST_BODY_SIZE:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
    return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    remaining = iter(messages)

    async def replay() -> Message:
        return next(remaining, None) or await receive()

    return replay


def _is_refused(scope: Scope, messages: list[Message], methods: Container[str] | None) -> bool:
    """Return True for a request of one of these methods, or of any method if None.

    Notifications and answers to questions pass, because pending calls need them.
    """
    if scope["method"] != "POST":
        return False
    try:
        parsed: Any = json.loads(b"".join(message.get("body", b"") for message in messages))
        if methods is None:
            return bool(parsed.keys() >= {"method", "id"})
        return parsed.get("method") in methods
    except (ValueError, AttributeError):  # no message that a pending call needs
        return True


# While draining, clients may still list, because the SDK's does so after a pending call.
_WORK = (
    "initialize",
    "server/discover",
    "tools/call",
    "prompts/get",
    "resources/read",
    "completion/complete",
    "subscriptions/listen",
)


class _Started:
    """Forwards the messages of a response, and notes its start.

    With ``waits``, the start is forwarded together with the first part of the body. Until
    then, a call that needs the store can end with status 503.
    """

    def __init__(self, scope: Scope, send: Send, *, waits: bool = False) -> None:
        self._scope = scope
        self._send = send
        self._waits = waits
        self._start: Message | None = None
        self.is_started = False

    async def __call__(self, message: Message) -> None:
        if self._waits and message["type"] == "http.response.start":
            self._start = message
            return
        if self._scope.get(UNAVAILABLE) and not self.is_started:
            if not message.get("more_body"):
                await _refusal()(self._scope, _nothing, self._send)
            return
        self.is_started = True
        start, self._start = self._start, None
        if start is not None:
            await self._send(start)
        await self._send(message)

    async def end(self, scope: Scope, receive: Receive, response: PlainTextResponse) -> None:
        """End a response that was cut, or send another if it hadn't started."""
        if self.is_started:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await response(scope, receive, self._send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


class _TimedBody:
    """Receives the body of a request. If it takes too long, cancels the request."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._receive = receive
        self.serving = anyio.CancelScope()
        self.is_late = False
        self._ends = anyio.current_time() + seconds
        self._is_complete = False

    async def __call__(self) -> Message:
        if self._is_complete:
            return await self._receive()
        with anyio.move_on_after(self._ends - anyio.current_time()):
            message = await self._receive()
            self._is_complete = not message.get("more_body", False)
            return message
        self.is_late = True
        self.serving.cancel()
        await anyio.sleep_forever()
        raise AssertionError


_READING = ("GET", "HEAD")
_EXPLANATION = (
    "This is an MCP endpoint (Streamable HTTP). Connect with an MCP client, which accepts "
    "text/event-stream.\nHealth checks are at /healthz and /readyz.\n"
)


def _is_stream(scope: Scope) -> bool:
    """Return True for a request whose response stays open to notify the client.

    From 2026-07-28 on, the SDK rejects requests whose ``Mcp-Method`` differs from their body.
    """
    is_listening = header(scope, b"mcp-method") == "subscriptions/listen"
    is_checked = header(scope, b"mcp-protocol-version") >= "2026-07-28"
    return scope["method"] == "GET" or (is_listening and is_checked)
