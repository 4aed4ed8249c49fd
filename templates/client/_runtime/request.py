"""Makes one request over the session there is, and says what became of it."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from .call_errors import call_error, is_forgotten
from .errors import CallTimeout, ClientError
from .home import LoopEndedError
from .session import FORGOTTEN, Session, innermost

if TYPE_CHECKING:
    import anyio
    from mcp import Client

    from .connector import Connector
    from .progress import Progress

T = TypeVar("T")


@dataclass
class Request(Generic[T]):
    """A request, and the session that it is made over; connecting is in its limit."""

    connector: Connector
    make: Callable[[Client], Awaitable[T]]
    target: str
    limit: float | None
    progress: Progress | None = None
    _session: Session | None = None

    async def answer(self) -> T:
        """Make it where the connection lives, be it in another loop, and wait."""
        connector = self.connector
        if connector.is_closed:
            raise connector.closed_error()
        if connector.home.is_here:
            return await self._answer()
        try:
            return await connector.home.run(self._answer)
        except LoopEndedError as ended:
            raise connector.ended_error(ended) from None

    async def _answer(self) -> T:
        import anyio

        # The SDK's own begins only once a request is written, which may take long.
        with anyio.move_on_after(_finite(self.limit)) as scope:
            if self.progress is None:
                return await self._answered(scope)
            async with self.progress.watch(scope):
                return await self._answered(scope)
        if self.progress is not None and self.progress.failure is not None:
            raise self.progress.failure
        raise await self._unanswered()

    async def _answered(self, scope: anyio.CancelScope) -> T:
        """Send it, and once again where it did not run as the session was forgotten."""
        try:
            return await self._sent(scope)
        except _ForgottenError:
            self._session = None
        try:
            return await self._sent(scope)
        except _ForgottenError as forgotten:
            raise forgotten.session.lost_error() from None

    async def _sent(self, scope: anyio.CancelScope) -> T:
        session = self.connector.current
        if session.lost or not session.is_ready:
            session = await self.connector.session()
        if session.lost:
            raise session.lost_error()
        self._session = session
        with session.asked(scope):
            try:
                return await self.make(session.sdk)
            except Exception as error:
                failure = innermost(error)
            if is_forgotten(failure):
                session.retire(FORGOTTEN)
        if is_forgotten(failure):
            if self.connector.can_renew:
                raise _ForgottenError(session)
            raise session.lost_error()
        if session.lost:
            await session.wait_for_end()
        raise call_error(failure, self.target, session) from None

    async def _unanswered(self) -> ClientError:
        """Say why there is no answer; a server that answers nothing at all is lost."""
        session = self._session
        if session is not None and not session.lost and self.connector.can_renew:
            from .probe import probe

            await probe(session, self.connector.start)
        if session is not None and session.lost:
            await session.wait_for_end()
            return session.lost_error(may_have_run=True)
        return CallTimeout(self.target, self.limit)


class _ForgottenError(Exception):
    def __init__(self, session: Session) -> None:
        self.session = session


def _finite(timeout: float | None) -> float | None:
    """Return a time limit as the SDK understands it, which knows no infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout
