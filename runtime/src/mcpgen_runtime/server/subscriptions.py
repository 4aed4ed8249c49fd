"""Notifications that a resource has changed, for each revision."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import anyio
from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent

_MOST = 100_000


class Change(Protocol):
    """Stores a subscription of a session, or its end."""

    async def __call__(self, session: str, uri: str, *, is_on: bool) -> None:
        """Store it for all replicas."""
        ...


class Subscriptions:
    """Subscribers of resources, if the contract declares ``subscribe``.

    Pass an instance to ``Policy``, and call :meth:`updated` after a change.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        """Notifies clients of 2026-07-28 and later."""
        self._older: OrderedDict[tuple[str, str], ServerSession] = OrderedDict()
        self._publish: Callable[[ServerEvent], Awaitable[None]] | None = None
        self._change: Change | None = None

    def share(self, publish: Callable[[ServerEvent], Awaitable[None]], change: Change) -> None:
        """Notify the subscribers of all replicas from now on."""
        self._publish, self._change = publish, change

    async def updated(self, uri: str) -> None:
        """Notify all subscribers that a resource has changed."""
        if self._publish is not None:
            await self._publish(ResourceUpdated(uri))
            return
        await self.bus.publish(ResourceUpdated(uri))
        for key, session in list(self._older.items()):
            if key[1] != uri:
                continue
            try:
                await session.send_resource_updated(uri)
            except (
                anyio.BrokenResourceError,
                anyio.ClosedResourceError,
                NoBackChannelError,
            ):
                self._older.pop(key, None)

    async def subscribe(
        self, ctx: ServerRequestContext[Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Handle ``resources/subscribe``. The least recently active sessions are dropped."""
        if self._change is not None:
            await self._change(session_of(ctx), str(params.uri), is_on=True)
            return types.EmptyResult()
        self._older[session_of(ctx), str(params.uri)] = ctx.session
        if len(self._older) > _MOST:
            self._older.popitem(last=False)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Handle ``resources/unsubscribe``."""
        if self._change is not None:
            await self._change(session_of(ctx), str(params.uri), is_on=False)
        self._older.pop((session_of(ctx), str(params.uri)), None)
        return types.EmptyResult()


def session_of(ctx: ServerRequestContext[Any]) -> str:
    """Return the ID of a client's session, or ``""`` over stdio."""
    headers: Mapping[str, str] = getattr(ctx.request, "headers", {})
    return headers.get("mcp-session-id", "")
