"""Passes messages between a transport and the SDK, and shows them to a listener."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest
from pydantic import ValidationError

from . import messages
from .messages import InvalidMessage, PartialMessage, TooLong

_COURTESY = 1.0
"""Time limit for writing a message without a waiting caller, in seconds."""

_CLOSED = "the server closed the connection"
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError)

Incoming = SessionMessage | InvalidMessage | PartialMessage
Inject = Callable[[SessionMessage], Awaitable[None]]


class Listener(Protocol):
    """Observer of a transport that can replace the messages which the SDK gets."""

    def note_sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""
        ...

    def filter_received(self, item: Incoming) -> SessionMessage | None:
        """Return the message that the SDK gets, if any."""
        ...

    def note_end(self, reason: str) -> None:
        """Note that no more messages will arrive."""
        ...


@dataclass
class Injector:
    """Passes on a response that didn't arrive over the transport."""

    inject: Inject | None = None


@asynccontextmanager
async def listening(
    transport: AbstractAsyncContextManager[Any],
    listener: Listener,
    injector: Injector | None = None,
) -> AsyncGenerator[tuple[Any, Any]]:
    """Open a transport with a listener on both directions."""
    send, receive = anyio.create_memory_object_stream[SessionMessage](0)
    if injector is not None:
        injector.inject = send.send
    with send, receive:
        async with transport as (read, write), anyio.create_task_group() as tasks:
            tasks.start_soon(_pass_on, read, send, listener)
            try:
                yield receive, _Writing(write, listener)
            finally:
                tasks.cancel_scope.cancel()


async def _pass_on(
    read: Any, send: MemoryObjectSendStream[SessionMessage], listener: Listener
) -> None:
    reason = _CLOSED
    try:
        async for item in read:
            passed = listener.filter_received(_convert_item(item))
            if passed is not None:
                await send.send(passed)
    except TooLong as error:
        reason = str(error)
    except _GONE:
        pass
    finally:
        listener.note_end(reason)
        send.close()


def _convert_item(item: object) -> Incoming:
    """Convert an item of the SDK's streams, or of ours."""
    if isinstance(item, TooLong):
        raise item
    if isinstance(item, ValidationError):
        return messages.again(item)
    if isinstance(item, SessionMessage | InvalidMessage | PartialMessage):
        return item
    return InvalidMessage(str(item))


@dataclass
class _Writing:
    stream: Any
    listener: Listener

    async def send(self, item: SessionMessage) -> None:
        self.listener.note_sent(item)
        if isinstance(item.message, JSONRPCRequest):
            try:
                await self.stream.send(item)
            except _GONE:
                # A server can use the same words as the SDK, but not after the
                # stream has ended.
                self.listener.note_end(_CLOSED)
                raise
            return
        # The SDK reports a cancelled call before it releases the caller.
        with anyio.move_on_after(_COURTESY) as scope:
            await self.stream.send(item)
        if scope.cancelled_caught:
            raise anyio.BrokenResourceError

    async def aclose(self) -> None:
        await self.stream.aclose()

    async def __aenter__(self) -> _Writing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
