"""Repeats a call many times. Its time, its result and its use of resources must not grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
_MIN_HANDLES = 0.5
"""Open files and threads that each call adds."""
_SUSPICIOUS = 0.3
"""Share of the limits that justifies more calls."""
_SUSPICIOUS_MEMORY = 0.12
"""The share for memory, which grows with each call: 14 calls add less than a sixth of 95."""


@dataclass(slots=True)
class _Measured:
    """Measurements of equal calls, and of the server between them."""

    seconds: list[float] = field(default_factory=list[float])
    sizes: list[int] = field(default_factory=list[int])
    memory: list[int] = field(default_factory=list[int])
    """Bytes after the warm-up, in the middle and at the end."""
    handles: list[int] = field(default_factory=list[int])
    """Open files and threads at the same times."""


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool 20 times, and 100 times if anything seems to grow."""
    first = median(lab.times.get(case.name) or [0.0])
    measured = _measure(lab, case, CALLS)
    if measured is None or not _grown(measured, first, _SUSPICIOUS):
        return []
    measured = _measure(lab, case, _CONFIRMING)
    grown = _grown(measured, first, 1.0) if measured is not None else ""
    return (
        [Verdict("C909", f"{grown} in {_CONFIRMING} calls", grown.partition(" ")[0])]
        if grown
        else []
    )


def _measure(lab: RunContext, case: Case, calls: int) -> _Measured | None:
    """Return the measurements of ``calls`` calls, or None if one fails."""
    measured = _Measured()
    for number in range(calls):
        answer = lab.call(case.name, case.data["arguments"])
        if not answer.is_success:
            return None
        measured.seconds.append(answer.seconds)
        measured.sizes.append(len(answer.comparison_key()))
        if number in (_WARM_UP, calls // 2, calls - 1):
            measured.memory.append(lab.session.memory())
            measured.handles.append(lab.session.handles())
    return measured


def _grown(measured: _Measured, first: float, share: float) -> str:
    """Describe the measurement that grew beyond a share of its limit, or return "".

    ``first`` is in seconds.
    """
    seconds, sizes, memory = measured.seconds, measured.sizes, measured.memory
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
    least = _MIN_MEMORY * (share if share == 1.0 else _SUSPICIOUS_MEMORY)
    if _is_steady(memory) and memory[-1] - memory[0] > least:
        return f"memory by {(memory[-1] - memory[0]) / 2**20:.0f} MB"
    handles, calls = measured.handles, len(seconds) - _WARM_UP - 1
    if _is_steady(handles) and handles[-1] - handles[0] >= _MIN_HANDLES * calls:
        return f"open files and threads from {handles[0]} to {handles[-1]}"
    return ""


def _is_steady(values: Sequence[int]) -> bool:
    """Return True if a value grew evenly."""
    if not 0 < values[0] < values[1] < values[2]:
        return False
    halves = values[1] - values[0], values[2] - values[1]
    return min(halves) > 0.4 * max(halves)


def _ends(seconds: Sequence[float]) -> tuple[float, float]:
    """Return the median time of the first calls after the warm-up, and of the last ones."""
    return median(seconds[_WARM_UP : _WARM_UP + 7]), median(seconds[-7:])
