"""An HTTP client that answers each message, whatever comes of its request.

The SDK's transports end, and cancel all that goes over them, when one request fails;
of an HTTP error they keep neither status nor headers; what their parser refuses is
lost. So they see a stub in place of each message, which is kept here meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast
from urllib.parse import urljoin, urlsplit

import httpx2
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCResponse

from . import messages
from .faults import Broken, Fault, Refused, Unreadable
from .listen import Heard, Inlet
from .messages import Junk

_STUB = "mcpgen/kept"
_SESSION = "mcp-session-id"
_LONGEST_BODY = 2**16
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_TOLD_BY_STATUS = frozenset({401, 403, 407, 429, 503})


@dataclass
class Kept:
    """Messages that have come, each until the SDK has passed on the stub for it."""

    waiting: dict[int, Heard] = field(default_factory=dict[int, Heard])
    count: int = 0

    def stub(self, item: Heard, request_id: str | int | None) -> str:
        """Keep a message; return what the SDK reads in its place."""
        self.count += 1
        self.waiting[self.count] = item
        known: dict[str, Any] = {"jsonrpc": "2.0"}
        if request_id is None:
            known |= {"method": _STUB, "params": {"number": self.count}}
        else:
            known |= {"id": request_id, "result": {_STUB: self.count}}
        return json.dumps(known)

    def take(self, item: SessionMessage) -> Heard | None:
        """Return the message that a stub stands for, ``None`` if this is no stub."""
        number: object = None
        message = item.message
        if isinstance(message, JSONRPCResponse):
            number = message.result.get(_STUB)
        elif isinstance(message, JSONRPCNotification) and message.method == _STUB:
            number = (message.params or {}).get("number")
        found = self.waiting.pop(number, None) if isinstance(number, int) else None
        if found is not None and isinstance(message, JSONRPCResponse):
            return _readdressed(found, message.id)  # which the SDK may have changed
        return found


class AnsweringClient(httpx2.AsyncClient):
    """The client that both of the SDK's HTTP transports are given.

    ``inlet`` is of the older transport, whose answers come by another way than that of
    their requests.
    """

    def __init__(
        self,
        kept: Kept,
        inlet: Inlet | None = None,
        refused: Callable[[Refused], None] | None = None,
        **options: Any,
    ) -> None:
        # As many calls as there are may be waiting, and others must still be answered.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        super().__init__(limits=limits, **options)
        self._kept = kept
        self._inlet = inlet
        self._refused = refused

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request of one of the SDK's transports, and see to its answer."""
        if request.method == "POST":
            return await self._post(request, options)
        if request.method == "DELETE":  # a frozen server must not keep us
            request.extensions["timeout"] = dict.fromkeys(_PHASES, 2.0)
        response = await super().send(request, **options)
        if request.method == "GET" and response.is_error and self._refused:
            body = await _start(response)
            self._refused(_refusal(response, body))
        if request.method == "GET" and _kind(response) == "text/event-stream":
            return self._stream(response, None)
        return response

    async def _post(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        asked: dict[str, Any] = json.loads(await request.aread())
        number = asked.get("id") if "method" in asked else None
        try:
            response = await super().send(request, **options)
        except Exception as error:  # also what an auth flow raises
            return await self._fail(request, number, _broken(error))
        if response.status_code < 400 and (self._inlet or number is None):
            return response
        if response.is_error:
            body = await _start(response)
            await response.aclose()
            if self._refused:
                self._refused(_refusal(response, body))
            return await self._error(request, response, number, body)
        if 300 <= response.status_code < 400:
            return response
        return await self._answer(request, response, cast("str | int", number))

    async def _answer(
        self, request: httpx2.Request, response: httpx2.Response, number: str | int
    ) -> httpx2.Response:
        kind = _kind(response)
        if kind == "text/event-stream":
            return self._stream(response, number)
        if kind != "application/json":
            await response.aclose()
            said = f"HTTP {response.status_code} of type {kind or 'none'}"
            return await self._fail(request, number, Unreadable(said))
        try:
            body = await _whole(response)
        except messages.TooLong as error:
            return await self._fail(request, number, Unreadable(str(error)))
        except Exception as error:  # whatever the connection raises
            return await self._fail(request, number, _broken(error))
        finally:
            await response.aclose()
        found = _readdressed(messages.read(body), number)
        if found is None:
            fault = Unreadable("it is no message of the protocol")
            return await self._fail(request, number, fault)
        return _made(request, response, self._kept.stub(found, number))

    async def _error(
        self,
        request: httpx2.Request,
        response: httpx2.Response,
        number: str | int | None,
        body: bytes,
    ) -> httpx2.Response:
        """Answer an HTTP error: with the error of JSON-RPC in it, or else as such."""
        if number is not None and response.status_code not in _TOLD_BY_STATUS:
            found = _readdressed(messages.read(body), number)
            if _is_error(found):
                if self._inlet and self._inlet.inject:
                    await self._inlet.inject(found)
                    return httpx2.Response(202, request=request)
                return _made(request, response, self._kept.stub(found, number))
        return await self._fail(request, number, _refusal(response, body))

    async def _fail(
        self, request: httpx2.Request, number: str | int | None, fault: Fault
    ) -> httpx2.Response:
        accepted = httpx2.Response(202, request=request)
        if number is None:  # nobody waits for what becomes of a notification
            return accepted
        answer = messages.failed(number, fault)
        if self._inlet and self._inlet.inject:
            await self._inlet.inject(answer)
            return accepted
        return _made(request, None, self._kept.stub(answer, number))

    def _stream(self, response: httpx2.Response, number: str | int | None) -> httpx2.Response:
        stream = _Events(response, self._kept, number, str(response.request.url))
        headers = {"content-type": "text/event-stream", **_session(response)}
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=stream,
            request=response.request,
        )


_PHASES = ("connect", "read", "write", "pool")


class _Events(httpx2.AsyncByteStream):
    """The events of a response, each with a stub in place of its message."""

    def __init__(self, response: httpx2.Response, kept: Kept, number: Any, url: str) -> None:
        self._response = response
        self._kept = kept
        self._number = number
        self._url = url

    async def __aiter__(self) -> AsyncIterator[bytes]:
        is_resumable = is_answered = False
        fault: Fault = Broken("the stream ended without an answer")
        try:
            async with aclosing(self._found()) as events:
                async for event in events:
                    is_resumable = is_resumable or bool(event.id)
                    told = self._told(event)
                    if isinstance(told, Junk):
                        fault = Unreadable("it is no message of the protocol")
                        continue
                    is_answered = is_answered or _is_answer(told)
                    yield self._text(event, told)
                    if is_answered and self._number is not None:
                        return
        except httpx2.SSEError as error:
            fault, is_resumable = Unreadable(str(error)), False
        except Exception as error:  # whatever the connection raises
            fault = _broken(error)
        if self._number is not None and not is_resumable:
            answer = messages.failed(self._number, fault)
            yield _event("message", self._kept.stub(answer, self._number))

    async def aclose(self) -> None:
        await self._response.aclose()

    async def _found(self) -> AsyncGenerator[httpx2.ServerSentEvent]:
        source = httpx2.EventSource(self._response, max_event_size=messages.MOST_BYTES)
        async for event in source:
            yield event

    def _told(self, event: httpx2.ServerSentEvent) -> Heard | None:
        if event.event != "message" or not event.data:
            return None
        found = messages.read(event.data.encode("utf-8", "surrogatepass"))
        if self._number is None:
            return found
        return _readdressed(found, self._number) or found

    def _text(self, event: httpx2.ServerSentEvent, told: Heard | None) -> bytes:
        data = event.data
        if event.event == "endpoint":
            _check_origin(self._url, data)
        elif told is not None:
            number = _number(told)
            is_ours = self._number is not None and number is not None
            data = self._kept.stub(told, self._number if is_ours else number)
        else:
            data = ""
        return _event(event.event, data, event.id, event.retry)


def _event(kind: str, data: str, name: str = "", retry: int | None = None) -> bytes:
    lines = [f"event: {kind}"]
    if name:
        lines.append(f"id: {name}")
    if retry is not None:
        lines.append(f"retry: {min(retry, _LONGEST_RETRY)}")
    return ("\n".join([*lines, f"data: {data}"]) + "\n\n").encode()


_LONGEST_RETRY = 30_000


def _check_origin(url: str, endpoint: str) -> None:
    given, named = urlsplit(url), urlsplit(urljoin(url, endpoint))
    if (given.scheme, given.netloc) != (named.scheme, named.netloc):
        raise ValueError("it names an endpoint of another server")


def _is_answer(item: Heard | None) -> bool:
    message = getattr(item, "message", None)
    return isinstance(message, JSONRPCResponse | JSONRPCError)


def _is_error(item: Heard | None) -> TypeGuard[SessionMessage]:
    return isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCError)


def _number(item: Heard) -> str | int | None:
    message = getattr(item, "message", None)
    return message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None


def _readdressed(item: Heard, number: str | int) -> Heard | None:
    """Give an answer the number of the request that it came for; HTTP knows which."""
    if isinstance(item, Junk) or not _is_answer(item):
        return None
    cast("JSONRPCError", item.message).id = number
    return item


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _session(response: httpx2.Response | None) -> dict[str, str]:
    if response is None or _SESSION not in response.headers:
        return {}
    return {_SESSION: response.headers[_SESSION]}


def _made(request: httpx2.Request, response: httpx2.Response | None, text: str) -> httpx2.Response:
    headers = {"content-type": "application/json", **_session(response)}
    return httpx2.Response(200, headers=headers, text=text, request=request)


def _broken(error: Exception) -> Broken:
    return Broken(
        str(error) or type(error).__name__,
        may_have_run=not isinstance(error, _NOT_SENT),
        cause=error,
    )


def _refusal(response: httpx2.Response, body: bytes) -> Refused:
    return Refused(
        response.status_code,
        dict(response.headers),
        body.decode("utf-8", "replace"),
        is_in_session=_SESSION in response.request.headers,
    )


async def _whole(response: httpx2.Response) -> bytes:
    chunks: list[bytes] = []
    length = 0
    async for chunk in response.aiter_bytes():
        chunks.append(chunk)
        length += len(chunk)
        if length > messages.MOST_BYTES:
            raise messages.TooLong
    return b"".join(chunks)


async def _start(response: httpx2.Response) -> bytes:
    """Return the first part of the body of an error, as far as it comes."""
    chunks: list[bytes] = []
    length = 0
    try:
        async for chunk in response.aiter_bytes():
            chunks.append(chunk)
            length += len(chunk)
            if length > _LONGEST_BODY:
                break
    except (httpx2.HTTPError, httpx2.StreamError):
        pass
    return b"".join(chunks)
