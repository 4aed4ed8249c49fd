"""Passes progress on to the caller, which extends or ends the call."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..models.response import suspend_recording
from ..tool import OnProgress

if TYPE_CHECKING:
    import anyio


@dataclass
class Progress:
    """Progress of one call. ``failure`` is the exception that the caller's callback raised.

    The SDK runs the callback in its own task and swallows exceptions, so this cancels the
    call instead. Each notification extends the time limit to ``seconds``.
    """

    on_progress: OnProgress | None
    seconds: float | None = None
    failure: Exception | None = None
    _scope: anyio.CancelScope | None = field(default=None, repr=False)
    _notifying: int = 0
    _all_notified: anyio.Event | None = field(default=None, repr=False)

    async def notify(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass a notification to the caller."""
        import anyio

        if self._scope is None or self.failure is not None:
            return
        if self.seconds is not None:
            self._scope.deadline = anyio.current_time() + self.seconds
        if self.on_progress is None:
            return
        self._notifying += 1
        try:
            with suspend_recording():
                waiting = self.on_progress(progress, total, message)
                if inspect.isawaitable(waiting):
                    await waiting
        except Exception as error:
            if self.failure is None:
                self.failure = error
            self._end()
        finally:
            self._notifying -= 1
            if self._all_notified is not None and not self._notifying:
                self._all_notified.set()

    def _end(self) -> None:
        if self._scope is not None:
            self._scope.cancel()

    @asynccontextmanager
    async def watch(self, scope: anyio.CancelScope) -> AsyncGenerator[None]:
        """Cancel a scope around the call if the callback raises."""
        import anyio

        self._scope = scope
        try:
            yield
            # Notifications that arrived before the response are delivered before the
            # call returns.
            if self._notifying:
                self._all_notified = anyio.Event()
                await self._all_notified.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self._scope = None
