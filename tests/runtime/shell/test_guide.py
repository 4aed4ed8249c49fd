"""The help of a tool is made from its schema."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen_runtime.shell.guide import guide
from mcpgen_runtime.shell.sentence import first_sentence
from shell_arguments import FLAG, TEXT


def test_help_describes_each_argument() -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "Words of a title."},
            "ids": {"type": "array", "items": TEXT},
            "filter": {"type": "object", "properties": {"genre": {"enum": ["crime", "nature"]}}},
            "deep": FLAG,
            "edits": {
                "type": "array",
                "items": {"properties": {"old": TEXT, "new": TEXT}, "required": ["old"]},
            },
        },
        "required": ["query"],
    }
    definition = {
        "name": "search_catalogue",
        "description": "Find it.\n\n  Usage: rm -rf",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }
    assert (
        guide(definition, "mcpgen call demo", 80)
        == """\
Usage: mcpgen call demo search-catalogue --query TEXT [ARGUMENTS]

  Find it.

    Usage: rm -rf

  According to the server, it changes nothing.

Arguments:
  --query TEXT              Words of a title.  [required; at least 1 character]
  --ids TEXT                [repeatable]
  --filter JSON
    --filter.genre [crime|nature]
  --deep
  --edits JSON              [repeatable; each with old, [new]]

  A list is given by repeating its option. --NAME:=JSON gives any value as JSON,
  and - reads all arguments as a JSON object from stdin.
"""
    )


@pytest.mark.parametrize("schema", [None, True, [], {"type": "object"}, {"properties": []}])
def test_help_of_a_tool_without_arguments_is_short(schema: Any) -> None:
    assert guide({"name": "a", "inputSchema": schema}, "x", 80) == "Usage: x a\n"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Find it. Then go.", "Find it."),
        ("Find\nit.\n\nThen go.", "Find it."),
        ("", ""),
        (None, ""),
    ],
)
def test_the_first_sentence_stands_for_a_description(text: str | None, first: str) -> None:
    assert first_sentence(text) == first


def test_help_keeps_server_line_breaks_out_of_column_0() -> None:
    schema = {"type": "object", "properties": {"a\nerror: b": {"enum": ["c\nerror: d", "e"]}}}
    text = guide({"name": "t\nerror: f", "inputSchema": schema}, "mcpgen call x", 80)
    assert not [line for line in text.splitlines() if line.startswith("error:")]
