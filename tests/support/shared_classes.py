"""Contracts whose tools share classes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from paths import CORPUS

from mcpgen.codegen import naming
from mcpgen.codegen.plan.tool_types import (
    SchemaLocation,
    Sides,
    ToolType,
    arguments,
    result,
)
from mcpgen.contract import definitions as api
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.types.nodes import (
    Definition,
    Node,
    Record,
)

SERVERS = sorted(path.stem for path in (CORPUS / "live").glob("*.json"))

ALL = "MCPGEN_ALL" in os.environ

needs_corpus = pytest.mark.skipif(not SERVERS, reason=f"no recorded servers in {CORPUS}")

ROUNDS = 30
"""How deep types are compared where they are compared one by one."""


def looks(definitions: Mapping[str, Definition], rounds: int = ROUNDS) -> dict[str, int]:
    """Return a number for each definition, equal for definitions that differ only in
    descriptions.
    """
    numbers = dict.fromkeys(definitions, 0)
    for _ in range(rounds):
        numbers = {
            at: hash(body(definition.body, numbers)) for at, definition in definitions.items()
        }
    return numbers


def body(what: Record | Node, numbers: Mapping[str, int]) -> str:
    if isinstance(what, Record):
        members = [(m.wire, m.required, m.facts, node(m.node, numbers)) for m in what.members]
        return repr((what.closed, members))
    return node(what, numbers)


def node(what: Node, numbers: Mapping[str, int]) -> str:
    text = repr(what)
    for pointer in sorted(numbers, key=len, reverse=True):
        text = text.replace(f"Reference(pointer={pointer!r})", f"<{numbers[pointer]}>")
    return text


@cache
def contract(server: str) -> Contract:
    return read(loads((CORPUS / "live" / f"{server}.json").read_bytes()))


@cache
def sides(server: str) -> Sides:
    new_contract = contract(server)
    names = naming.methods(new_contract.tools, new_contract.names)
    tools = api.read(new_contract).tools
    return {t.name: (arguments(t, names[t.name]), result(t, names[t.name])) for t in tools}


def parts(value: Sides) -> Iterator[tuple[SchemaLocation, ToolType]]:
    """Yield every definition of the schemas of tools."""
    for tool, both in value.items():
        for key, tool_type in zip(("inputSchema", "outputSchema"), both, strict=True):
            for pointer in tool_type.inferred.definitions if tool_type else ():
                assert tool_type is not None
                yield SchemaLocation(tool, key, pointer), tool_type


@cache
def meanings(server: str) -> dict[SchemaLocation, tuple[str, int]]:
    """Return the identity of each definition of a server. Equal definitions have equal
    identities.
    """
    numbers: dict[int, dict[str, int]] = {}
    results: dict[SchemaLocation, tuple[str, int]] = {}
    for location, tool_type in parts(sides(server)):
        if id(tool_type) not in numbers:
            numbers[id(tool_type)] = looks(tool_type.inferred.definitions)
        results[location] = location.key, numbers[id(tool_type)][location.pointer]
    return results


TEXT: Json = {"type": "string"}


def record(**members: Json) -> Json:
    return {"type": "object", "properties": members, "required": sorted(members)}


def item(**members: Json) -> Json:
    """Return the schema of a result with an ``Item``."""
    item_record = record(item={"$ref": "#/$defs/Item"})
    return {**item_record, "$defs": {"Item": record(**members)}}


def make_contract(inputs: Mapping[str, Json] = {}, **outputs: Json) -> Contract:
    free: Json = {"type": "object"}
    tools: dict[str, Json] = {
        name: {"name": name, "inputSchema": inputs.get(name, free)} for name in inputs
    }
    for name, schema in outputs.items():
        tools.setdefault(name, {"name": name, "inputSchema": free})["outputSchema"] = schema
    return Contract(tools=tools)


def titled_contract(titles: Mapping[str, str]) -> Contract:
    """Return a contract whose tools return equal objects, titled as FastMCP does."""
    result = {"type": "object", "properties": {"price": {"type": "number"}}}
    return read(
        {
            "tools": [
                {
                    "name": tool,
                    "inputSchema": {"type": "object"},
                    "outputSchema": {**result, "title": title},
                }
                for tool, title in titles.items()
            ]
        }
    )
