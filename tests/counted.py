"""Work measured in calls of functions: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def calls(most: int) -> Iterator[None]:
    """Fail as soon as more functions are called than this, so that nothing can be endless."""
    left = most

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal left
        left -= event in ("call", "c_call")
        if left < 0:
            sys.setprofile(before)
            raise AssertionError(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
