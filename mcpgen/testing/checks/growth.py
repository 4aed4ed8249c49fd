"""Makes equal calls again and again: time, size of the result and memory must not grow."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.testing.run_context import RunContext

CALLS = 20
_CONFIRMING = 100
_WARM_UP = 5
_MIN_RATIO = 3.0
_MIN_SECONDS = 0.05
_MIN_BYTES = 2_000
_MIN_MEMORY = 16 * 2**20
_SUSPICIOUS = 0.3
"""A part of the limits that is reason enough for more calls."""
_SUSPICIOUS_MEMORY = 0.12
"""Memory grows by each call: 14 calls add less than a sixth of what 95 do."""


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool 20 times, and 100 times if anything seems to grow."""
    first = median(lab.times.get(case.name) or [0.0])
    seconds, sizes, memory = _measure(lab, case, CALLS)
    if not seconds or not _grown(seconds, sizes, memory, first, _SUSPICIOUS):
        return []
    seconds, sizes, memory = _measure(lab, case, _CONFIRMING)
    grown = _grown(seconds, sizes, memory, first, 1.0) if seconds else ""
    return (
        [Verdict("C909", f"{grown} in {_CONFIRMING} calls", grown.partition(" ")[0])]
        if grown
        else []
    )


def _measure(lab: RunContext, case: Case, calls: int) -> tuple[list[float], list[int], list[int]]:
    """Return the seconds and the sizes of the results, and the memory before and after."""
    seconds: list[float] = []
    sizes: list[int] = []
    memory: list[int] = []
    for number in range(calls):
        answer = lab.call(case.name, case.data["arguments"])
        if not answer.is_success:
            return [], [], []
        seconds.append(answer.seconds)
        sizes.append(len(answer.comparison_key()))
        if number in (_WARM_UP, calls // 2, calls - 1):
            memory.append(lab.session.memory())
    return seconds, sizes, memory


def _grown(
    seconds: Sequence[float],
    sizes: Sequence[int],
    memory: Sequence[int],
    first: float,
    share: float,
) -> str:
    """Return which measurement grew beyond a share of its limit, or "".

    ``first`` is in seconds.
    """
    start, end = _ends(seconds)
    middle = median(seconds[len(seconds) // 3 : 2 * len(seconds) // 3])
    before = min(first, start) or start
    ratio = 1 + (_MIN_RATIO - 1) * share
    is_slower = end - before > _MIN_SECONDS * share and end > ratio * before
    if is_slower and start < middle < end:
        return f"time from {before * 1e3:.0f} to {end * 1e3:.0f} ms"
    added = sizes[-1] - sizes[_WARM_UP]
    is_sorted = sorted(sizes) == list(sizes)
    if is_sorted and added > _MIN_BYTES * share and sizes[-1] > 1.5 * sizes[_WARM_UP]:
        return f"size from {sizes[_WARM_UP]:,} to {sizes[-1]:,} characters"
    if len(memory) == 3 and 0 < memory[0] < memory[1] < memory[2]:
        halves = memory[1] - memory[0], memory[2] - memory[1]
        is_steady = min(halves) > 0.4 * max(halves)
        least = _MIN_MEMORY * (share if share == 1.0 else _SUSPICIOUS_MEMORY)
        if memory[2] - memory[0] > least and is_steady:
            return f"memory by {(memory[2] - memory[0]) / 2**20:.0f} MB"
    return ""


def _ends(seconds: Sequence[float]) -> tuple[float, float]:
    """Return the median time of the first calls after the warm-up, and of the last ones."""
    return median(seconds[_WARM_UP : _WARM_UP + 7]), median(seconds[-7:])
