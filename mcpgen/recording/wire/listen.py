"""Both directions of a transport, heard by whoever stands between it and the SDK."""

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
from .messages import Flawed, Junk, TooLong

_COURTESY = 1.0
"""Seconds that a message which nobody waits for may take to be written."""

Heard = SessionMessage | Junk | Flawed
Inject = Callable[[SessionMessage], Awaitable[None]]


class Ear(Protocol):
    """Hears what goes over a transport, and may change what the SDK is told of it."""

    def sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""
        ...

    def received(self, item: Heard) -> SessionMessage | None:
        """Return what the SDK is to be told of this, if anything."""
        ...

    def ended(self, reason: str) -> None:
        """Note that nothing will come any more."""
        ...


@dataclass
class Inlet:
    """Lets in an answer that did not come over the transport."""

    inject: Inject | None = None


@asynccontextmanager
async def listening(
    transport: AbstractAsyncContextManager[Any], ear: Ear, inlet: Inlet | None = None
) -> AsyncGenerator[tuple[Any, Any]]:
    """Open a transport whose two directions are heard."""
    send, receive = anyio.create_memory_object_stream[SessionMessage](0)
    if inlet is not None:
        inlet.inject = send.send
    with send, receive:
        async with transport as (read, write), anyio.create_task_group() as tasks:
            tasks.start_soon(_hear, read, send, ear)
            try:
                yield receive, _Writing(write, ear)
            finally:
                tasks.cancel_scope.cancel()


async def _hear(
    read: Any, send: MemoryObjectSendStream[SessionMessage], ear: Ear
) -> None:
    reason = "the server closed the connection"
    try:
        async for item in read:
            told = ear.received(_understood(item))
            if told is not None:
                await send.send(told)
    except TooLong as error:
        reason = str(error)
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        pass
    finally:
        ear.ended(reason)
        send.close()


def _understood(item: object) -> Heard:
    """Tell apart what the streams of the SDK, and of this package, carry."""
    if isinstance(item, TooLong):
        raise item
    if isinstance(item, ValidationError):
        return messages.again(item)
    if isinstance(item, SessionMessage | Junk | Flawed):
        return item
    return Junk(str(item))


@dataclass
class _Writing:
    stream: Any
    ear: Ear

    async def send(self, item: SessionMessage) -> None:
        self.ear.sent(item)
        if isinstance(item.message, JSONRPCRequest):
            await self.stream.send(item)
            return
        # The SDK tells of a call given up before it lets its caller go.
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
