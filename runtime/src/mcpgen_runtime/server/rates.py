"""Rate limits: a maximum number of calls in any window of time."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True)
class Rate:
    """A rate limit for each tool, prompt, resource or template, and each caller.

    Attributes:
        calls: Maximum number of calls in any window, even all at once.
        per: The length of the window in seconds.
    """

    calls: float
    per: float = 1.0

    def __post_init__(self) -> None:
        if self.calls < 1 or self.per <= 0:
            raise ValueError("a rate needs at least one call and a positive time")


RateKey: TypeAlias = "tuple[str, str, Hashable]"
"""Kind and name of the item, and the caller."""


class Rates(Protocol):
    """Counts calls by key."""

    async def wait(self, key: RateKey, rate: Rate) -> float:
        """Count a call and return 0, or return the seconds until one is allowed."""
        ...


class MemoryRates:
    """Counts the calls of this process. The least recently used keys are dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = 1_000_000) -> None:
        self._clock, self._most = clock, most
        self._windows: OrderedDict[RateKey, deque[float]] = OrderedDict()
        self._size = 0

    async def wait(self, key: RateKey, rate: Rate) -> float:
        """Count a call and return 0, or return the seconds until one is allowed."""
        now = self._clock()
        window = self._windows.pop(key, None)
        if window is None:
            window = deque[float]()
        self._windows[key] = window
        while window and window[0] <= now - rate.per:
            window.popleft()
            self._size -= 1
        if len(window) >= int(rate.calls):
            return window[0] + rate.per - now
        window.append(now)
        self._size += 1
        while self._size > self._most:
            self._size -= len(self._windows.popitem(last=False)[1])
        return 0.0
