"""The path of a call of a fake: that of any client, up to the request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..calls.call_pipeline import Connection, Query
from ..calls.request import Request
from ..connection.owner_loop import Home
from ..connection.route import Route
from ..connection.session import Session
from ..connection.session_manager import Connector
from ..errors import TaskUnsupported
from ..options import CallOptions
from ..package import Package, Tool
from .method_targets import Found, is_asking
from .server import LABEL, FakeServer

if TYPE_CHECKING:
    from mcp.types import CallToolResult

T = TypeVar("T")


class FakeConnector(Connector):
    """Where calls find their session, in whichever event loop they are made."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server
        self.home = Home()
        self.home.loop = None
        self.is_closed = False
        self.current = _session(server)

    @property
    def package(self) -> Package:
        """What the client was generated from."""
        return self.server.package

    @property
    def can_renew(self) -> bool:
        """Whether a loss makes the next call connect anew: it loses nothing."""
        return False

    @property
    def heard(self) -> dict[str | int, Any]:
        """Who is told of the progress of tasks: a fake makes none."""
        return {}

    @property
    def events(self) -> None:
        """What the client is told of by itself."""
        return None

    @property
    def has_roots(self) -> bool:
        """Whether the server may ask for roots."""
        return False

    def reopen(self) -> None:
        """Let calls be made again."""
        if self.is_closed:
            self.is_closed, self.current = False, _session(self.server)

    async def run(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run it here."""
        if self.is_closed:
            raise self.closed_error()
        return await act()

    async def rest(self, seconds: float) -> None:
        """Make the next attempt at once: a test has no time to lose."""

    async def session(self) -> Session:
        """Return the session, which is always there until it is closed."""
        if self.is_closed:
            raise self.closed_error()
        return self.current

    def close(self) -> None:
        """Let no call be made any more, and those go that wait."""
        self.is_closed = True
        self.current.close()
        self.current.ended.set()
        self.current.release()

    async def aclose(self) -> None:
        """Close it."""
        self.close()


class FakeConnection(Connection):
    """Makes calls as any connection does; says of a method what it asks for."""

    async def call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        read: Callable[[CallToolResult], T],
        options: CallOptions,
    ) -> T:
        """Call a tool."""
        if is_asking():
            raise Found("tool", tool.name, arguments)
        return await super().call(tool, arguments, read, options)

    async def ask(self, query: Query[T], options: CallOptions) -> T:
        """Ask for a prompt or a resource."""
        if is_asking() and query.kind is not None:
            raise Found(query.kind, query.name, query.arguments)
        return await super().ask(query, options)

    async def _tool_request(
        self, tool: Tool[Any], wire: Mapping[str, Any], options: CallOptions
    ) -> Request[CallToolResult]:
        """Return a request that makes no task: what is started is answered at once."""
        request = await super()._tool_request(tool, wire, options)
        if type(request) is Request:
            return request
        support = tool.info.task_support
        if options.is_start and support == "forbidden":
            reason = "it cannot start as a task: the tool does not say that it can"
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
