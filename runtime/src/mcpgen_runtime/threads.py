"""Blocking functions in daemon threads, awaited by a task."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

LOOK = 0.05
"""Seconds between two checks if the event loop can't be woken by a thread."""


def is_async(act: Callable[..., object]) -> bool:
    """Return True for an async callable, including decorated functions and objects."""
    inner = inspect.unwrap(act)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    called: object = type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(called)


async def in_thread(act: Callable[[], T]) -> T:
    """Run a function in a thread. Cancellation abandons the thread.

    Neither the loop nor the interpreter's exit waits for it.
    """
    future: Future[Callable[[], T]] = Future()
    future.set_running_or_notify_cancel()
    context = copy_context()

    def run() -> None:
        future.set_result(context.run(_outcome, act))

    threading.Thread(target=run, name="mcp-callback", daemon=True).start()
    return (await wait_for_thread(future))()


def _outcome(act: Callable[[], T]) -> Callable[[], T]:
    """Return a function with the same outcome. A future can't hold every exception."""
    try:
        value = act()
    except BaseException as error:
        failure = error

        def fail() -> T:
            raise failure

        return fail
    return lambda: value


async def wait_for_thread(future: Future[T]) -> T:
    """Await a future of another thread. It is cancelled with this task."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # of trio
        return await _poll_future(future)
    return await asyncio.wrap_future(future)


async def _poll_future(future: Future[T]) -> T:
    import anyio

    try:
        while not future.done():
            await anyio.sleep(LOOK)
    finally:
        future.cancel()
    return future.result()
