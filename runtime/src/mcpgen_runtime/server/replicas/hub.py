"""Messages between the replicas of a server, and their leases."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import anyio

from .connection import Connection
from .errors import StoreUnavailable

Handler: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]

_LEASE = 15
_BEAT = 1.0
_ALL = "all"
_LOG = logging.getLogger(__name__)


class Hub:
    """This replica, and its messages to the others.

    Attributes:
        replica: The ID of this replica, new in each process.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.replica = secrets.token_hex(8)
        self._handlers: dict[str, Handler] = {}
        self._beats: list[Callable[[], Awaitable[None]]] = []
        self._gaps: list[Callable[[], None]] = []

    def on(self, kind: str, handler: Handler) -> None:
        """Handle messages of a kind."""
        self._handlers[kind] = handler

    def on_beat(self, handler: Callable[[], Awaitable[None]]) -> None:
        """Call a function each second while the store responds."""
        self._beats.append(handler)

    def on_gap(self, handler: Callable[[], None]) -> None:
        """Call a function after messages may have been lost."""
        self._gaps.append(handler)

    @property
    def is_ready(self) -> bool:
        """Whether calls are accepted: the store responds, or limits are open without it."""
        connection = self.connection
        return connection.is_up or connection.settings.limits_when_down == "open"

    async def tell_all(self, kind: str, **content: Any) -> None:
        """Send a message to all other replicas."""
        message = {"kind": kind, "from": self.replica, **content}
        await self.connection.publish(_ALL, message)

    async def tell(self, replica: str, kind: str, **content: Any) -> bool:
        """Send a message to one replica. Returns False if the replica has ended."""
        message = {"kind": kind, "from": self.replica, **content}
        return await self.connection.publish(f"replica:{replica}", message) > 0

    async def is_alive(self, replica: str) -> bool:
        """Return True if a replica has renewed its lease."""
        name = self._lease(replica)
        return replica == self.replica or bool(
            await self.connection.run(lambda redis: redis.exists(name))
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Receive messages and renew the lease while the server runs."""
        with suppress(StoreUnavailable):
            await self._renew()
        async with anyio.create_task_group() as group:
            group.start_soon(self.connection.watch)
            group.start_soon(self._receive)
            group.start_soon(self._beat)
            try:
                yield
            finally:
                group.cancel_scope.cancel()
                name = self._lease(self.replica)
                with anyio.CancelScope(shield=True), suppress(StoreUnavailable):
                    await self.connection.run(lambda redis: redis.delete(name))
                await self.connection.close()

    async def _receive(self) -> None:
        channels = (_ALL, f"replica:{self.replica}")
        await self.connection.listen(channels, self._handle, self._report_gap)

    def _report_gap(self) -> None:
        for handler in self._gaps:
            handler()

    async def _handle(self, message: Mapping[str, Any]) -> None:
        handler = self._handlers.get(message.get("kind", ""))
        if handler is None or message.get("from") == self.replica:
            return
        try:
            await handler(dict(message))
        except Exception:  # one message must not end the others
            _LOG.exception("a message of another replica was not handled")

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(_BEAT)
            try:
                await self._renew()
                for handler in self._beats:
                    await handler()
            except StoreUnavailable:
                continue

    async def _renew(self) -> None:
        name = self._lease(self.replica)
        await self.connection.run(lambda redis: redis.set(name, "1", ex=_LEASE))

    def _lease(self, replica: str) -> str:
        return self.connection.key("replica", replica)
