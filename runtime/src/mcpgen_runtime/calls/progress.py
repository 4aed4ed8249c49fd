"""Passes progress on to the caller, and extends or ends the call by it."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..models.response import unrecorded
from ..tool import OnProgress

if TYPE_CHECKING:
    import anyio


@dataclass
class Progress:
    """What is told of one call's progress; ``failure`` is what the caller raised then.

    The SDK tells it in a task of its own and swallows what is raised there. So the
    call is ended in its place. ``seconds`` are what a call has left after each time.
    """

    on_progress: OnProgress | None
    seconds: float | None = None
    failure: Exception | None = None
    _scope: anyio.CancelScope | None = field(default=None, repr=False)
    _notifying: int = 0
    _all_notified: anyio.Event | None = field(default=None, repr=False)

    async def notify(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the caller of one notification."""
        import anyio

        if self._scope is None or self.failure is not None:
            return
        if self.seconds is not None:
            self._scope.deadline = anyio.current_time() + self.seconds
        if self.on_progress is None:
            return
        self._notifying += 1
        try:
            with unrecorded():
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
        """Let a scope around the call be cancelled by what the caller raises."""
        import anyio

        self._scope = scope
        try:
            yield
            # What was told before the answer is done with before the call is.
            if self._notifying:
                self._all_notified = anyio.Event()
                await self._all_notified.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self._scope = None
