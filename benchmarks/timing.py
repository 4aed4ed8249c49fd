"""How the benchmarks measure and report: medians of fresh interpreters or of repeated calls."""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

Row = dict[str, Any]


def repeat(what: str, default: int) -> int:
    """Return the number of measurements, from the command line of a benchmark."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--repeat", type=int, default=default, help="runs behind each median")
    number: int = parser.parse_args().repeat
    return number


def commands(named: Mapping[str, Sequence[str]], *, repeat: int, cwd: Path | None = None) -> Row:
    """Return the median wall time of each command in milliseconds. They take turns, so that a
    slower machine slows all of them. The first turn only warms the disk cache.
    """
    times: dict[str, list[float]] = {name: [] for name in named}
    for turn in range(repeat + 1):
        for name, command in named.items():
            seconds = run(command, cwd)
            if turn:
                times[name].append(seconds)
    return {name: median(values) for name, values in times.items()}


def run(command: Sequence[str], cwd: Path | None = None) -> float:
    """Run a command that must succeed, and return its wall time in milliseconds."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=cwd)
    return (time.perf_counter() - start) * 1e3


def processor() -> float:
    """Return the CPU time of all ended child processes in milliseconds, which other work hardly
    affects. On Windows it is always 0.
    """
    if sys.platform == "win32":
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def python(code: str) -> list[str]:
    """Return the command of a fresh interpreter that runs ``code``."""
    return [sys.executable, "-c", code]


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Call a function once, and return its result and its time in milliseconds."""
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1e3


async def awaited(
    named: Mapping[str, Callable[[], Awaitable[Any]]], *, rounds: int, calls: int
) -> dict[str, float]:
    """Return the median time of each call in milliseconds. The calls take turns."""
    times: dict[str, list[float]] = {name: [] for name in named}
    for turn in range(rounds + 1):
        for name, call in named.items():
            gc.collect()
            start = time.perf_counter()
            for _ in range(calls):
                await call()
            if turn:
                times[name].append((time.perf_counter() - start) * 1e3 / calls)
    return {name: median(values) for name, values in times.items()}


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table. Numbers have three significant digits."""
    titles = list(rows[0])
    cells = [titles, *([_cell(row[title]) for title in titles] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(titles))]
    numeric = [isinstance(rows[0][title], int | float) for title in titles]
    ruler = ["-" * (w - 1) + ":" if n else "-" * w for w, n in zip(widths, numeric, strict=True)]
    lines = [cells[0], ruler, *cells[1:]]
    return "\n".join(_line(line, widths, numeric) for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    parts = zip(cells, widths, numeric, strict=True)
    return "| " + " | ".join(f"{c:>{w}}" if right else f"{c:{w}}" for c, w, right in parts) + " |"
