"""How the benchmarks measure: medians of fresh interpreters, or of repeated calls."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any


def wall(command: Sequence[str], *, repeat: int, cwd: Path | None = None) -> float:
    """Return the median wall time of a command in milliseconds, after one run to warm the disk."""
    times: list[float] = []
    for attempt in range(repeat + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=cwd)
        if attempt:
            times.append((time.perf_counter() - start) * 1e3)
    return median(times)


def python(code: str, *, repeat: int, cwd: Path | None = None) -> float:
    """Return the median wall time of a fresh interpreter that runs ``code``, in milliseconds."""
    return wall([sys.executable, "-c", code], repeat=repeat, cwd=cwd)


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Call a function once; return its result and the milliseconds it took."""
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1e3
