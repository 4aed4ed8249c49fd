"""Sends a request, with safe retries and errors that describe the outcome."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from ..connection.call_errors import call_error, is_forgotten
from ..connection.session import FORGOTTEN, Session, innermost
from ..connection.wire.results import whole
from ..errors import CallTimeout, ClientError, ConnectionFailed, ConnectionLost, HttpError
from ..options import CallOptions

if TYPE_CHECKING:
    from mcp import Client

    from ..connection.session_manager import SessionManager
    from .progress import Progress
    from .retry import RetryBudget

T = TypeVar("T")


@dataclass
class CallCounter:
    """The number of calls of a client, and its budget of retries."""

    calls: int = 0
    budget: RetryBudget | None = None


@dataclass(eq=False)
class Request(Generic[T]):
    """A request and its session. The time limit includes connecting.

    Prompts and resources have no tool. ``attempts`` counts how often it was sent.
    """

    connector: SessionManager
    make: Callable[[Client], Awaitable[T]]
    target: str
    options: CallOptions
    tally: CallCounter = field(default_factory=CallCounter, repr=False)
    is_tool: bool = False
    progress: Progress | None = None
    attempts: int = 0
    _session: Session | None = None
    _scope: anyio.CancelScope | None = field(default=None, repr=False)
    _released_by: Session | None = None

    async def answer(self) -> T:
        """Send the request in the loop that owns the connection, and wait."""
        return await self.connector.run(self._answer)

    def release(self, session: Session) -> None:
        """Stop waiting for the response, because the session has ended."""
        self._released_by = session
        if self._scope is not None:
            self._scope.cancel()

    async def _answer(self) -> T:
        self.tally.calls += 1
        # The SDK's own begins only once a request is written, which may take long.
        timeout = finite(self.options.timeout)
        deadline = math.inf if timeout is None else anyio.current_time() + timeout
        while True:
            with anyio.CancelScope(deadline=deadline) as scope:
                self._scope = scope
                if self.progress is None:
                    return await self._send_with_retries(scope)
                async with self.progress.watch(scope):
                    return await self._send_with_retries(scope)
            if self.progress is not None and self.progress.failure is not None:
                raise self.progress.failure
            if self._released_by is None:
                raise await self._missing_response()
            deadline = scope.deadline

    async def _send_with_retries(self, scope: anyio.CancelScope) -> T:
        """Send the request, and retry it after a transport error if that is safe."""
        while True:
            try:
                if self._released_by is not None:
                    raise await self._released_error(self._released_by)
                self.attempts += 1
                return await self._send_or_reopen()
            except (ConnectionFailed, ConnectionLost, HttpError) as error:
                seconds_left = scope.deadline - anyio.current_time()
                seconds = self._wait_before_next(error, seconds_left)
                if seconds is None:
                    raise
            self._session = None
            await self.connector.sleep_before_retry(seconds)

    async def _released_error(self, session: Session) -> ConnectionLost:
        """Return the error for a request that the SDK leaves waiting after its session ended."""
        self._released_by = None
        if not session.lost:
            await session.ended.wait()
        return session.lost_error(may_have_run=True)

    def _wait_before_next(self, error: ClientError, seconds_left: float) -> float | None:
        """Return the seconds to wait before the next attempt, if there is one."""
        retry, tally = self.options.retry, self.tally
        if retry is None or retry.attempts == 1 or self.connector.is_over:
            return None
        from .retry import RetryBudget, wait_before_next

        tool = self.connector.package.tools[self.target] if self.is_tool else None
        seconds = wait_before_next(error, tool, retry, self.attempts, seconds_left=seconds_left)
        if seconds is None:
            return None
        tally.budget = tally.budget or RetryBudget()
        return seconds if tally.budget.take(tally.calls) else None

    async def _send_or_reopen(self) -> T:
        """Send the request, once more if the server forgot the session and didn't run it."""
        try:
            return await self._send_once()
        except _ForgottenError:
            self._session = None
        try:
            return await self._send_once()
        except _ForgottenError as forgotten:
            raise forgotten.session.lost_error() from None

    async def _send_once(self) -> T:
        session = self.connector.current
        if session.lost or not session.is_ready:
            session = await self.connector.session()
        if session.lost:
            raise session.lost_error()
        self._session = session
        session.asking.add(self)
        try:
            return whole(await self._send(session.sdk))
        except Exception as error:
            failure = innermost(error)
            if is_forgotten(failure):
                session.retire(FORGOTTEN)
        finally:
            session.remove_call(self)
        if is_forgotten(failure):
            if self.connector.can_renew:
                raise _ForgottenError(session)
            raise session.lost_error()
        if session.lost:
            await session.wait_for_end()
        raise call_error(failure, self.target, session) from None

    def _send(self, sdk: Client) -> Awaitable[T]:
        return self.make(sdk)

    async def _missing_response(self) -> ClientError:
        """Return the error for a missing response.

        A server that doesn't respond to pings is lost.
        """
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
    """Convert a time limit for the SDK, which doesn't support infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout
