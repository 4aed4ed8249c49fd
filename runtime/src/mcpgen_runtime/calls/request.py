"""Makes one request, again where that is safe, and says what became of it."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from ..connection.call_errors import call_error, is_forgotten
from ..connection.session import FORGOTTEN, Session, innermost
from ..connection.wire.results import whole
from ..errors import CallTimeout, ClientError, ConnectionFailed, ConnectionLost, HttpError
from ..options import CallOptions

if TYPE_CHECKING:
    import anyio
    from mcp import Client

    from ..connection.session_manager import Connector
    from .progress import Progress
    from .retry import Budget

T = TypeVar("T")


@dataclass
class Tally:
    """How many calls a client has made, and how many it may still repeat."""

    calls: int = 0
    budget: Budget | None = None


@dataclass
class Request(Generic[T]):
    """A request, and the session that it is made over; connecting is in its limit.

    Prompts and resources are asked for by no tool. ``attempts`` is how often it was
    made.
    """

    connector: Connector
    make: Callable[[Client], Awaitable[T]]
    target: str
    options: CallOptions
    tally: Tally = field(default_factory=Tally, repr=False)
    is_tool: bool = False
    progress: Progress | None = None
    attempts: int = 0
    _session: Session | None = None

    async def answer(self) -> T:
        """Make it where the connection lives, be it in another loop, and wait."""
        return await self.connector.run(self._answer)

    async def _answer(self) -> T:
        import anyio

        self.tally.calls += 1
        # The SDK's own begins only once a request is written, which may take long.
        with anyio.move_on_after(finite(self.options.timeout)) as scope:
            if self.progress is None:
                return await self._tried(scope)
            async with self.progress.watch(scope):
                return await self._tried(scope)
        if self.progress is not None and self.progress.failure is not None:
            raise self.progress.failure
        raise await self._unmatched()

    async def _tried(self, scope: anyio.CancelScope) -> T:
        """Make it, and again where it failed on its way and that is safe."""
        import anyio

        while True:
            self.attempts += 1
            try:
                return await self._answered()
            except (ConnectionFailed, ConnectionLost, HttpError) as error:
                left = scope.deadline - anyio.current_time()
                seconds = self._wait_before_next(error, left)
                if seconds is None:
                    raise
            self._session = None
            await self.connector.rest(seconds)

    def _wait_before_next(self, error: ClientError, left: float) -> float | None:
        """Return the seconds to wait before the next attempt, if there is one."""
        retry, tally = self.options.retry, self.tally
        if retry is None or retry.attempts == 1 or self.connector.is_over:
            return None
        from .retry import Budget, wait_before_next

        tool = self.connector.package.tools[self.target] if self.is_tool else None
        seconds = wait_before_next(error, tool, retry, self.attempts, left=left)
        if seconds is None:
            return None
        tally.budget = tally.budget or Budget()
        return seconds if tally.budget.take(tally.calls) else None

    async def _answered(self) -> T:
        """Send it, and once again where it did not run as the session was forgotten."""
        try:
            return await self._sent()
        except _ForgottenError:
            self._session = None
        try:
            return await self._sent()
        except _ForgottenError as forgotten:
            raise forgotten.session.lost_error() from None

    async def _sent(self) -> T:
        import anyio

        session = self.connector.current
        if session.lost or not session.is_ready:
            session = await self.connector.session()
        if session.lost:
            raise session.lost_error()
        self._session = session
        failure: BaseException | None = None
        with anyio.CancelScope() as scope:
            session.asking.add(scope)
            try:
                return whole(await self._send(session.sdk))
            except Exception as error:
                failure = innermost(error)
                if is_forgotten(failure):
                    session.retire(FORGOTTEN)
            finally:
                session.answered(scope)
        if failure is None:  # it was let go, as the SDK does not tell it of the end
            if not session.lost:
                await session.ended.wait()
            raise session.lost_error(may_have_run=True)
        if is_forgotten(failure):
            if self.connector.can_renew:
                raise _ForgottenError(session)
            raise session.lost_error()
        if session.lost:
            await session.wait_for_end()
        raise call_error(failure, self.target, session) from None

    def _send(self, sdk: Client) -> Awaitable[T]:
        return self.make(sdk)

    async def _unmatched(self) -> ClientError:
        """Say why there is no answer; a server that answers nothing at all is lost."""
        session = self._session
        if session is not None and not session.lost and self.connector.can_renew:
            from ..connection.probe import probe

            await probe(session, self.connector.start)
        if session is not None and session.lost:
            await session.wait_for_end()
            return session.lost_error(may_have_run=True)
        return CallTimeout(self.target, self.options.timeout)


class _ForgottenError(Exception):
    def __init__(self, session: Session) -> None:
        self.session = session


def finite(timeout: float | None) -> float | None:
    """Return a time limit as the SDK understands it, which knows no infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout
