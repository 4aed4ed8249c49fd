"""How long a contract takes to become a package, by number of tools and by stage."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import synthetic
import timing

from mcpgen import output
from mcpgen.api import parse
from mcpgen.contract import loads, read
from mcpgen.layout import tidy
from mcpgen.pipeline import Options, generate
from mcpgen.plan import plan
from mcpgen.render import render

Row = dict[str, Any]


def rows(sizes: list[int], *, repeat: int) -> list[Row]:
    """Measure each size: cold as a command, and warm with its split by stage."""
    return [row(size, repeat=repeat) for size in sizes]


def row(size: int, *, repeat: int) -> Row:
    """Measure one size; the stages are medians of warm runs in this process."""
    text = synthetic.contract(size).text()
    warm = [stages(text) for _ in range(max(2, repeat // (1 + size // 100)))][1:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contract.json"
        path.write_text(text)
        mcpgen = [sys.executable, "-m", "mcpgen", "client", str(path), "-o"]
        cold: list[float] = []
        for attempt in range(3):
            cold.append(timing.wall([*mcpgen, f"{folder}/out{attempt}"], repeat=1))
    parts = {name: median(run[name] for run in warm) for name in warm[0]}
    return {"tools": size, "cold": median(cold), "warm": sum(parts.values()), **parts}


def stages(text: str) -> dict[str, float]:
    """Run the pipeline stage by stage, as :func:`mcpgen.pipeline.generate` does."""
    times: dict[str, float] = {}
    contract, times["read"] = timing.timed(lambda: read(loads(text)))
    digest, hashing = timing.timed(contract.digest)
    api, parsing = timing.timed(lambda: parse(contract))
    package, times["plan"] = timing.timed(
        lambda: plan(api, name="", style="dataclass", digest=digest, pins=contract.names)
    )
    rendered, times["render"] = timing.timed(lambda: render(package, "client"))
    _, times["layout"] = timing.timed(lambda: tidy(rendered))
    _, hashing_again = timing.timed(contract.text)
    times["check"] = parsing
    times["hash"] = hashing + hashing_again
    files = generate(contract, Options()).files
    with tempfile.TemporaryDirectory() as folder:
        _, times["write"] = timing.timed(lambda: output.write(files, Path(folder) / "package"))
    return times
