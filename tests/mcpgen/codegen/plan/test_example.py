"""The example call for new users changes nothing, reveals no secret, and is valid."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read

READS = {"annotations": {"readOnlyHint": True}}


def tool(name: str, properties: Any = None, *required: str, **more: Any) -> Any:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"name": name, "description": "Say it.", "inputSchema": schema, **more}


def render_example(*tools: Any, style: Any = "dataclass") -> str:
    example = generate(
        read({"tools": list(tools), "server": {"name": "my-shop"}}), Options("made", style)
    ).example
    return (
        "" if example is None else f"{example.call}{example.attribute and '.'}{example.attribute}"
    )


TEXT = {"type": "string", "examples": ["x"]}
FALSE = {"type": "boolean", "examples": [False]}


@pytest.mark.parametrize(
    ("tools", "call"),
    [
        ([tool("b", **READS), tool("list_a")], "b().text"),
        ([tool("two", {"n": {"type": "integer"}}, "n", **READS), tool("none", **READS)],
         "none().text"),
        ([tool("list_a"), tool("echo", {"message": TEXT}, "message")], "list_a().text"),
        ([tool("get-env", **READS), tool("list_items")], "list_items().text"),
        ([tool("listSecrets"), tool("get_token"), tool("show_config"), tool("readCredentials"),
          tool("list_connections")],
         ""),
        ([tool("dump", **READS) | {"description": "Print the environment variables."}], ""),
        ([tool("find", {"api_key": TEXT}, "api_key", **READS)], ""),
        ([tool("delete_all"), tool("run", {"command": TEXT}, "command")], ""),
        ([tool("list_a", annotations={"readOnlyHint": False})], ""),
        ([tool("list_a", annotations={"destructiveHint": True})], ""),
        ([tool("get", {"at": {"type": "object", "properties": {"x": TEXT}}}, "at")], ""),
        ([tool("get", {"f": {"enum": ["b", "a"]}, "n": {"type": "array", "items": TEXT,
         "examples": [["y", "z"]]}}, "f", "n", **READS)],
         'get(f="b", n=["y", "z"]).text'),
        ([tool("get", {"class": FALSE, "o": TEXT}, "class", **READS)],
         "get(class_=False).text"),
        ([tool("get", {"a": TEXT, "b": TEXT}, "a", **READS) | {"outputSchema": {
         "type": "object", "properties": {"x": TEXT}}}], 'get(a="x")'),
        ([{"name": "get", "inputSchema": {"type": 7}, **READS}, tool("list_a")], "list_a().text"),
        ([{"name": "get", **READS, "inputSchema": {"type": "object", "properties": {"a": TEXT},
         "required": ["a"], "not": {}}}, tool("list_a")], "list_a().text"),
        ([{"name": "get", **READS, "inputSchema": {"type": "object", "properties": {"a": TEXT,
         "b": TEXT}, "required": ["a"], "minProperties": 2}}, tool("list_a")], "list_a().text"),
        ([tool("get", {"item_id": TEXT}, "item_id", **READS),
          tool("search", {"q": TEXT, "n": TEXT}, "q", "n", **READS)],
         'search(q="x", n="x").text'),
        ([tool("get", {"p": {"type": "string", "pattern": "^a+$"}}, "p", **READS),
          tool("find", {"q": TEXT, "p": {"type": "string", "pattern": "^a+$"}}, "q")],
         'find(q="x").text'),
        ([tool("shop_delete"), tool("shop_search", {"q": TEXT}, "q")], 'shop_search(q="x").text'),
        ([tool("create_list"), tool("other_list")], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_the_call_is_chosen_by_the_rule(tools: list[Any], call: str) -> None:
    assert render_example(*tools) == call


@pytest.mark.parametrize("style", ["basemodel", "typeddict"])
def test_the_call_is_the_same_in_every_style(style: str) -> None:
    tools = [tool("get", {"day": {"type": "string", "format": "date"}, "n": TEXT}, "n", **READS)]
    assert render_example(*tools, style=style) == render_example(*tools) == 'get(n="x").text'
