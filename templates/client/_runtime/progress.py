"""Tells the caller of a call's progress, and what the caller raises, to the call."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .response import unrecorded
from .tool import OnProgress

if TYPE_CHECKING:
    import anyio


@dataclass
class Progress:
    """What is told of one call's progress; ``failure`` is what the caller raised then.

    The SDK tells it in a task of its own and swallows what is raised there. So the
    call is ended in its place.
    """

    on_progress: OnProgress
    failure: Exception | None = None
    _scope: anyio.CancelScope | None = field(default=None, repr=False)
    _telling: int = 0
    _told: anyio.Event | None = field(default=None, repr=False)

    async def tell(
        self, progress: float, total: float | None, message: str | None
    ) -> None:
        """Tell the caller of one notification."""
        if self._scope is None or self.failure is not None:
            return
        self._telling += 1
        try:
            with unrecorded():
                told = self.on_progress(progress, total, message)
                if inspect.isawaitable(told):
                    await told
        except Exception as error:
            self.failure = self.failure or error
            self._end()
        finally:
            self._telling -= 1
            if self._told is not None and not self._telling:
                self._told.set()

    def _end(self) -> None:
        if self._scope is not None:
            self._scope.cancel()

    @asynccontextmanager
    async def within(self, scope: anyio.CancelScope) -> AsyncGenerator[None]:
        """Let a scope around the call be cancelled by what the caller raises."""
        import anyio

        self._scope = scope
        try:
            yield
            # What was told before the answer is done with before the call is.
            if self._telling:
                self._told = anyio.Event()
                await self._told.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self._scope = None
