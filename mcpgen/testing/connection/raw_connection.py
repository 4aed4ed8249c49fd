"""A connection to a live server below the SDK's parser, with access to all raw messages."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp import types
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcpgen_runtime.connection.wire import faults
from mcpgen_runtime.connection.wire.listen import Incoming
from mcpgen_runtime.connection.wire.messages import InvalidMessage, PartialMessage, Read
from mcpgen_runtime.connection.wire.pending import Pending

from mcpgen.errors import UnreachableError
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import messages
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.recording.follow_up import FollowUpRequest, Rounds
from mcpgen.servers.recording.raw_responses import ErrorAnswer
from mcpgen.servers.recording.wire import handshake, lister, transport
from mcpgen.servers.recording.wire.handshake import MODERN_REVISIONS
from mcpgen.servers.recording.wire.transcript import as_json
from mcpgen.testing.answer import INTERNAL_ERROR, Answer, Fault
from mcpgen.testing.connection.request_headers import request_headers
from mcpgen.testing.connection.unrequested import LOG, flaws_of_notification, flaws_of_request

_GREETING_LIMIT = 30.0
_COURTESY = 2.0
"""Seconds that a notification may take to be written."""
_GREETINGS = (("initialize", "InitializeResult"), ("server/discover", "DiscoverResult"))
"""The first request and the type of its result: up to 2025-11-25, and since then."""
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)


RETYPED = "a response has the ID of its request as another type"
"""The flaw of a response with a string instead of the request's number, or vice versa."""


@dataclass(slots=True)
class _Waiting:
    """A pending request."""

    event: anyio.Event
    answer: Answer | None = None

    def settle(self, answer: Answer) -> None:
        if self.answer is None:
            self.answer = answer
            self.event.set()


@dataclass(slots=True)
class RawConnection:
    """A connection, used in one event loop. It listens to its transport."""

    target: Stdio | Http
    revision: str
    log: TextIO
    schemas: dict[str, Json]
    offered: str = ""
    """The revision that the handshake offers, if it isn't the one in use."""
    is_closed: bool = False
    _number: int = 0
    _junk: str = ""
    _pending: Pending = field(default_factory=Pending)
    _waiting: dict[str | int, _Waiting] = field(default_factory=dict[str | int, _Waiting])
    _methods: dict[str | int | None, str] = field(default_factory=dict["str | int | None", str])
    _settled: dict[str | int | None, str] = field(default_factory=dict["str | int | None", str])
    _repeated: list[str] = field(default_factory=list[str])
    _flaws: list[str] = field(default_factory=list[str])
    _logged: list[str] = field(default_factory=list[str])
    _greeting: Json = None
    _process: int | None = None
    _closed: anyio.Event = field(default_factory=anyio.Event)
    _write: Any = None
    _tasks: TaskGroup | None = None

    async def hold(self, *, task_status: TaskStatus[None]) -> None:
        """Connect, and stay connected until the release."""
        is_connected = False
        try:
            async with (
                self._open_transport() as (read, self._write),
                anyio.create_task_group() as tasks,
            ):
                self._tasks = tasks
                tasks.start_soon(_drain, read)
                await self._greet()
                task_status.started()
                is_connected = True
                await self._closed.wait()
                tasks.cancel_scope.cancel()
        finally:
            self.note_end(Fault.CLOSED.value)
        if not is_connected:  # a failing SDK transport cancels the tasks inside it
            raise ConnectionError(Fault.CLOSED.value)

    def let_go(self) -> None:
        """Close the connection and everything started for it."""
        self._closed.set()

    async def answers(self, asks: Sequence[FollowUpRequest], limit: float) -> list[Answer]:
        """Send requests concurrently. Each one times out after the limit."""
        result: list[Answer] = [Answer()] * len(asks)

        async def send_one(at: int, ask: FollowUpRequest) -> None:
            result[at] = await self._answer(ask, limit)

        async with anyio.create_task_group() as tasks:
            for at, ask in enumerate(asks):
                tasks.start_soon(send_one, at, ask)
        return result

    def _open_transport(self) -> AbstractAsyncContextManager[Any]:
        if isinstance(self.target, Http):
            return transport.http(self.target, self, self._pending)
        return transport.stdio(self.target, self, self.log, self._set_process)

    async def _greet(self) -> None:
        if self._is_modern:
            answer = await self._exchange("server/discover", {}, _GREETING_LIMIT)
        else:
            value = handshake.introduction(handshake.declaration(None))
            value = {**value, "protocolVersion": self.offered or self.revision}
            answer = await self._exchange("initialize", value, _GREETING_LIMIT)
        if answer.result is None:
            problem = f"the server can't be called again: {answer.display_text()}"
            raise UnreachableError(problem, self.target.redacted_text())
        self._greeting = answer.result
        method, definition = _GREETINGS[self._is_modern]
        violations = messages.problems(self.revision, definition, answer.result)
        self._flaws += [f"{method}: {problem.reason}" for problem in violations[:1]]
        if not self._is_modern:
            await self._notify("notifications/initialized", {})

    @property
    def _is_modern(self) -> bool:
        return self.revision in MODERN_REVISIONS

    # Requests

    async def _answer(self, ask: FollowUpRequest, limit: float) -> Answer:
        """Send a request in as many rounds as the server needs, and return the final response."""
        rounds = Rounds(ask, None)
        try:
            while True:
                answer = await self._exchange(ask.method, rounds.params(), limit)
                if answer.result is None or rounds.is_over(answer.result):
                    return answer
        except ErrorAnswer as error:  # the server sent a request that this client doesn't support
            return Answer(code=error.code, message=error.message)

    async def answer_by(self, number: int | str, ask: FollowUpRequest, limit: float) -> Answer:
        """Send a request with this ID."""
        return await self._exchange(ask.method, dict(ask.params), limit, number)

    def take_repeated(self) -> list[str]:
        """Return the methods whose requests got a second response since the last time."""
        repeated, self._repeated = self._repeated, []
        return repeated

    def take_flaws(self) -> list[str]:
        """Return the violations of JSON-RPC in messages since the last call."""
        flaws, self._flaws = self._flaws, []
        return flaws

    def take_greeting(self) -> Json:
        """Return the result of the handshake, and forget it."""
        greeting, self._greeting = self._greeting, None
        return greeting

    def take_logged(self) -> list[str]:
        """Return the log messages since the last time."""
        logged, self._logged = self._logged, []
        return logged

    def _set_process(self, number: int) -> None:
        self._process = number

    def process_id(self) -> int | None:
        """Return the process ID of a server that is a command."""
        return self._process

    async def _exchange(
        self, method: str, params: dict[str, Json], limit: float, id: int | str | None = None
    ) -> Answer:
        self._number += 1
        number: int | str = self._number if id is None else id
        started = time.monotonic()
        self._methods[number] = method
        waiting = self._waiting[number] = _Waiting(anyio.Event())
        if self.is_closed:
            waiting.settle(Answer(fault=Fault.CLOSED))
        params = self._complete(params)
        named = {"params": params} if params else {}  # some servers reject null as parameters
        request = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, **named)
        with anyio.move_on_after(limit):
            if waiting.answer is None:
                try:
                    await self._send(request, method, params)
                except _GONE:
                    self.note_end(Fault.CLOSED.value)
            await waiting.event.wait()
        del self._waiting[number]
        seconds = time.monotonic() - started
        junk, self._junk = self._junk, ""
        answer = waiting.answer
        if answer is None:
            if method not in dict(_GREETINGS):
                gone = {"requestId": number, "reason": "it took too long"}
                await self._notify("notifications/cancelled", gone)
            return Answer(fault=Fault.SILENT, seconds=seconds, junk=junk)
        return replace(answer, seconds=seconds, junk=junk)

    async def _notify(self, method: str, params: dict[str, Json]) -> None:
        named = {"params": params} if params else {}
        item = types.JSONRPCNotification(jsonrpc="2.0", method=method, **named)
        with contextlib.suppress(*_GONE), anyio.move_on_after(_COURTESY):
            await self._send(item, method, params)

    async def _send(
        self,
        message: types.JSONRPCRequest | types.JSONRPCNotification,
        method: str,
        params: dict[str, Json],
    ) -> None:
        headers = request_headers(method, params, self.revision, self.schemas)
        metadata = ClientMessageMetadata(headers=headers)
        await self._write.send(SessionMessage(message, metadata=metadata))

    def _complete(self, params: dict[str, Json]) -> dict[str, Json]:
        if not self._is_modern:
            return params
        envelope = handshake.envelope(self.revision, handshake.declaration(None))
        envelope["_meta"][types.LOG_LEVEL_META_KEY] = "debug"  # otherwise nothing is logged
        return {**params, **envelope}

    # Events of the transport

    def note_sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""

    def filter_received(self, item: Incoming) -> SessionMessage | None:
        """Handle every message, so that none reaches the SDK's parser."""
        if isinstance(item, SessionMessage):
            item = self._pending.take(item) or item
        if isinstance(item, InvalidMessage):
            self._junk = self._junk or str(item).strip()
            return None
        message = item.message
        if isinstance(item, Read) and item.flaw:
            self._flaws.append(item.flaw)
        if isinstance(message, types.JSONRPCResponse):
            answer = Answer(as_json(message.result))
            if isinstance(item, PartialMessage):
                answer = Answer(fault=Fault.UNREADABLE, message=item.reason)
            self._settle(message.id, answer)
        elif isinstance(message, types.JSONRPCError):
            if message.id is None and isinstance(self.target, Stdio):
                self._flaws.append("an error without an ID, although every message was readable")
            self._settle(message.id, _error(message.error))
        elif isinstance(message, types.JSONRPCRequest):
            self._reply(message)
        else:
            self._flaws += flaws_of_notification(message, self.revision)
            if message.method == LOG:
                self._logged.append(json.dumps((message.params or {}).get("data"), default=str))
        return None

    def note_end(self, reason: str) -> None:
        """Record that no more messages will come."""
        self.is_closed = True
        for waiting in [*self._waiting.values()]:
            waiting.settle(Answer(fault=Fault.CLOSED, message="" if "closed" in reason else reason))

    def _settle(self, number: str | int | None, answer: Answer) -> None:
        if number not in self._waiting and number not in self._settled:
            other = _of_other_type(number)  # some servers respond with the number as a string
            if other in self._waiting:
                self._flaws.append(RETYPED)
                number = other
        if number in self._waiting:
            self._waiting[number].settle(answer)
            self._settled[number] = self._methods.get(number, "")
        elif number in self._settled:
            self._repeated.append(self._settled[number])

    def _reply(self, request: types.JSONRPCRequest) -> None:
        """Respond to a request of the server, without blocking the reader."""
        declared = handshake.declaration(None)
        self._flaws += flaws_of_request(request, declared)
        reply = lister.reply_to(request.method, self.revision, declared)
        kinds: Any = types.JSONRPCError if "error" in reply else types.JSONRPCResponse
        answer = kinds(jsonrpc="2.0", id=request.id, **reply)

        async def send() -> None:
            with contextlib.suppress(*_GONE):  # a closed connection can't receive responses
                await self._write.send(SessionMessage(answer))

        if self._tasks is not None and not self._tasks.cancel_scope.cancel_called:
            self._tasks.start_soon(send)


def _of_other_type(number: str | int | None) -> str | int | None:
    if isinstance(number, str):
        return int(number) if number.isdecimal() else None
    return None if number is None else str(number)


def _error(error: types.ErrorData) -> Answer:
    data: object = error.data
    if isinstance(data, faults.Unreadable):
        return Answer(fault=Fault.UNREADABLE, message=data.reason)
    if isinstance(data, faults.Broken):
        return Answer(fault=Fault.CLOSED, message=data.reason)
    if isinstance(data, faults.HttpRejection):
        code = -data.status if data.status else INTERNAL_ERROR
        return Answer(code=code, message=f"HTTP {data.status} {data.body}".strip())
    return Answer(code=error.code, message=error.message, error_data=as_json(error.data))


async def _drain(read: Any) -> None:
    """Read to the end. Relevant messages were handled earlier."""
    with contextlib.suppress(*_GONE):
        async for _ in read:
            pass
