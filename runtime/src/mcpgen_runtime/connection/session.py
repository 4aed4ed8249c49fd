"""Holds the SDK's client open in a task of its own, until it is lost or closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..abbreviate import plain
from ..errors import ClientError, ConnectionFailed, ConnectionLost

if TYPE_CHECKING:
    import anyio
    from mcp import Client

    from ..package import Package
    from .drift import Drift
    from .routing.route import Route

Connect = Callable[["Session", AsyncExitStack], "Awaitable[object]"]
Act: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
Start: TypeAlias = Callable[[Act], object]
"""Starts a task, which must not refer to the session manager."""


class ResourceUpdates(Protocol):
    """The stream of resource updates since revision 2026-07-28."""

    async def require(self, uri: str) -> None:
        """Add a resource, or raise an error if the server doesn't report its updates."""
        ...

    async def update(self) -> None:
        """Request updates of all currently subscribed resources."""
        ...


class PendingCall(Protocol):
    """A pending call."""

    def release(self, session: Session) -> None:
        """Stop waiting, because the session has ended."""
        ...


CLOSED = "the client was closed"
FORGOTTEN = "the server has forgotten the session"
SILENT = "the server does not answer"
_STDERR_GRACE = 1.0
_ABANDONED = "its event loop has ended"


def _lock() -> anyio.Lock:
    import anyio

    return anyio.Lock(fast_acquire=True)


@dataclass(eq=False)
class Session:
    """A client of the SDK from opening until it is lost or closed.

    A failure cancels the task that entered it. This is a separate task, so callers learn
    about it at their next call.
    """

    route: Route
    deadline: float
    """Time by which the session must be connected."""
    settled: anyio.Event
    """Set once it is connected, has failed, or is late."""
    stop: anyio.Event
    ended: anyio.Event
    """Set once it is disconnected."""
    lost: str = ""
    """The reason why no more calls are possible, or ``""``."""
    failure: BaseException | None = None
    is_ready: bool = False
    """Whether the session has been connected."""
    is_late: bool = False
    """Whether connecting took too long."""
    is_closed: bool = False
    """Whether the caller closed it."""
    is_abandoned: bool = False
    """Whether the session ended, or is about to end, because it could not be closed."""
    asking: set[PendingCall] = field(default_factory=set["PendingCall"])
    """The pending calls, which are released if the SDK doesn't end them."""
    probing: anyio.Event | None = None
    """Set once it is known whether the server still responds."""
    listing: anyio.Lock = field(default_factory=_lock, repr=False)
    """Held while the tools are listed. The transport's observer collects one list at a time."""
    drift: Drift | None = None
    """The differences between tools and contract, once compared."""
    news: int = 0
    """Number of change notifications from the server."""
    stream: ResourceUpdates | None = None
    """The subscription stream, since 2026-07-28."""
    start: Start = field(default=lambda _: None, repr=False)
    """Starts a task that outlives the session."""
    _sdk: Client | None = field(default=None, repr=False)

    @classmethod
    def new(cls, route: Route, limit: float) -> Session:
        """Create an unopened session that must connect within ``limit`` seconds."""
        import anyio

        deadline = anyio.current_time() + limit
        session = cls(route, deadline, anyio.Event(), anyio.Event(), anyio.Event())
        route.on_end = session.end
        route.on_close = session.release
        return session

    @classmethod
    def new_failed(cls, error: ClientError, package: Package) -> Session:
        """Create a session that failed to connect."""
        from .routing.route import Route

        label = error.server if isinstance(error, ConnectionFailed) else str(error)
        session = cls.new(Route(label, None, package), 0.0)
        session.failure = error
        session.end(reason(error))
        session.settled.set()
        session.ended.set()
        return session

    @property
    def package(self) -> Package:
        """The contract of the client."""
        return self.route.package

    @property
    def state(self) -> str:
        """Whether calls can be made, or the reason why not."""
        if self.lost in ("", CLOSED):
            return "closed" if self.lost else "open"
        return f"lost: {plain(self.lost)}"

    @property
    def sdk(self) -> Client:
        """The SDK's client."""
        if self.route.is_replay:
            raise RuntimeError("calls are replayed: there is no connection to a server")
        if self._sdk is None:
            raise self.lost_error()
        return self._sdk

    def use(self, sdk: Client) -> None:
        """Make calls by this client of the SDK."""
        self._sdk = sdk

    def lost_error(self, *, may_have_run: bool = False) -> ConnectionLost:
        """Return the error of an impossible or interrupted call."""
        message = self.lost or CLOSED
        return ConnectionLost(message, self.route.last_output(), may_have_run)

    async def wait_for_end(self) -> None:
        """Wait briefly for the last output of a process that has ended."""
        import anyio

        if self.route.stderr is not None and self.lost != SILENT:
            with anyio.move_on_after(_STDERR_GRACE):
                await self.ended.wait()

    def end(self, reason: str) -> None:
        """End the session. The first reason is kept."""
        self.lost = self.lost or reason
        self.stop.set()

    def retire(self, reason: str) -> None:
        """Accept no more calls, and end after the pending ones."""
        self.lost = self.lost or reason
        if not self.asking:
            self.stop.set()

    def close(self) -> None:
        """Disconnect on the caller's request."""
        self.is_closed = True
        self.lost = CLOSED if self.is_abandoned else self.lost
        self.end(CLOSED)

    def remove_call(self, call: PendingCall) -> None:
        """Remove a finished call."""
        self.asking.discard(call)
        if self.lost and not self.asking:
            self.stop.set()

    def release(self) -> None:
        """Cancel callers that the SDK leaves waiting to write after the end."""
        for call in list(self.asking):
            call.release(self)

    async def wait_until_settled(self) -> None:
        """Wait until connected. Stopping a process that is late takes longer than the timeout."""
        import anyio

        with anyio.CancelScope(deadline=self.deadline):
            await self.settled.wait()
        self.give_up_if_late()

    def give_up_if_late(self) -> None:
        """Treat the session as lost if it didn't connect in time."""
        import anyio

        if not self.settled.is_set() and anyio.current_time() >= self.deadline:
            self.is_late = True
            self.end("no response in time")
            self.settled.set()

    async def run(self, connect: Connect) -> None:
        """Connect in time, stay until it is dropped, disconnect."""
        import anyio

        try:
            # Lifted once connected: a scope cannot be left while the client is open.
            with anyio.CancelScope(deadline=self.deadline) as scope:
                async with AsyncExitStack() as stack:
                    await connect(self, stack)
                    scope.deadline = float("inf")
                    self.is_ready = not self.is_late
                    self.settled.set()
                    await self.stop.wait()
        except anyio.get_cancelled_exc_class():
            self.is_abandoned = not self.is_closed
            self.lost = _ABANDONED if self.is_abandoned else CLOSED
            raise
        except Exception as error:
            self.failure = error
            self.end(reason(error))
        finally:
            self.is_late = self.is_late or (not self.is_ready and self.failure is None)
            self.end(CLOSED)
            self.settled.set()
            self.ended.set()


def innermost(error: BaseException) -> BaseException:
    """Return the exception inside the groups that the SDK wraps it in."""
    while inner := getattr(error, "exceptions", None):
        error = next((e for e in inner if isinstance(innermost(e), Exception)), inner[0])
    return error


def reason(error: BaseException) -> str:
    """Summarize an exception of the SDK in a few words."""
    error = innermost(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    message = str(error)
    return (
        "the server closed the connection"
        if message == "Connection closed"
        else message or repr(error)
    )
