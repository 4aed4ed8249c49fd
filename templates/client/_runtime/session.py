"""Holds the SDK's client open in a task of its own, until it is lost or closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .brief import plain
from .errors import ConnectionLost

if TYPE_CHECKING:
    import anyio
    from mcp import Client

    from .routes import Route

Connect = Callable[[AsyncExitStack], "Awaitable[Client]"]

CLOSED = "it is closed"
_LAST_WORDS = 1.0


@dataclass
class Session:
    """A client of the SDK, from the moment it is opened until it is lost or closed.

    What breaks within it cancels the task that entered it. That is a task of its own,
    so callers hear of it at a call, and nowhere else.
    """

    route: Route
    settled: anyio.Event
    """Set once it is connected, or failed to."""
    stop: anyio.Event
    ended: anyio.Event
    """Set once it is disconnected."""
    lost: str = ""
    """Why no call can be made any more; empty as long as calls can be made."""
    failure: BaseException | None = None
    _sdk: Client | None = field(default=None, repr=False)

    @classmethod
    def new(cls, route: Route) -> Session:
        """Make one that is not open yet."""
        import anyio

        session = cls(route, anyio.Event(), anyio.Event(), anyio.Event())
        route.on_end = session.end
        return session

    @property
    def is_ready(self) -> bool:
        """Whether it was connected, be it lost since."""
        return self._sdk is not None

    @property
    def state(self) -> str:
        """Whether calls can be made, and if not, why."""
        if self.lost in ("", CLOSED):
            return "closed" if self.lost else "open"
        return f"lost: {plain(self.lost)}"

    @property
    def sdk(self) -> Client:
        """The SDK's client."""
        if self._sdk is None:
            raise self.lost_error()
        return self._sdk

    def lost_error(self, *, may_have_run: bool = False) -> ConnectionLost:
        """Say that no call can be made, or ended."""
        message = self.lost or CLOSED
        return ConnectionLost(message, self.route.printed(), may_have_run)

    async def wait_for_end(self) -> None:
        """Wait a little for what a process that has ended printed last."""
        import anyio

        if self.route.stderr is not None:
            with anyio.move_on_after(_LAST_WORDS):
                await self.ended.wait()

    def end(self, reason: str) -> None:
        """End this life; the first reason counts."""
        self.lost = self.lost or reason
        self.stop.set()

    def close(self) -> None:
        """Disconnect, as the caller asked for it."""
        self.end(CLOSED)

    async def run(self, connect: Connect, limit: float) -> None:
        """Connect within a time limit, stay until it is dropped, disconnect."""
        import anyio

        try:
            # Lifted once connected: a scope cannot be left while the client is open.
            with anyio.CancelScope(deadline=anyio.current_time() + limit) as scope:
                async with AsyncExitStack() as stack:
                    self._sdk = await connect(stack)
                    scope.deadline = float("inf")
                    self.settled.set()
                    await self.stop.wait()
        except Exception as error:
            self.failure = error
            self.end(reason(error))
        finally:
            self.end(CLOSED)
            self.settled.set()
            self.ended.set()


def innermost(error: BaseException) -> BaseException:
    """Take an exception out of the groups that the SDK wraps each one in."""
    while inner := getattr(error, "exceptions", None):
        error = next(
            (e for e in inner if isinstance(innermost(e), Exception)), inner[0]
        )
    return error


def reason(error: BaseException) -> str:
    """Say in a few words what an exception of the SDK means."""
    error = innermost(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    message = str(error)
    return (
        "the server closed the connection"
        if message == "Connection closed"
        else message or repr(error)
    )
