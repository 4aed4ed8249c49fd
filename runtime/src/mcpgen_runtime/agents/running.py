"""Runs several calls of a model at once and raises the first exception."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_MAX_THREADS = 16


async def run_together(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Run calls concurrently and return their results in order.

    The first exception cancels the other calls and propagates unchanged.
    """
    import anyio

    results: dict[int, T] = {}
    errors: list[Exception] = []

    async def run(number: int) -> None:
        try:
            results[number] = await calls[number]()
        except Exception as error:
            errors.append(error)
            tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        for number in range(len(calls)):
            tasks.start_soon(run, number)
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(calls))]


def run_in_threads(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return the results of calls that run in threads, in the order of the calls."""
    if not calls:
        return []
    with ThreadPoolExecutor(min(len(calls), _MAX_THREADS)) as threads:
        pending = [threads.submit(call) for call in calls]
        return [item.result() for item in pending]
