"""The token costs of tools for a model, and how well tools are found, on recorded servers.

MCPGEN_CORPUS names the folder of the recorded servers. agent_queries.tsv has 200 queries, each with
the tools that answer it. They were written by hand for randomly drawn tools, in a user's words. The
weights of the ranking were chosen with the queries in odd lines. Those in even lines were held out,
but the same person wrote both halves.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import timing
from mcpgen_runtime.agents import ranking
from timing import Row

from mcpgen.codegen import naming
from mcpgen.codegen.agent_files import index
from mcpgen.codegen.agent_files.budget import estimate_tokens, round_tokens
from mcpgen.codegen.agent_files.compact import compact
from mcpgen.codegen.agent_files.stubs import join_stubs, tool_stubs
from mcpgen.contract.definitions import server_name
from mcpgen.contract.document import Contract, read
from mcpgen.contract.handwritten import parse

HERE = Path(__file__).parent
CORPUS = Path(os.environ.get("MCPGEN_CORPUS", HERE.parents[1] / "shared" / "corpus"))
QUERIES = HERE / "agent_queries.tsv"
FRESH = HERE / "fresh_queries.tsv"
DEPTHS = (1, 5, 10)

# A placeholder for the packages' module, which the measurement doesn't need.


Search = Callable[[str, int], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a recorded server, with the names of its file and its package."""

    key: str
    package: str
    definition: Mapping[str, Any]
    about: str = ""


def servers() -> dict[str, Contract]:
    """Return the recorded servers by the names of their files."""
    files = sorted((CORPUS / "live").glob("*.json"))
    return {file.stem: read(parse(file.read_bytes(), file.name)) for file in files}


def tools(recorded: Mapping[str, Contract]) -> list[Tool]:
    """Return all tools of all servers."""
    return [
        Tool(
            f"{stem}/{name}",
            naming.package(server_name(contract)),
            definition,
            f"{contract.server.get('title', '')} {contract.instructions}",
        )
        for stem, contract in recorded.items()
        for name, definition in contract.tools.items()
    ]


def levels(contract: Contract) -> dict[str, str]:
    """Return the texts about a server's tools that a model may receive, by level of detail."""
    definitions = list(contract.tools.values())
    stubs = tool_stubs(contract)
    listed = index.list_tools(contract, stubs, {stub.wire: f"{stub.name}.pyi" for stub in stubs})
    return {
        "`tools/list`, all of it": _compact({"tools": definitions}),
        "its names, descriptions and input schemas": _compact(
            [_given(definition) for definition in definitions]
        ),
        "`<name>.pyi`, all of them": "".join(tool.text for tool in listed),
        "`index.pyi`": join_stubs(
            contract, compact(tool_stubs(contract, documented=False)), documented=False
        ),
        "`index.md`": "\n".join(index.markdown(listed)),
    }


def _compact(value: Any) -> str:
    """Return JSON without spaces, as APIs send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _given(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool that a model's API receives."""
    return {key: definition.get(key) for key in ("name", "description", "inputSchema")}


def counted(texts: Sequence[str], folder: Path) -> list[int]:
    """Count o200k tokens with npm's gpt-tokenizer, which is installed in a folder."""
    script = (
        'const {encode} = require("gpt-tokenizer/cjs/encoding/o200k_base");'
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(texts.map(each => encode(each).length)));"
    )
    command = ["node", "--max-old-space-size=8000", "-e", script]
    completed = subprocess.run(
        command, input=json.dumps(texts), cwd=folder, text=True, capture_output=True, check=True
    )
    return json.loads(completed.stdout)


def exact_sizes(recorded: Mapping[str, Contract], folder: Path) -> list[Row]:
    """Return the o200k tokens of each level of detail, over all servers."""
    texts = [levels(contract) for contract in recorded.values() if contract.tools]
    rows: list[Row] = []
    base = 0
    for level in texts[0]:
        tokens_of = counted([text[level] for text in texts], folder)
        if level == "its names, descriptions and input schemas":
            base = sum(tokens_of)
        rows.append(
            {
                "what a model reads": level,
                "o200k tokens": sum(tokens_of),
                "of it, %": 100 * sum(tokens_of) / base if base else 0.0,
                "median server": round(median(tokens_of)),
                "largest": max(tokens_of),
            }
        )
    return rows


def sizes(recorded: Mapping[str, Contract]) -> list[Row]:
    """Return the sizes of each level of detail: of all servers, the median one and the largest."""
    texts = [levels(contract) for contract in recorded.values() if contract.tools]
    whole = "its names, descriptions and input schemas"
    base = sum(len(text[whole]) for text in texts)
    rows: list[Row] = []
    for level in texts[0]:
        characters = [len(text[level]) for text in texts]
        about = [estimate_tokens(item[level]) for item in texts]
        rows.append(
            {
                "what a model reads": level,
                "characters": sum(characters),
                "bytes": sum(len(item[level].encode()) for item in texts),
                "of it, %": 100 * sum(characters) / base,
                "tokens, about": round_tokens(sum(about)),
                "median server": round_tokens(round(median(about))),
                "largest": round_tokens(max(about)),
            }
        )
    return rows


def five_best(recorded: Mapping[str, Contract], existing: Sequence[Tool]) -> list[Row]:
    """Return the sizes of a search's five best tools, in each level of detail."""
    texts_by_key = {
        key: texts for stem, contract in recorded.items() for key, texts in _said(stem, contract)
    }
    search = by_ranking(existing)
    hits = [[texts_by_key[existing[at].key] for at in search(query, 5)] for query, _ in queries()]
    rows: list[Row] = []
    for level, name in enumerate(("names", "signatures", "full")):
        about = sorted(sum(estimate_tokens(texts[level]) for texts in item) for item in hits)
        least, most = round_tokens(round(median(about))), round_tokens(about[-10])
        rows.append({"of five tools": name, "tokens, about, median": least, "p95": most})
    return rows


def _said(stem: str, contract: Contract) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield each tool with its line, its signature and types, and its complete text."""
    stubs = tool_stubs(contract)
    short = {stub.wire: stub.text() for stub in tool_stubs(contract, documented=False)}
    listed = index.list_tools(contract, stubs, {stub.wire: f"{stub.name}.pyi" for stub in stubs})
    for tool, line in zip(listed, index.markdown(listed), strict=True):
        yield f"{stem}/{tool.stub.wire}", (line, short[tool.stub.wire], tool.text)


def queries(path: Path = QUERIES) -> list[tuple[str, tuple[str, ...]]]:
    """Return queries, each with the tools that are right."""
    lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return [(query, tuple(keys.split(" "))) for query, keys in lines]


def by_ranking(existing: Sequence[Tool]) -> Search:
    """Search as ``search_tools`` of a package does."""
    about = {tool.package: tool.about for tool in existing}
    index = ranking.Ranking(((tool.package, tool.definition) for tool in existing), about)
    return lambda query, limit: [item for item, _ in index.search(query, limit)]


def by_names(existing: Sequence[Tool]) -> Search:
    """Search the names of tools alone."""
    named = [Tool(tool.key, tool.package, {"name": tool.definition["name"]}) for tool in existing]
    return by_ranking(named)


def without_synonyms(existing: Sequence[Tool]) -> Search:
    """Search for the words of the query alone."""
    index = by_ranking(existing)

    def search(query: str, limit: int) -> Sequence[int]:
        similar, ranking._similar = ranking._similar, dict
        try:
            return index(query, limit)
        finally:
            ranking._similar = similar

    return search


def by_counting(existing: Sequence[Tool]) -> Search:
    """Count the words of the query in a tool's text, as grep would."""
    texts = [f"{tool.package} {tool.definition}".lower() for tool in existing]

    def search(query: str, limit: int) -> Sequence[int]:
        args = set(re.findall(r"[a-z0-9]{3,}", query.lower()))
        scores = [(sum(token in text for token in args), -at) for at, text in enumerate(texts)]
        return [-at for count, at in sorted(scores, reverse=True)[:limit] if count]

    return search


WAYS = {
    "`search_tools`": by_ranking,
    "the same without synonyms": without_synonyms,
    "the same, names alone": by_names,
    "words counted, as grep does": by_counting,
}


def recalls(existing: Sequence[Tool], *, is_alone: bool = False) -> list[Row]:
    """Return how many queries find a right tool among the first few, in each half.

    ``is_alone`` searches only the tools of the wanted server, as its package does.
    """
    questions = queries()
    halves = {"chosen by": questions[::2], "held out": questions[1::2]}
    rows: list[Row] = []
    for name, way in WAYS.items():
        ranks: dict[str, list[int]] = {}
        for half, part in halves.items():
            ranks[half] = _found(existing, way, part, is_alone=is_alone)
        cells = {half: " / ".join(map(str, counts)) for half, counts in ranks.items()}
        rows.append({"found among the first 1 / 5 / 10, of 100": name, **cells})
    return rows


def _found(
    existing: Sequence[Tool],
    way: Callable[[Sequence[Tool]], Search],
    prompts: Sequence[tuple[str, tuple[str, ...]]],
    *,
    is_alone: bool,
) -> list[int]:
    indexes: dict[str, tuple[Sequence[Tool], Search]] = {}
    counts = [0] * len(DEPTHS)
    for query, item in prompts:
        server = item[0].partition("/")[0] if is_alone else ""
        if server not in indexes:
            own = [tool for tool in existing if tool.key.startswith(f"{server}/" if server else "")]
            indexes[server] = (own, way(own))
        some, search = indexes[server]
        keys = [some[at].key for at in search(query, max(DEPTHS))]
        for rank, depth in enumerate(DEPTHS):
            counts[rank] += any(key in item for key in keys[:depth])
    return counts


def misses(existing: Sequence[Tool]) -> list[Row]:
    """Return the queries whose tools aren't among the first five."""
    search = by_ranking(existing)
    rows: list[Row] = []
    for query, keys in queries():
        names = [existing[at].key for at in search(query, 5)]
        if not set(keys) & set(names):
            rows.append({"query": query, "wanted": keys[0], "first": "".join(names[:1])})
    return rows


def times(existing: Sequence[Tool]) -> Row:
    """Return the times to build the index of all tools and to search it."""
    start = time.process_time()
    search = by_ranking(existing)
    result = time.process_time()
    for query, _ in queries():
        search(query, 5)
    searched = (time.process_time() - result) / len(queries())
    return {
        "tools": len(existing),
        "index, ms": (result - start) * 1e3,
        "query, ms": searched * 1e3,
    }


def main() -> None:
    """Print the tables."""
    recorded = servers()
    existing = tools(recorded)
    print(f"{len(recorded)} servers, {len(existing):,} tools\n")
    print(timing.table(sizes(recorded)))
    if "--tokenizer" in sys.argv:
        folder = Path(sys.argv[sys.argv.index("--tokenizer") + 1])
        print("\n" + timing.table(exact_sizes(recorded, folder)))
    print()
    print(timing.table(five_best(recorded, existing)))
    print()
    print(timing.table(recalls(existing)))
    print("\nAmong the tools of the wanted server:\n")
    print(timing.table(recalls(existing, is_alone=True)))
    fresh = queries(FRESH)
    counts = [_found(existing, by_ranking, fresh, is_alone=alone) for alone in (False, True)]
    print(f"\nOf {len(fresh)} queries that were written after the weights were chosen, among the")
    print(f"first 1 / 5 / 10 of all tools: {counts[0]}, of the server's own: {counts[1]}\n")
    print(timing.table([times(existing)]))
    if "--misses" in sys.argv:
        print()
        print(timing.table(misses(existing)))


if __name__ == "__main__":
    main()
