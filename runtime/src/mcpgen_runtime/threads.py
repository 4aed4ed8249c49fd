"""Runs what waits, a person or a model, in daemon threads that a task waits for."""

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
"""Seconds between two looks where nothing can wake the one who waits."""


def is_async(act: Callable[..., object]) -> bool:
    """Tell what returns an awaitable, also within a decorator or as an object."""
    inner = inspect.unwrap(act)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    called: object = type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(called)


async def in_thread(act: Callable[[], T]) -> T:
    """Run it, and wait; whoever is cancelled leaves the thread alone with it.

    Neither the loop nor the interpreter's exit waits for the thread.
    """
    future: Future[Callable[[], T]] = Future()
    future.set_running_or_notify_cancel()
    context = copy_context()

    def run() -> None:
        future.set_result(context.run(_outcome, act))

    threading.Thread(target=run, name="mcp-callback", daemon=True).start()
    return (await waited(future))()


def _outcome(act: Callable[[], T]) -> Callable[[], T]:
    """Return what returns or raises the same; a future cannot hold every exception."""
    try:
        value = act()
    except BaseException as error:
        failure = error

        def fail() -> T:
            raise failure

        return fail
    return lambda: value


async def waited(future: Future[T]) -> T:
    """Wait for another thread; a future that nobody waits for is cancelled."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # of trio
        return await _polled(future)
    return await asyncio.wrap_future(future)


async def _polled(future: Future[T]) -> T:
    import anyio

    try:
        while not future.done():
            await anyio.sleep(LOOK)
    finally:
        future.cancel()
    return future.result()
