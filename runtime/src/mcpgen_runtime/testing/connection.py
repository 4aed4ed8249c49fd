"""The connection of a fake, which differs from others only in the request itself."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..calls.call_pipeline import CallPipeline, ContentRequest, Read, tool_named
from ..calls.request import Request
from ..connection.owner_loop import OwnerLoop
from ..connection.routing.route import Route
from ..connection.session import Session
from ..connection.session_manager import SessionManager
from ..errors import TaskUnsupported
from ..options import CallOptions
from ..package import Package, Tool
from .method_targets import ResolvedTarget, is_asking
from .server import LABEL, FakeServer

if TYPE_CHECKING:
    from mcp.types import CallToolResult

T = TypeVar("T")


class FakeSessionManager(SessionManager):
    """Provides the session for calls in any event loop."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server
        self.home = OwnerLoop()
        self.home.loop = None
        self.is_closed = False
        self.current = _session(server)

    @property
    def package(self) -> Package:
        """The contract of the client."""
        return self.server.package

    @property
    def can_renew(self) -> bool:
        """Whether the next call reconnects after a loss. A fake loses nothing."""
        return False

    @property
    def task_listeners(self) -> dict[str | int, Any]:
        """Listeners for the progress of tasks. A fake has no tasks."""
        return {}

    @property
    def events(self) -> None:
        """Callbacks for notifications of the server."""
        return None

    @property
    def has_roots(self) -> bool:
        """Whether the server may request roots."""
        return False

    def reopen(self) -> None:
        """Allow calls again."""
        if self.is_closed:
            self.is_closed, self.current = False, _session(self.server)

    async def run(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the current loop."""
        if self.is_closed:
            raise self.closed_error()
        return await act()

    async def sleep_before_retry(self, seconds: float) -> None:
        """Make the next attempt immediately, so that tests don't wait."""

    async def session(self) -> Session:
        """Return the session, which exists until it is closed."""
        if self.is_closed:
            raise self.closed_error()
        return self.current

    def close(self) -> None:
        """Allow no more calls, and end the pending ones."""
        self.is_closed = True
        self.current.close()
        self.current.ended.set()
        self.current.release()

    async def aclose(self) -> None:
        """Close the connection."""
        self.close()


class FakeCallPipeline(CallPipeline):
    """Makes calls like any connection, or reveals the request of a method."""

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        options: CallOptions,
        read: Read | None = None,
    ) -> Any:
        """Call a tool."""
        if is_asking():
            tool_named(self.package, name)
            raise ResolvedTarget("tool", name, arguments)
        return await super().call(name, arguments, options, read)

    async def ask(self, query: ContentRequest[T], options: CallOptions) -> T:
        """Request a prompt or a resource."""
        if is_asking() and query.kind is not None:
            raise ResolvedTarget(query.kind, query.name, query.arguments)
        return await super().ask(query, options)

    async def _tool_request(
        self, tool: Tool[Any], wire: Mapping[str, Any], options: CallOptions
    ) -> Request[CallToolResult]:
        """Build a request without a task. A started task ends at once."""
        request = await super()._tool_request(tool, wire, options)
        if type(request) is Request:
            return request
        support = tool.info.task_support
        if options.is_start and support == "forbidden":
            reason = "it can't start as a task: the tool doesn't declare support for tasks"
            raise TaskUnsupported(tool.name, reason)
        plain = Request(request.connector, request.make, request.target, options)
        plain.tally, plain.progress = request.tally, request.progress
        plain.is_tool = True
        return plain


def _session(server: FakeServer) -> Session:
    import anyio

    route = Route(LABEL, None, server.package, is_stream=False, can_repeat=False)
    events = anyio.Event(), anyio.Event(), anyio.Event()
    session = Session(route, float("inf"), *events, is_ready=True)
    session.settled.set()
    session.use(cast("Any", server))
    return session
