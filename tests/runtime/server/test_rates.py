"""A rate allows at most so many calls in any window of time."""

from __future__ import annotations

from collections.abc import Hashable

import anyio
import pytest
from mcpgen_runtime.server.rates import MemoryRates, Rate


def wait(rates: MemoryRates, rate: Rate, caller: Hashable = "ada") -> float:
    return anyio.run(rates.wait, ("tool", "find", caller), rate)


def test_any_window_has_at_most_so_many_calls() -> None:
    now = [0.0]
    rates, rate = MemoryRates(lambda: now[0]), Rate(3, per=10)
    allowed: list[float] = []
    for step in range(400):
        now[0] = step / 4
        if wait(rates, rate) == 0:
            allowed.append(now[0])
    starts = [(allowed[number], allowed[number + 3]) for number in range(len(allowed) - 3)]
    assert all(later - first >= 10 for first, later in starts)
    assert len(allowed) == 30


def test_wait_is_the_time_until_the_oldest_call_leaves_the_window() -> None:
    now = [0.0]
    rates, rate = MemoryRates(lambda: now[0]), Rate(2, per=10)
    assert wait(rates, rate) == 0
    now[0] = 4
    assert [wait(rates, rate) for _ in range(2)] == [0, 6]
    now[0] = 10
    assert [wait(rates, rate) for _ in range(2)] == [0, 4]


def test_callers_have_separate_windows() -> None:
    rates, rate = MemoryRates(lambda: 0.0), Rate(1, per=10)
    assert [wait(rates, rate, caller) for caller in ("ada", "bob", "ada")] == [0, 0, 10]


def test_least_recently_used_windows_are_dropped() -> None:
    rates, rate = MemoryRates(lambda: 0.0, most=10), Rate(2, per=10)
    for caller in range(1000):
        wait(rates, rate, caller)
    assert len(rates._windows) == 10
    assert rates._size == 10
    assert wait(rates, rate, 0) == 0


@pytest.mark.parametrize("rate", [(0, 1), (1, 0), (1, -1)])
def test_rate_of_zero_is_rejected(rate: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="at least one call"):
        Rate(*rate)
