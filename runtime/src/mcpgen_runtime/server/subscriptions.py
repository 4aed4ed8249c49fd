"""Tells clients that a resource has changed, in each revision's way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import anyio
from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.subscriptions import ResourceUpdated

_MOST = 100_000


class Subscriptions:
    """Who wants to know of changes of a resource, if the contract declares
    ``subscribe``.

    Make one, give it to the ``Policy``, and call :meth:`updated` where something
    changes.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        """Serves clients since 2026-07-28."""
        self._older: OrderedDict[tuple[str, str], ServerSession] = OrderedDict()

    async def updated(self, uri: str) -> None:
        """Tell all who want to know that a resource has changed."""
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
        """ToolOutput ``resources/subscribe``; the longest silent are forgotten."""
        self._older[session_of(ctx), str(params.uri)] = ctx.session
        if len(self._older) > _MOST:
            self._older.popitem(last=False)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """ToolOutput ``resources/unsubscribe``."""
        self._older.pop((session_of(ctx), str(params.uri)), None)
        return types.EmptyResult()


def session_of(ctx: ServerRequestContext[Any]) -> str:
    """Return the id of a client's session, empty where there is but one client."""
    headers: Mapping[str, str] = getattr(ctx.request, "headers", {})
    return headers.get("mcp-session-id", "")
