"""The search index: one short JSON line per tool."""

from __future__ import annotations

import json

from agent_files import files, lines, tools

from mcpgen.codegen.agent_files.index import MOST_CHARACTERS


def test_search_index_has_one_json_line_per_tool() -> None:
    result = files(
        tools({"name": "get-user", "annotations": {"readOnlyHint": True, "title": "One"}})
    )
    (entry,) = map(json.loads, result["index.jsonl"].splitlines())
    assert entry == {
        "package": "server",
        "method": "get_user",
        "tool": "get-user",
        "summary": "One",
        "arguments": [],
        "readOnly": True,
        "file": "get_user.pyi",
        "characters": len(result["get_user.pyi"].split("\n\n", 1)[1]),
    }


def test_index_lines_stay_within_budget() -> None:
    result = files(
        tools(
            {"name": "n" * 200 + "-", "description": "word " * 99},
            {"name": "stars", "description": "*" * 999},
            {"name": "a", "description": "A sentence, e.g. this one. And another."},
        )
    )
    for line in lines(result["index.md"]):
        assert len(line) <= MOST_CHARACTERS + 150  # a name is not cut, as it could not be called
    by_name = {line[3]: line for line in lines(result["index.md"])}
    assert by_name["a"] == "- `a`: A sentence, e.g. this one."
    assert len(by_name["s"]) <= MOST_CHARACTERS
