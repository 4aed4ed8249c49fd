"""A session with a live server: requests one by one or at once, each with a limit of time.

It is below the SDK's parser, so that every answer is seen as it came; whatever the server does, an
:class:`Answer` is returned, and no process is left.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TextIO

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import encode_header_value, mcp_param_headers, x_mcp_header_map
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from mcpgen.endpoint import Http, InProcess, Stdio, python
from mcpgen.endpoint.target import Live
from mcpgen.errors import UnreachableError
from mcpgen.jsontext import Json, is_object
from mcpgen.recording import greeting, lister
from mcpgen.recording.further import Ask, Rounds
from mcpgen.recording.greeting import MODERN_REVISIONS
from mcpgen.recording.raw_answers import ErrorAnswer
from mcpgen.recording.sdk_attempt import quiet
from mcpgen.recording.stored_login import login_of
from mcpgen.recording.transcript import as_json
from mcpgen.recording.wire import faults
from mcpgen.recording.wire.http import AnsweringClient
from mcpgen.recording.wire.listen import Incoming, Injector, listening
from mcpgen.recording.wire.messages import MOST_BYTES, Flawed, Junk
from mcpgen.recording.wire.pending import Pending
from mcpgen.recording.wire.process import process
from mcpgen.testing.answer import INTERNAL_ERROR, Answer, Fault

_GREETING_LIMIT = 30.0
_CLOSING_LIMIT = 15.0
_HOST = "mcpgen.testing.host"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)


def as_command(target: Live) -> Live:
    """Return a server of a Python file as a command, as a process can be ended."""
    if not isinstance(target, InProcess):
        return target
    argv = (*python.running(_HOST), target.module, target.name)
    return Stdio(argv, argv, target.env, None, target.expanded, target.notices)


@dataclass(slots=True)
class Session:
    """A server that is asked; it is started when the first request is made, and again when gone.

    ``schemas`` are those of the arguments of tools, some of which are sent as headers, too.
    """

    target: Live
    revision: str
    log: TextIO
    schemas: dict[str, Json] = field(default_factory=dict[str, Json])
    starts: int = 0
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _portal: BlockingPortal | None = None
    _link: _Link | None = None

    def __enter__(self) -> Session:
        """Take up the thread that listens."""
        self._stack.enter_context(_silent(self.log))
        self._portal = self._stack.enter_context(start_blocking_portal())
        return self

    def __exit__(self, *_: object) -> None:
        """End the server and the thread."""
        self.close()
        self._stack.close()

    def ask(self, ask: Ask, limit: float) -> Answer:
        """Make one request."""
        return self.ask_all((ask,), limit)[0]

    def ask_all(self, asks: Sequence[Ask], limit: float) -> list[Answer]:
        """Make requests at once; each is waited for no longer than the limit."""
        link = self._connected()
        answers: list[Answer] = self._call(link.answers, asks, limit)
        if link.is_closed:
            self.close()
        return answers

    def close(self) -> None:
        """End the server; the next request starts it anew."""
        link, self._link = self._link, None
        if link is not None:
            with contextlib.suppress(Exception):  # of a transport that is gone already
                self._call(link.close)

    def _connected(self) -> _Link:
        if self._link is None:
            self.starts += 1
            link = _Link(self.target, self.revision, self.log, self.schemas)
            self._call(link.open)
            self._link = link
        return self._link

    def _call(self, function: Any, *arguments: Any) -> Any:
        assert self._portal is not None
        return self._portal.call(function, *arguments)


@contextlib.contextmanager
def _silent(log: TextIO) -> Generator[None]:
    """Have the libraries say nothing, and leave stdout to us."""
    out, err = sys.stdout, sys.stderr
    with quiet(log), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


@dataclass(slots=True)
class _Waiting:
    """A request that has no answer yet."""

    event: anyio.Event
    started: float
    answer: Answer | None = None

    def settle(self, answer: Answer) -> None:
        if self.answer is None:
            self.answer = answer
            self.event.set()


@dataclass(slots=True)
class _Link:
    """One connection, in the event loop; a task holds it open."""

    target: Live
    revision: str
    log: TextIO
    schemas: dict[str, Json]
    number: int = 0
    is_closed: bool = False
    junk: str = ""
    pending: Pending = field(default_factory=Pending)
    waiting: dict[str | int, _Waiting] = field(default_factory=dict[str | int, _Waiting])
    write: Any = None
    error: BaseException | None = None
    ready: anyio.Event | None = None
    done: anyio.Event | None = None
    over: anyio.Event | None = None
    tasks: Any = None

    # What the thread of the caller asks for

    async def open(self) -> None:
        """Connect and greet."""
        import asyncio

        self.ready, self.done, self.over = anyio.Event(), anyio.Event(), anyio.Event()
        self.tasks = asyncio.get_running_loop().create_task(self._hold())
        await self.ready.wait()
        if self.error is None:
            try:
                await self._greet()
            except BaseException:
                await self.close()
                raise
        if self.error is not None:
            raise _unreachable(self.target, str(self.error))

    async def close(self) -> None:
        """End the connection, and what was started."""
        assert self.done is not None
        assert self.over is not None
        self.done.set()
        with anyio.move_on_after(_CLOSING_LIMIT) as scope:
            await self.over.wait()
        if scope.cancelled_caught:
            self.tasks.cancel()

    async def answers(self, asks: Sequence[Ask], limit: float) -> list[Answer]:
        """Make requests at once."""
        found: list[Answer] = [Answer()] * len(asks)

        async def one(at: int, ask: Ask) -> None:
            found[at] = await self._answer(ask, limit)

        async with anyio.create_task_group() as tasks:
            for at, ask in enumerate(asks):
                tasks.start_soon(one, at, ask)
        return found

    # The connection

    async def _hold(self) -> None:
        assert self.ready is not None
        assert self.done is not None
        assert self.over is not None
        try:
            async with _opened(self) as (read, write):
                self.write = write
                self.ready.set()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_drain, read)
                    await self.done.wait()
                    tasks.cancel_scope.cancel()
        except BaseException as error:
            self.error = self.error or error
            if not isinstance(error, Exception):
                raise
        finally:
            self.ended(Fault.CLOSED.value)
            self.ready.set()
            self.over.set()

    async def _greet(self) -> None:
        declared = greeting.declaration(None)
        if self.revision in MODERN_REVISIONS:
            answer = await self._exchange("server/discover", {}, _GREETING_LIMIT)
        else:
            introduction = {**greeting.introduction(declared), "protocolVersion": self.revision}
            answer = await self._exchange("initialize", introduction, _GREETING_LIMIT)
        if answer.result is None:
            raise _unreachable(self.target, answer.shown())
        if self.revision not in MODERN_REVISIONS:
            await self._notify("notifications/initialized", {})

    # Requests

    async def _answer(self, ask: Ask, limit: float) -> Answer:
        """Ask until the server answers, in as many rounds as it needs."""
        rounds = Rounds(ask, None)
        try:
            while True:
                answer = await self._exchange(ask.method, rounds.params(), limit)
                if answer.result is None or rounds.is_over(answer.result):
                    return answer
        except ErrorAnswer as error:  # it asks for what nobody here has
            return Answer(code=error.code, message=error.message)

    async def _exchange(self, method: str, params: dict[str, Json], limit: float) -> Answer:
        self.number += 1
        number, started = self.number, time.monotonic()
        waiting = self.waiting[number] = _Waiting(anyio.Event(), started)
        if self.is_closed:
            waiting.settle(Answer(fault=Fault.CLOSED))
        params = self._complete(params)
        named = {"params": params} if params else {}  # null is no parameters to some
        request = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, **named)
        with anyio.move_on_after(limit):
            if waiting.answer is None:
                try:
                    headers = self._headers(method, params)
                    metadata = ClientMessageMetadata(headers=headers)
                    await self.write.send(SessionMessage(request, metadata=metadata))
                except _GONE:
                    self.ended(Fault.CLOSED.value)
            await waiting.event.wait()
        del self.waiting[number]
        seconds = time.monotonic() - started
        junk, self.junk = self.junk, ""
        answer = waiting.answer
        if answer is None:
            if method not in ("initialize", "server/discover"):
                gone = {"requestId": number, "reason": "it took too long"}
                await self._notify("notifications/cancelled", gone)
            return Answer(fault=Fault.SILENT, seconds=seconds, junk=junk)
        return Answer(answer.result, answer.code, answer.message, answer.fault, seconds, junk)

    async def _notify(self, method: str, params: dict[str, Json]) -> None:
        named = {"params": params} if params else {}
        item = types.JSONRPCNotification(jsonrpc="2.0", method=method, **named)
        with contextlib.suppress(*_GONE), anyio.move_on_after(2):
            headers = self._headers(method, params)
            metadata = ClientMessageMetadata(headers=headers)
            await self.write.send(SessionMessage(item, metadata=metadata))

    def _complete(self, params: dict[str, Json]) -> dict[str, Json]:
        if self.revision not in MODERN_REVISIONS:
            return params
        return {**params, **greeting.envelope(self.revision, greeting.declaration(None))}

    def _headers(self, method: str, params: dict[str, Json]) -> dict[str, str] | None:
        if method == "initialize":
            return None
        headers = {"mcp-protocol-version": self.revision}
        if self.revision not in MODERN_REVISIONS:
            return headers
        headers["mcp-method"] = method
        name = params.get(_NAMED.get(method, ""))
        if isinstance(name, str):
            headers["mcp-name"] = encode_header_value(name)
        schema, arguments = self.schemas.get(str(name)), params.get("arguments")
        if method == "tools/call" and is_object(schema) and is_object(arguments):
            with contextlib.suppress(Exception):  # of what no header can hold
                headers |= mcp_param_headers(x_mcp_header_map(schema), arguments)
        return headers

    # What the transport is listened to for

    def sent(self, item: SessionMessage) -> None:
        """See a message on its way to the server."""

    def received(self, item: Incoming) -> SessionMessage | None:
        """Take every message: nothing is left for a parser."""
        if isinstance(item, SessionMessage):
            item = self.pending.take(item) or item
        if isinstance(item, Junk):
            self.junk = self.junk or str(item).strip()
            return None
        message = item.message
        if isinstance(message, types.JSONRPCResponse):
            answer = Answer(as_json(message.result))
            if isinstance(item, Flawed):
                answer = Answer(fault=Fault.UNREADABLE, message=item.reason)
            self._settle(message.id, answer)
        elif isinstance(message, types.JSONRPCError):
            self._settle(message.id, _error(message.error))
        elif isinstance(message, types.JSONRPCRequest):
            self._reply(message)
        return None

    def ended(self, reason: str) -> None:
        """Note that nothing will come any more."""
        self.is_closed = True
        for waiting in [*self.waiting.values()]:
            waiting.settle(Answer(fault=Fault.CLOSED, message="" if "closed" in reason else reason))

    def _settle(self, number: str | int | None, answer: Answer) -> None:
        with contextlib.suppress(ValueError, TypeError):
            number = int(number)  # type: ignore[arg-type] # of None, which is suppressed
        if number in self.waiting:
            self.waiting[number].settle(answer)

    def _reply(self, request: types.JSONRPCRequest) -> None:
        import asyncio

        reply = lister.reply_to(request.method, self.revision, greeting.declaration(None))
        kinds: Any = types.JSONRPCError if "error" in reply else types.JSONRPCResponse
        answer = kinds(jsonrpc="2.0", id=request.id, **reply)

        async def send() -> None:
            with contextlib.suppress(*_GONE):
                await self.write.send(SessionMessage(answer))

        _REPLIES.add(task := asyncio.get_running_loop().create_task(send()))
        task.add_done_callback(_REPLIES.discard)


_REPLIES: set[Any] = set()
"""Tasks that nothing else holds."""


def _error(error: types.ErrorData) -> Answer:
    data: object = error.data
    if isinstance(data, faults.Unreadable):
        return Answer(fault=Fault.UNREADABLE, message=data.reason)
    if isinstance(data, faults.Broken):
        return Answer(fault=Fault.CLOSED, message=data.reason)
    if isinstance(data, faults.Refused):
        code = -data.status if data.status else INTERNAL_ERROR
        return Answer(code=code, message=f"HTTP {data.status} {data.body}".strip())
    return Answer(code=error.code, message=error.message)


async def _drain(read: Any) -> None:
    """Read until the end: what matters was taken before."""
    with contextlib.suppress(*_GONE):
        async for _ in read:
            pass


def _opened(link: _Link) -> AbstractAsyncContextManager[Any]:
    target = link.target
    if isinstance(target, Http):
        return _http(target, link)
    assert isinstance(target, Stdio)
    command = StdioServerParameters(
        command=target.argv[0], args=list(target.argv[1:]), env=dict(target.env), cwd=target.cwd
    )
    return listening(process(command, link.log), link)


@contextlib.asynccontextmanager
async def _http(target: Http, link: _Link) -> AsyncGenerator[Any]:
    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,  # noqa: ARG001 - each request has its own limit
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        more: dict[str, Any] = {"headers": headers, "auth": auth}
        return AnsweringClient(link.pending, injector, timeout=None, **more)

    injector = Injector() if target.kind == "sse" else None
    headers, auth = dict(target.headers), login_of(target)
    if injector:
        older = sse_client(target.url, headers, httpx_client_factory=client, auth=auth)
        async with listening(older, link, injector) as streams:
            yield streams
        return
    connection = client(headers, auth=auth)
    newer = streamable_http_client(
        target.url, http_client=connection, max_sse_event_size=MOST_BYTES
    )
    async with connection, listening(newer, link) as streams:
        yield streams


def _unreachable(target: Live, reason: str) -> UnreachableError:
    return UnreachableError(f"the server cannot be asked again: {reason}", target.redacted())
