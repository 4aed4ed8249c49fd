"""Reads server-sent events, and puts a stub in place of each message."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2

from . import messages
from .faults import Broken, Fault, Unreadable
from .listen import Incoming
from .messages import InvalidMessage
from .pending import Pending, is_answer, number_of, set_response_id

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_LONGEST_RETRY = 30_000
_BYTES = "latin-1"


class Events(httpx2.AsyncByteStream):
    """The events of a response, each with a stub in place of its message."""

    def __init__(self, response: httpx2.Response, pending: Pending, number: Any, url: str) -> None:
        self._response = response
        self._pending = pending
        self._number = number
        self._url = url

    async def __aiter__(self) -> AsyncIterator[bytes]:
        is_resumable = is_answered = False
        fault: Fault = Broken("the stream ended without an answer")
        try:
            async with aclosing(self._source()) as events:
                async for event in events:
                    is_resumable = is_resumable or bool(event.id)
                    message = self._message(event)
                    if isinstance(message, InvalidMessage):
                        fault = Unreadable("not a message of the protocol")
                        continue
                    is_answered = is_answered or is_answer(message)
                    yield self._text(event, message)
                    if is_answered and self._number is not None:
                        return
        except (httpx2.SSEError, messages.TooLong) as error:
            fault, is_resumable = Unreadable(str(error)), False
        except Exception as error:  # any error of the connection
            fault = broken(error)
        if self._number is not None and not is_resumable:
            answer = messages.error_response(self._number, fault)
            yield _event("message", self._pending.stub(answer, self._number))

    async def aclose(self) -> None:
        await self._response.aclose()

    async def _source(self) -> AsyncGenerator[httpx2.ServerSentEvent]:
        # Each byte becomes one character, so that bytes that aren't UTF-8 can be seen.
        self._response.encoding = _BYTES
        # The limit counts these characters as UTF-8, in which some take two bytes.
        limit = 2 * messages.MOST_BYTES
        source = httpx2.EventSource(self._response, max_event_size=limit)
        async for event in source:
            yield event

    def _message(self, event: httpx2.ServerSentEvent) -> Incoming | None:
        if event.event != "message" or not event.data:
            return None
        if len(event.data) > messages.MOST_BYTES:
            raise messages.TooLong
        message = messages.read(event.data.encode(_BYTES))
        if self._number is None:
            return message
        return set_response_id(message, self._number) or message

    def _text(self, event: httpx2.ServerSentEvent, message: Incoming | None) -> bytes:
        kind, data, name = (
            text.encode(_BYTES).decode("utf-8", "replace")
            for text in (event.event, event.data, event.id)
        )
        if kind == "endpoint":
            _check_origin(self._url, data)
        elif message is not None:
            number = number_of(message)
            is_ours = self._number is not None and number is not None
            data = self._pending.stub(message, self._number if is_ours else number)
        else:
            data = ""
        return _event(kind, data, name, event.retry)


def _event(kind: str, data: str, name: str = "", retry: int | None = None) -> bytes:
    lines = [f"event: {kind}"]
    if name:
        lines.append(f"id: {name}")
    if retry is not None:
        lines.append(f"retry: {min(retry, _LONGEST_RETRY)}")
    return ("\n".join([*lines, f"data: {data}"]) + "\n\n").encode()


def _check_origin(url: str, endpoint: str) -> None:
    own, other = urlsplit(url), urlsplit(urljoin(url, endpoint))
    if (own.scheme, own.netloc) != (other.scheme, other.netloc):
        raise ValueError("it names an endpoint of another server")


def broken(error: Exception) -> Broken:
    text = str(error) or type(error).__name__
    if isinstance(error, httpx2.LocalProtocolError):  # which quotes headers
        text = "the request cannot be sent: it breaks the rules of HTTP"
    return Broken(
        text,
        may_have_run=not isinstance(error, _NOT_SENT),
        cause=error,
    )
