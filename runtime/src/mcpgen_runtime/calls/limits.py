"""Counts the calls of the last minute, to stop a runaway loop."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from ..errors import TooManyCalls
from ..package import Package

Limit: TypeAlias = int | Mapping[str, int]

_ALL = "*"
_MINUTE = 60.0


@dataclass
class CallLimits:
    """Maximum number of calls per minute, and the times of the latest calls."""

    most: Mapping[str, int]
    clock: Callable[[], float] = time.monotonic
    _lock: Lock = field(default_factory=Lock, repr=False)
    _call_times: dict[str, deque[float]] = field(default_factory=dict[str, "deque[float]"])

    @classmethod
    def from_option(cls, limit: Limit, package: Package) -> CallLimits:
        """Parse the option.

        Raises:
            ValueError: The tool doesn't exist, or the number isn't positive.
        """
        most = limit if isinstance(limit, Mapping) else {_ALL: limit}
        for name, number in most.items():
            if name != _ALL and name not in package.tools:
                raise ValueError(f"limit: the contract has no tool {name!r}")
            if type(number) is not int or number < 0:
                raise ValueError(f"limit: {number!r} isn't a number of calls")
        return cls(dict(most))

    def take(self, target: str) -> None:
        """Count a call, or raise ``TooManyCalls`` if the limit is reached."""
        now = self.clock()
        names = [name for name in (target, _ALL) if name in self.most]
        with self._lock:  # calls may come from several threads
            for name in names:
                if seconds := self._seconds_until(name, now):
                    raise TooManyCalls(target, self.most[name], seconds)
            for name in names:
                self._call_times[name].append(now)

    def _seconds_until(self, name: str, now: float) -> float:
        """Return the seconds until the next call is allowed."""
        most = self.most[name]
        call_times = self._call_times.setdefault(name, deque())
        while call_times and call_times[0] <= now - _MINUTE:
            call_times.popleft()
        if len(call_times) < most:
            return 0.0
        return call_times[0] + _MINUTE - now if call_times else math.inf
