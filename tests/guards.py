"""What ends a test that would never end, on a machine of any speed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

ENDLESS = 60.0
"""Seconds of work that are a hundred times and more what is measured."""


@contextmanager
def ending(seconds: float = ENDLESS) -> Iterator[None]:
    """Fail where the work of this process does not end; waiting for other processes is no work."""

    def fail(number: int, frame: object) -> None:
        del number, frame
        raise AssertionError(f"no end after {seconds:g} seconds of work")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
