"""Opens a new session if the last one was lost or never opened."""

from __future__ import annotations

import asyncio
import warnings
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ClientError, ConnectionLost
from .connect import ConnectOptions, check_options, enter
from .owner_loop import LoopEndedError, OwnerLoop
from .routing.route import Route
from .routing.routes import Target, find_route
from .session import CLOSED, Act, Connect, Session, Start

if TYPE_CHECKING:
    import anyio

    from ..package import Package
    from ..tool import OnProgress
    from .events import Events

T = TypeVar("T")

_holding: dict[asyncio.Task[Any], Session] = {}


class SessionManager:
    """Opens the sessions of a client. ``current`` is the latest."""

    def __init__(
        self,
        target: Target | None,
        options: ConnectOptions,
        start: Start,
        *,
        is_left_open: bool,
    ) -> None:
        self.home = OwnerLoop()
        self.is_closed = False
        self._target = target
        self._options = options
        self._start = start
        self._sessions: list[Session] = []
        self._resting: set[anyio.CancelScope] = set()
        self._is_left_open = is_left_open
        self.current = self._new()
        if is_left_open and self.home.loop is not None:
            drop = partial(_close_abandoned, self._sessions, self.home.loop)
            weakref.finalize(self, drop).atexit = False

    @property
    def package(self) -> Package:
        """The contract of the client."""
        return self._options.package

    @property
    def can_renew(self) -> bool:
        """Whether there can be another session after this one."""
        return self._options.sessions.reconnect and self.current.route.can_repeat

    @property
    def is_over(self) -> bool:
        """True if no more calls are possible."""
        return self.is_closed or bool(self.current.lost and not self.can_renew)

    async def run(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the loop that owns the connection, and wait for it."""
        if self.is_closed:
            raise self.closed_error()
        if self.home.is_here:
            return await act()
        try:
            return await self.home.run(act)
        except LoopEndedError as ended:
            raise self.ended_error(ended) from None

    async def sleep_before_retry(self, seconds: float) -> None:
        """Wait for the next attempt of a call, or until it is closed."""
        import anyio

        with anyio.CancelScope() as scope:
            self._resting.add(scope)
            try:
                await anyio.sleep(seconds)
            finally:
                self._resting.discard(scope)

    async def session(self) -> Session:
        """Return a connected session. Concurrent callers wait for the same one."""
        if self.is_closed:
            raise self.closed_error()
        self.current.give_up_if_late()
        if self.current.lost and self.can_renew:
            self.current = self._new()
        session = self.current
        if not session.settled.is_set():
            await session.wait_until_settled()
        if self.is_closed:
            raise self.closed_error()
        if not session.is_ready:
            from .connect_errors import not_connected

            raise not_connected(session, self._options.sessions.connect_timeout)
        return session

    @property
    def must_list_tools(self) -> bool:
        """Whether the server's tools couldn't be compared yet, because listing them failed."""
        session, drift = self.current, self.current.drift
        is_unknown = drift is not None and drift.unknown is not None
        return is_unknown and not session.lost and not self.is_closed

    async def list_tools_again(self) -> None:
        """List the server's tools after that failed, and compare them."""
        session = self.current
        from .tool_comparison import look_again

        verify, logged = self._options.verify, self._options.logged
        await self.run(partial(look_again, session, verify, logged))

    def ended_error(self, ended: LoopEndedError) -> ConnectionLost:
        """Return the error that the owning event loop has ended."""
        printed = self.current.route.last_output()
        return ConnectionLost(str(ended), printed, ended.was_asked)

    def closed_error(self) -> ConnectionLost:
        """Return the error that the client is closed."""
        return ConnectionLost(CLOSED, self.current.route.last_output(), may_have_run=False)

    def start(self, act: Act) -> None:
        """Start a background task."""
        self.home.context.run(self._start, act)

    def close(self) -> None:
        """Open no more sessions, and end the existing ones."""
        self.is_closed = True
        for session in self._sessions:
            session.close()
        for scope in self._resting:
            scope.cancel()
        if self._options.events is not None:
            self._options.events.stop()

    @property
    def task_listeners(self) -> dict[str | int, OnProgress]:
        """Callbacks by progress token, for progress of tasks."""
        return self._options.tasks.listeners if self._options.tasks else {}

    @property
    def events(self) -> Events | None:
        """The queue of notifications, or None if the client has no callbacks."""
        return self._options.events

    @property
    def has_roots(self) -> bool:
        """Whether the server may request roots."""
        return self._options.answers("roots")

    async def aclose(self) -> None:
        """Close from any task, thread or loop, and wait until everything has ended."""
        self.is_closed = True
        with suppress(LoopEndedError):
            await self.home.run(self._aclose)

    async def _aclose(self) -> None:
        self.close()
        for session in self._sessions:
            await session.ended.wait()

    def _route(self) -> Route:
        if self._options.replays:
            label = self._options.replays
            return Route(label, None, self.package, is_stream=False, is_replay=True)
        route = find_route(self._target, self._options.http, self.package)
        check_options(route, self._options)
        return route

    def _new(self) -> Session:
        """Start a session without waiting for the previous one to end."""
        try:
            route = self._route()
        except ClientError as error:  # such as a variable that is not set yet
            return Session.new_failed(error, self.package)
        session = Session.new(route, self._options.sessions.connect_timeout)
        home, start = self.home, self._start
        session.start = lambda act: home.context.run(start, act)
        self._sessions[:] = [
            open_session for open_session in self._sessions if not open_session.ended.is_set()
        ]
        self._sessions.append(session)
        run = _run_registered if self._is_left_open else Session.run
        self.start(partial(run, session, partial(enter, options=self._options)))
        return session


async def _run_registered(session: Session, connect: Connect) -> None:
    """Hold a session in a loop that may end while the session is open."""
    task = asyncio.current_task()
    assert task is not None
    _holding[task] = session
    try:
        await session.run(connect)
    except asyncio.CancelledError:
        if session.is_abandoned:
            _warn(session)
        raise
    finally:
        del _holding[task]


async def end_all() -> None:
    """End everything that the running loop holds, because it ends soon."""
    tasks = _holding.keys() & asyncio.all_tasks()
    sessions_left = [_holding[task] for task in tasks if not _holding[task].stop.is_set()]
    for session in sessions_left:
        session.close()
    if tasks:
        await asyncio.wait(tasks)
    for session in sessions_left:
        _warn(session)


def _close_abandoned(sessions: list[Session], loop: asyncio.AbstractEventLoop) -> None:
    """End abandoned sessions, from any thread."""
    sessions_left = [session for session in sessions if not session.stop.is_set()]
    if sessions_left and not loop.is_closed():
        with suppress(RuntimeError):  # it has ended meanwhile
            loop.call_soon_threadsafe(_abandon, sessions_left)


def _abandon(sessions: list[Session]) -> None:
    sessions_left = [session for session in sessions if not session.stop.is_set()]
    for session in sessions_left:
        session.close()
    if sessions_left:
        _warn(sessions_left[-1])


def _warn(session: Session) -> None:
    message = f"the connection to {session.route.label} was not closed"
    warnings.warn(message, ResourceWarning, stacklevel=2)
