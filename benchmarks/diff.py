"""Measures `mcpgen diff` by number of tools, with no change, one changed tool, and all changed."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import synthetic
import timing
from timing import Row

SIZES = (100, 1000, 10_000)


def compared(size: int, repeat: int) -> Row:
    """Return the wall times of the command in seconds. The JSON reports aren't read."""
    old, new = synthetic.contract(size), synthetic.changed(size)
    first = next(iter(old.tools))
    recorded_contract = replace(old, tools={**old.tools, first: new.tools[first]})
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        contracts = {"old": old, "nothing": old, "one tool": recorded_contract, "every tool": new}
        for name, contract in contracts.items():
            (target / f"{name}.json").write_text(contract.text(), encoding="utf-8")
        mcpgen = [sys.executable, "-m", "mcpgen", "diff", "old.json"]
        never = ["--format", "json", "--fail-on", "none"]
        ways = {name: [*mcpgen, f"{name}.json", *never] for name in [*contracts][1:]}
        row = timing.commands(ways, repeat=max(1, repeat // (1 + size // 1000)), cwd=target)
    return {"tools": size, **{f"{name}, s": ms / 1e3 for name, ms in row.items()}}


def main() -> None:
    """Print the table."""
    repeat = timing.repeat(__doc__ or "", 7)
    print(timing.table([compared(size, repeat) for size in SIZES]))


if __name__ == "__main__":
    main()
