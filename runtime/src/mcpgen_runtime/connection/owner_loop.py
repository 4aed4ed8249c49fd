"""The event loop that a connection lives in, reached from any other and any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

_POLL_SECONDS = 1.0
"""Seconds between two checks whether the owning loop still runs."""


class LoopEndedError(Exception):
    """The event loop of a connection has ended, ``was_asked`` after the call was sent."""

    def __init__(self, *, was_asked: bool) -> None:
        super().__init__("the event loop that it was opened in has ended")
        self.was_asked = was_asked


class OwnerLoop:
    """The asyncio event loop that owns a connection, or the running loop of another library.

    Tasks start in the context of the caller that connected.
    """

    def __init__(self) -> None:
        self.context = copy_context()
        try:
            self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # trio: only its own tasks can call
            self.loop = None

    @property
    def is_here(self) -> bool:
        """True if this loop is the running one."""
        return self.loop is None or self.loop is asyncio.get_running_loop()

    async def run(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in this loop and wait here, with the caller's context variables."""
        if self.loop is None or self.is_here:
            return await act()
        acting = act()
        try:
            future = asyncio.run_coroutine_threadsafe(acting, self.loop)
        except RuntimeError:
            acting.close()
            raise LoopEndedError(was_asked=False) from None
        return await self._wait_across_loops(future, self.loop)

    async def _wait_across_loops(self, future: Future[T], loop: asyncio.AbstractEventLoop) -> T:
        waiting = asyncio.wrap_future(future)
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=_POLL_SECONDS)
                if loop.is_closed() and not future.done():
                    raise LoopEndedError(was_asked=True)
            return waiting.result()
        finally:
            waiting.cancel()
