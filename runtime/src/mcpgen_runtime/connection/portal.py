"""An event loop in a daemon thread, for synchronous clients.

At exit the interpreter waits for the thread of anyio's portal, so an unclosed client would block
it.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

_AT_EXIT = 8.0
"""Seconds for all servers to end at the interpreter's exit. Then they are killed."""

if TYPE_CHECKING:
    _Threads = set["_LoopThread"]


class Portal:
    """Runs coroutines in the loop of another thread, and waits for them."""

    def __init__(self) -> None:
        self._thread = _LoopThread()
        self._thread.start()
        weakref.finalize(self, self._thread.end).atexit = False

    def call(self, act: Callable[[], Awaitable[T]]) -> T:
        """Run a function in the loop and wait for its result, with the caller's context
        variables.
        """
        return self._thread.call(act)

    def close(self) -> None:
        """End the loop and its thread, and wait for that."""
        self._thread.end()
        if threading.current_thread() is not self._thread:
            self._thread.join()


class _LoopThread(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="mcp-client", daemon=True)
        self._loop = asyncio.new_event_loop()
        self._waited: set[Future[Any]] = set()
        self._is_ending = False

    def call(self, act: Callable[[], Awaitable[T]]) -> T:
        if threading.current_thread() is self:
            raise RuntimeError("it waits for its own thread; use the async client here")
        calling = _call_and_await(act)
        try:
            future = asyncio.run_coroutine_threadsafe(calling, self._loop)
        except RuntimeError:
            calling.close()
            raise
        self._waited.add(future)
        try:
            if self._loop.is_closed():
                future.cancel()
            return future.result()
        except CancelledError:
            if self._is_ending:
                raise RuntimeError("the loop has ended") from None
            raise
        except BaseException:
            future.cancel()
            raise
        finally:
            self._waited.discard(future)

    def end(self) -> None:
        """End the loop. May be called from any thread, also while the interpreter shuts down."""
        self._is_ending = True
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(self._loop.stop)
            except RuntimeError:  # it has ended meanwhile
                return

    def run(self) -> None:
        _alive.add(self)
        loop = self._loop
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            loop.run_until_complete(_wind_up())
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()
            for future in list(self._waited):
                future.cancel()
            _alive.discard(self)


_alive: _Threads = set()


async def _call_and_await(act: Callable[[], Awaitable[T]]) -> T:
    return await act()


async def _wind_up() -> None:
    """Close the open clients and cancel everything that still runs."""
    from .session_manager import end_all

    await end_all()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@atexit.register
def _end_all() -> None:
    """Stop the servers of all open clients, waiting only briefly."""
    threads = list(_alive)
    for thread in threads:
        thread.end()
    for thread in threads:
        thread.join(_AT_EXIT)
