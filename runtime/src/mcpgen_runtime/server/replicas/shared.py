"""Everything that the replicas of one server share while it serves over HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from mcp import MCPError, types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from starlette.applications import Starlette
from starlette.routing import Route

from ..asgi import ENDPOINT
from .connection import Connection
from .errors import UNAVAILABLE, StoreUnavailable
from .hub import Hub
from .session_manager import SharedSessionManager
from .shared_tasks import SharedTasks
from .shared_tools import SharedTools

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.server.transport_security import TransportSecuritySettings

    from ..availability import ToolAvailability
    from .redis_store import RedisStore


async def report_unavailable(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """End a request with status 503 if the store doesn't respond, or late with an error."""
    try:
        return await call_next(ctx)
    except StoreUnavailable as error:
        scope: dict[str, Any] = getattr(ctx.request, "scope", {})
        scope[UNAVAILABLE] = True
        raise MCPError(types.INTERNAL_ERROR, f"{error}; try again later") from None


_LIST_CHANGES: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (PromptsListChanged, ResourcesListChanged, ToolsListChanged)
}


class Shared:
    """The store, the other replicas, and the sessions of the legacy protocol.

    Args:
        settings: The settings of the store.
        server: The server.
        bus: Notifies the clients of revision 2026-07-28 that listen at this replica.
        security: The allowed hosts and origins.
        on_level: Receives the ID of a session and its minimum level of log messages.
    """

    def __init__(
        self,
        settings: RedisStore,
        server: Server[Any],
        bus: InMemorySubscriptionBus,
        security: TransportSecuritySettings,
        on_level: Callable[[str, str], None],
    ) -> None:
        self.connection = Connection(settings, server.name)
        self.hub = Hub(self.connection)
        self.sessions = SharedSessionManager(server, self.hub, security, on_level)
        self.tasks = SharedTasks(self.hub)
        self._bus = bus
        self._tools: SharedTools | None = None
        self.hub.on("event", self._receive)

    @property
    def app(self) -> Starlette:
        """The ASGI application, which starts everything with its lifespan."""
        endpoint = StreamableHTTPASGIApp(self.sessions)
        return Starlette(routes=[Route(ENDPOINT, endpoint=endpoint)], lifespan=self._lifespan)

    def share_tools(self, tools: ToolAvailability) -> None:
        """Disable and enable tools for all replicas."""
        self._tools = SharedTools(self.hub, tools.replace)
        tools.share(self._tools.change)

    async def publish(self, event: ServerEvent) -> None:
        """Notify all clients of all replicas.

        Raises:
            StoreUnavailable: Only the clients of this replica were notified.
        """
        await self._deliver(event)
        uri = event.uri if isinstance(event, ResourceUpdated) else None
        await self.hub.tell_all("event", name=type(event).__name__, uri=uri)

    async def _receive(self, message: dict[str, Any]) -> None:
        uri = message["uri"]
        event = _LIST_CHANGES[message["name"]]() if uri is None else ResourceUpdated(uri)
        await self._deliver(event)

    async def _deliver(self, event: ServerEvent) -> None:
        await self._bus.publish(event)
        await self.sessions.deliver(event)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncGenerator[None, None]:
        async with self.hub.running(), self.sessions.run():
            if self._tools is not None:
                with suppress(StoreUnavailable):  # the server isn't ready before the store is
                    await self._tools.load()
            yield
