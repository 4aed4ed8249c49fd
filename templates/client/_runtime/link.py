"""One life of a connection: one task holds the SDK's client, calls come from any."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .errors import ConnectionLost

if TYPE_CHECKING:
    import anyio
    from mcp import Client

    from .target import Route

Enter = Callable[[AsyncExitStack], "Awaitable[Client]"]

CLOSED = "it is closed"
_LAST_WORDS = 1.0


@dataclass
class Link:
    """A client of the SDK, from the moment it is opened until it is lost or closed.

    What breaks within it cancels the task that entered it. That is a task of its own,
    so callers hear of it at a call, and nowhere else.
    """

    way: Route
    settled: anyio.Event
    """Set once it is connected, or failed to."""
    stop: anyio.Event
    over: anyio.Event
    """Set once it is disconnected."""
    lost: str = ""
    """Why no call can be made any more; empty as long as calls can be made."""
    failure: BaseException | None = None
    _sdk: Client | None = field(default=None, repr=False)

    @classmethod
    def new(cls, way: Route) -> Link:
        """Make one that is not open yet."""
        import anyio

        link = cls(way, anyio.Event(), anyio.Event(), anyio.Event())
        way.on_end = link.drop
        return link

    @property
    def is_ready(self) -> bool:
        """Whether it was connected, be it lost since."""
        return self._sdk is not None

    @property
    def sdk(self) -> Client:
        """The SDK's client."""
        if self._sdk is None:
            raise self.gone()
        return self._sdk

    def gone(self, *, may_have_run: bool = False) -> ConnectionLost:
        """Say that no call can be made, or ended."""
        said = self.lost or CLOSED
        return ConnectionLost(said, self.way.printed(), may_have_run)

    async def last_words(self) -> None:
        """Wait a little for what a process that has ended printed last."""
        import anyio

        if self.way.stderr is not None:
            with anyio.move_on_after(_LAST_WORDS):
                await self.over.wait()

    def drop(self, reason: str) -> None:
        """End this life; the first reason counts."""
        self.lost = self.lost or reason
        self.stop.set()

    def close(self) -> None:
        """Disconnect, as the caller asked for it."""
        self.drop(CLOSED)

    async def hold(self, enter: Enter, limit: float) -> None:
        """Connect within a time limit, stay until it is dropped, disconnect."""
        import anyio

        try:
            # Lifted once connected: a scope cannot be left while the client is open.
            with anyio.CancelScope(deadline=anyio.current_time() + limit) as scope:
                async with AsyncExitStack() as stack:
                    self._sdk = await enter(stack)
                    scope.deadline = float("inf")
                    self.settled.set()
                    await self.stop.wait()
        except Exception as error:
            self.failure = error
            self.drop(reason(error))
        finally:
            self.drop(CLOSED)
            self.settled.set()
            self.over.set()


def leaf(error: BaseException) -> BaseException:
    """Take an exception out of the groups that the SDK wraps each one in."""
    while inner := getattr(error, "exceptions", None):
        error = next((e for e in inner if isinstance(leaf(e), Exception)), inner[0])
    return error


def reason(error: BaseException) -> str:
    """Say in a few words what an exception of the SDK means."""
    error = leaf(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    said = str(error)
    return (
        "the server closed the connection"
        if said == "Connection closed"
        else said or repr(error)
    )
