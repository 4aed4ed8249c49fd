"""Ends tests that would run forever, on machines of any speed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ENDLESS = 60.0
"""Seconds of work that are a hundred times and more what is measured."""

PATIENCE = 120.0
"""Seconds to wait for another process; on a busy machine it may get little to work with."""


@contextmanager
def ending(seconds: float = ENDLESS) -> Iterator[None]:
    """Fail if this process uses too much CPU time. Waiting for other processes doesn't count."""
    with _alarm(signal.ITIMER_VIRTUAL, signal.SIGVTALRM, seconds, "of work"):
        yield


@contextmanager
def patient() -> Iterator[None]:
    """Fail if the block waits too long."""
    with _alarm(signal.ITIMER_REAL, signal.SIGALRM, PATIENCE, "of waiting"):
        yield


@contextmanager
def _alarm(timer: int, number: signal.Signals, seconds: float, of: str) -> Iterator[None]:
    def fail(_: int, __: object) -> None:
        raise AssertionError(f"no end after {seconds:g} seconds {of}")

    before = signal.signal(number, fail)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def until(what: Callable[[], object]) -> None:
    """Wait until another process has done something."""
    ends = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.05)
