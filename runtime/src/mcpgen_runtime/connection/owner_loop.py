"""The event loop that a connection lives in, reached from any other and any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

_LOOK = 1.0
"""Seconds between two looks whether a loop that was asked is still there."""


class LoopEndedError(Exception):
    """The loop that a connection lives in has ended; ``was_asked`` before it did."""

    def __init__(self, *, was_asked: bool) -> None:
        super().__init__("the event loop that it was opened in has ended")
        self.was_asked = was_asked


class Home:
    """An event loop of asyncio, or what runs now where that is another library's.

    Tasks are started in the context of the one who connects, not of the one who calls.
    """

    def __init__(self) -> None:
        self.context = copy_context()
        try:
            self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # of trio, where calls come from its own tasks alone
            self.loop = None

    @property
    def is_here(self) -> bool:
        """Whether it is the loop that runs now."""
        return self.loop is None or self.loop is asyncio.get_running_loop()

    async def run(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run there, and wait for it here; context variables are those of here."""
        if self.loop is None or self.is_here:
            return await act()
        acting = act()
        try:
            future = asyncio.run_coroutine_threadsafe(acting, self.loop)
        except RuntimeError:
            acting.close()
            raise LoopEndedError(was_asked=False) from None
        return await self._waited(future, self.loop)

    async def _waited(self, future: Future[T], loop: asyncio.AbstractEventLoop) -> T:
        waiting = asyncio.wrap_future(future)
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=_LOOK)
                if loop.is_closed() and not future.done():
                    raise LoopEndedError(was_asked=True)
            return waiting.result()
        finally:
            waiting.cancel()
