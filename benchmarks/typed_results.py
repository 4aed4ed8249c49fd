"""Counts the tools with a useful result type: declared by the server, and with observed types.

Usage: python benchmarks/typed_results.py FOLDER... The folders have contracts, some with observed
files. A type with properties or items, and a number, is useful. `str` is counted separately.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from mcpgen.contract import definitions, document
from mcpgen.contract.definitions import Tool
from mcpgen.contract.document import Contract
from mcpgen.contract.observation.document import SUFFIX, observed_path
from mcpgen.contract.observation.schema_detail import tells
from mcpgen.jsontext import loads
from mcpgen.project.observed import with_observed

KINDS = ("data", "text", "nothing")


def kind(tool: Tool, *, observed: bool) -> str:
    """Return the kind of result of a tool's method."""
    if tool.output is not None and tells(tool.output.raw):
        return "data"
    if observed and tool.observed is not None:
        return "text" if tool.observed.schema is None else "data"
    return "nothing"


def count(contract: Contract) -> dict[str, Counter[str]]:
    """Count the tools by kind of result, without observed types and with them."""
    tools = definitions.tools(contract).values()
    ways = {"promised": False, "observed": True}
    return {way: Counter(kind(t, observed=is_on) for t in tools) for way, is_on in ways.items()}


def main() -> None:
    files = [file for folder in sys.argv[1:] for file in sorted(Path(folder).rglob("*.json"))]
    sums = {way: Counter[str]() for way in ("promised", "observed")}
    for file in files:
        if file.name.endswith(SUFFIX):
            continue
        contract = document.read(loads(file.read_bytes(), str(file)), str(file))
        if observed_path(file).is_file():
            content = observed_path(file).read_bytes()
            contract, _ = with_observed(contract, content, str(observed_path(file)))
        for way, counted in count(contract).items():
            sums[way] += counted
    for way, counted in sums.items():
        total = sum(counted.values()) or 1
        shares = (f"{item} {counted[item]} ({counted[item] / total:.0%})" for item in KINDS)
        print(f"{way}: {', '.join(shares)} of {total} tools")


if __name__ == "__main__":
    main()
