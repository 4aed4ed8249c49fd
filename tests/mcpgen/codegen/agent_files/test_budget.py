"""The token costs of tools: `mcpgen budget`, and subschemas that can move into `$defs`."""

from __future__ import annotations

import json

from tool_budgets import BOOKS, POINT, schema

from mcpgen.codegen.agent_files.budget import (
    budget,
    cost,
    definition_for_model,
    estimate_tokens,
)
from mcpgen.contract.document import read
from mcpgen.jsontext import loads


def test_definition_counts_only_properties_sent_by_hosts() -> None:
    tool = {"name": "a", "description": "B\u00e9.", "outputSchema": POINT, "annotations": {}}
    assert definition_for_model(tool) == '{"name":"a","description":"B\u00e9."}'
    counted = cost(tool)
    assert (counted.size.bytes, counted.size.characters) == (33, 32)
    assert counted.size.tokens == estimate_tokens(definition_for_model(tool))
    assert counted.output == estimate_tokens(json.dumps(POINT, separators=(",", ":")))


def test_the_parts_of_a_tool_are_all_of_it() -> None:
    tool = loads(BOOKS.read_bytes(), "books.json")["tools"][0]
    counted = cost(tool)
    assert sum(counted.parts.values()) == counted.size.tokens
    assert list(counted.arguments) == ["order", "genres", "query"]  # the heaviest first


def test_repeated_description_is_counted_once_per_tool() -> None:
    text = "The id of the project, as list_projects returns it."
    tools = [
        {"name": name, "inputSchema": schema(project={"type": "string", "description": text})}
        for name in ("a", "b", "c")
    ]
    (repeated,) = budget(read({"tools": tools})).repeated
    assert (repeated.text, repeated.tools) == (text, ("a", "b", "c"))
    assert repeated.tokens == 2 * estimate_tokens(text)
