"""Compact stubs: equal types once, and bounded types of a tool."""

from __future__ import annotations

from typing import Any

from mcpgen.codegen.agent_files.compact import MAX_TYPE_CHARACTERS, compact
from mcpgen.codegen.agent_files.stubs import join_stubs, tool_stubs
from mcpgen.contract.document import read

BOOK = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def returning(name: str, **members: Any) -> Any:
    schema = {"type": "object", "properties": members, "required": sorted(members)}
    return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema}


def compact_stubs(*tools: Any) -> str:
    contract = read({"tools": [*tools]})
    return join_stubs(contract, compact(tool_stubs(contract, documented=False)), documented=False)


def test_compact_stubs_define_equal_types_once() -> None:
    same = {"book": BOOK, "kind": {"const": "GetOutputBook"}}
    text = compact_stubs(returning("get", **same), returning("put", **same))
    assert text.count("class ") == 2
    assert text.count('Literal["GetOutputBook"]') == 1
    assert "async def put(arguments: Mapping[str, Any] = ...) -> GetOutput" in text


def test_compact_stubs_bound_types_of_one_tool() -> None:
    deep: Any = BOOK
    for number in range(12):
        names = [f"member_{number}_{letter}" for letter in "abcdef"]
        members = {name: {"type": "string"} for name in names}
        deep = {"type": "object", "properties": {**members, "next": deep}}
    text = compact_stubs(returning("get", deep=deep), returning("put", book=BOOK))
    assert MAX_TYPE_CHARACTERS < len(text) < 2 * MAX_TYPE_CHARACTERS
    assert "# Some types of get are left out here" in text
    assert "class PutOutputBook(TypedDict):" in text
