"""Notifications that a resource or the list of tools has changed, for each revision."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import anyio
from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.streamable_http_manager import DEFAULT_MAX_SESSIONS
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent, ToolsListChanged

from .context import MODERN

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
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self._publish: Callable[[ServerEvent], Awaitable[None]] | None = None
        self._change: Change | None = None

    def share(self, publish: Callable[[ServerEvent], Awaitable[None]], change: Change) -> None:
        """Notify the subscribers of all replicas from now on."""
        self._publish, self._change = publish, change

    async def updated(self, uri: str) -> None:
        """Notify all subscribers that a resource has changed."""
        if await self._is_published(ResourceUpdated(uri)):
            return
        for key, session in list(self._older.items()):
            if key[1] == uri and not await _is_sent(session.send_resource_updated(uri)):
                self._older.pop(key, None)

    async def notify_tools_changed(self) -> None:
        """Notify all clients that the list of tools has changed."""
        if await self._is_published(ToolsListChanged()):
            return
        for key, session in list(self._sessions.items()):
            if not await _is_sent(session.send_tool_list_changed()):
                self._sessions.pop(key, None)

    async def note_session(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Note the session of a client before 2026-07-28, which doesn't ask for changes of lists.

        The least recently active sessions are dropped.
        """
        is_legacy = ctx.protocol_version < MODERN and ctx.method != "initialize"
        if is_legacy and self._publish is None:  # replicas find the sessions themselves
            key = session_of(ctx)
            self._sessions[key] = ctx.session
            self._sessions.move_to_end(key)
            if len(self._sessions) > DEFAULT_MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return await call_next(ctx)

    async def _is_published(self, event: ServerEvent) -> bool:
        """Notify the clients since 2026-07-28. Returns True if the replicas notify all others."""
        if self._publish is not None:
            await self._publish(event)
            return True
        await self.bus.publish(event)
        return False

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


async def _is_sent(sending: Awaitable[None]) -> bool:
    """Return True if a notification could be sent, or False if its session has ended."""
    try:
        await sending
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, NoBackChannelError):
        return False
    return True


def session_of(ctx: ServerRequestContext[Any]) -> str:
    """Return the ID of a client's session, or ``""`` over stdio."""
    headers: Mapping[str, str] = getattr(ctx.request, "headers", {})
    return headers.get("mcp-session-id", "")
