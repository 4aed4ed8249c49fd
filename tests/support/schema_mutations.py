"""Changes of one tool's schemas, each with the rules that report it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

from mcpgen.compare import RULES, Change, Severity, compare
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

Tool = dict[str, Any]
Mutation = Callable[[Tool], None]

BASE: Tool = {
    "name": "search",
    "title": "Search",
    "description": "Search the archive.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "sort": {"type": "string", "enum": ["date", "name"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "since": {"type": "string", "maxLength": 30},
            "filter": {"$ref": "#/$defs/Filter"},
            "page": {"type": ["integer", "null"]},
        },
        "required": ["query"],
        "$defs": {
            "Filter": {
                "type": "object",
                "properties": {"author": {"type": "string"}, "year": {"type": "integer"}},
            }
        },
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "total": {"type": "integer"},
            "state": {"type": "string", "enum": ["done", "partial"]},
            "next": {"type": "string"},
            "first": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "url": {"type": "string"}},
                "required": ["id"],
            },
        },
        "required": ["total", "first"],
    },
    "annotations": {"readOnlyHint": True},
}


def put(where: str, **members: Json) -> Mutation:
    """Set members of an argument, or of the result's member after ``out.``."""

    def mutate(tool: Tool) -> None:
        place(tool, where).update(copy.deepcopy(members))

    return mutate


def drop(where: str, *names: str) -> Mutation:
    def mutate(tool: Tool) -> None:
        for name in names:
            del place(tool, where)[name]

    return mutate


def combine(*mutations: Mutation) -> Mutation:
    def mutate(tool: Tool) -> None:
        for mutation in mutations:
            mutation(tool)

    return mutate


def place(tool: Tool, where: str) -> dict[str, Any]:
    """Follow a path such as ``in.query`` or ``out.first.id`` to a schema. ``""`` is the tool."""
    node: Any = tool
    for step in where.split(".") if where else []:
        if step in ("in", "out"):
            node = tool["inputSchema" if step == "in" else "outputSchema"]
        elif step.startswith("@"):
            node = node[step[1:]]
        else:
            node = node["properties"][step]
    return node


def mutate_tool(*mutations: Mutation) -> Tool:
    tool = copy.deepcopy(BASE)
    for mutation in mutations:
        mutation(tool)
    return tool


def changes(old: Tool, new: Tool) -> tuple[Change, ...]:
    return compare(Contract({old["name"]: old}), Contract({new["name"]: new}))


def rules(result: tuple[Change, ...]) -> list[str]:
    return sorted({change.rule for change in result if change.rule != "U02"})


def worst(result: tuple[Change, ...]) -> Severity | None:
    return max((RULES[c.rule].severity() or Severity.COSMETIC for c in result), default=None)


REQUIRED = ["query", "limit"]
NULLABLE = {"type": ["string", "null"]}
FILTER = BASE["inputSchema"]["$defs"]["Filter"]

# The changes of one tool that other tools for comparing contracts were tried with.
MUTATIONS: dict[str, tuple[Mutation, list[str]]] = {
    "in: optional to required": (put("in", required=REQUIRED), ["I03"]),
    "in: required to optional": (put("in", required=[]), ["I04"]),
    "in: string to string or null": (put("in.query", type=["string", "null"]), ["I09"]),
    "in: null refused": (put("in.page", type="integer"), ["I08"]),
    "in: integer to number": (put("in.limit", type="number"), ["I09"]),
    "in: string to integer": (put("in.query", type="integer"), ["I08"]),
    "in: enum value removed": (put("in.sort", enum=["date"]), ["I10"]),
    "in: enum value added": (put("in.sort", enum=["date", "name", "size"]), ["I11"]),
    "in: enum added": (put("in.query", enum=["a"]), ["I10"]),
    "in: maxLength tightened": (put("in.since", maxLength=20), ["I12"]),
    "in: minimum tightened": (put("in.limit", minimum=2), ["I12"]),
    "in: maximum loosened": (put("in.limit", maximum=200), ["I13"]),
    "in: pattern added": (put("in.since", pattern="^[0-9]+$"), ["I14"]),
    "in: format changed": (put("in.since", format="email"), ["I16"]),
    "in: array items type changed": (put("in.tags", items={"type": "integer"}), ["I08"]),
    "in: field behind $ref made required": (put("in.@$defs.@Filter", required=["author"]), ["I03"]),
    "in: $ref inlined, same meaning": (
        combine(
            lambda t: t["inputSchema"]["properties"].update(filter=FILTER), drop("in", "$defs")
        ),
        [],
    ),
    "in: x-mcp-header added": (put("in.query", **{"x-mcp-header": "Query"}), ["I23"]),
    "in: new required property": (
        combine(
            put("in.@properties", lang={"type": "string"}), put("in", required=["query", "lang"])
        ),
        ["I01"],
    ),
    "in: new optional property": (put("in.@properties", lang={"type": "string"}), ["I02"]),
    "in: property removed": (drop("in.@properties", "since"), ["I06"]),
    "in: default added": (put("in.limit", default=10), ["I22"]),
    "in: closed": (put("in", additionalProperties=False), ["I17"]),
    "in: parameter description changed": (put("in.query", description="Not that."), ["D02"]),
    "out: field removed": (drop("out.@properties", "next"), ["O03"]),
    "out: required field now optional": (put("out", required=["first"]), ["O04"]),
    "out: field gains null": (put("out.total", type=["integer", "null"]), ["O04"]),
    "out: nested field removed": (drop("out.first.@properties", "url"), ["O03"]),
    "out: schema gone": (drop("", "outputSchema"), ["O01"]),
    "out: integer to string": (put("out.total", type="string"), ["O07"]),
    "out: enum value added": (put("out.state", enum=["done", "partial", "failed"]), ["O09"]),
    "out: field added": (put("out.@properties", took={"type": "number"}), ["O06"]),
    "ann: readOnlyHint true to false": (put("@annotations", readOnlyHint=False), ["A01"]),
    "ann: readOnlyHint dropped": (drop("", "annotations"), ["A01"]),
    "ann: openWorldHint set to its default": (put("@annotations", openWorldHint=True), ["A04"]),
    "description changed": (put("", description="Search the archive. Then mail it."), ["D01"]),
    "description with a zero-width character": (
        put("", description="Search the\u200b archive."),
        ["D01", "D03"],
    ),
    "title changed": (put("", title="Find"), ["D04"]),
    "description with other white space": (put("", description="Search  the archive."), ["D05"]),
}


OBJECT = {"type": "object"}


def member(schema: Json, *, required: bool = False, **beside: Json) -> Json:
    """Return an object with one member ``x`` of a schema."""
    needed = {"required": ["x"]} if required else {}
    return {"type": "object", "properties": {"x": schema}, **needed, **beside}


S, I, N = {"type": "string"}, {"type": "integer"}, {"type": "number"}  # noqa: E741 - short in a table
A, B = {"type": "array", "items": S}, {"type": "boolean"}
CAT = {"type": "object", "properties": {"is": {"const": "cat"}, "lives": I}, "required": ["is"]}
DOG = {"type": "object", "properties": {"is": {"const": "dog"}, "tail": B}, "required": ["is"]}
COW = {"type": "object", "properties": {"is": {"const": "cow"}, "milk": N}, "required": ["is"]}
AB_X = {"x": S, "a": S}
POINT = {**OBJECT, "properties": AB_X, "required": ["x", "a"], "additionalProperties": False}
LINE = {
    **OBJECT,
    "properties": {"x": S, "b": S},
    "required": ["x", "b"],
    "additionalProperties": False,
}
LETTERS, WORD, NULL = {**S, "maxLength": 6}, {**S, "minLength": 2}, {"type": "null"}
EITHER = [{"required": ["a"]}, {"required": ["b"]}]
AB = {"a": S, "b": S, "c": S}
TREE = {"type": "object", "properties": {"left": {"$ref": "#/$defs/T"}, "v": I}}
TREES = {"type": "object", "properties": {"x": {"$ref": "#/$defs/T"}}, "$defs": {"T": TREE}}
TREES2 = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/T"}},
    "$defs": {"T": {**TREE, "properties": {**TREE["properties"], "v": S}}},
}

Pair: TypeAlias = tuple[Json, Json, str, str]
"""Old and new schema of a member ``x``, and the rules as input and as output."""

TYPES: dict[str, Pair] = {
    "string becomes integer": (S, I, "I08", "O07"),
    "anything becomes string": ({}, S, "I08", "O08"),
    "string becomes anything": (S, {}, "I09", "O07"),
    "number becomes integer": (N, I, "I08", "O08"),
    "integer becomes number": (I, N, "I09", "O07"),
    "null is allowed by anyOf": (S, {"anyOf": [S, {"type": "null"}]}, "I09", "O04"),
    "a text moves into the branch of a new union": (
        {**S, "description": "a"},
        {"anyOf": [{**S, "description": "a"}, I, {"type": "null"}]},
        "I09",
        "O04 O07",
    ),
    "a nullable array becomes a string": (
        {"anyOf": [{"type": "array"}, {"type": "null"}]},
        S,
        "I08",
        "O05 O07",
    ),
    "framework wrapper loses its annotations": (
        {**S, "description": "Generic wrapper for non-object return types."},
        S,
        "D04b",
        "D04b",
    ),
    "a text moves out of a branch": (
        {"anyOf": [{**S, "description": "a"}, I, {"type": "null"}]},
        {"anyOf": [S, I, {"type": "null"}], "description": "a"},
        "",
        "",
    ),
    "null is refused by anyOf": ({"anyOf": [S, {"type": "null"}]}, S, "I08", "O05"),
    "a list of types grows": ({"type": ["string"]}, {"type": ["string", "boolean"]}, "I09", "O07"),
    "a list of types shrinks": ({"type": ["string", "boolean"]}, S, "I08", "O08"),
    "anyOf written as types": ({"anyOf": [S, I]}, {"type": ["string", "integer"]}, "", ""),
    "types in another order": ({"type": ["string", "null"]}, {"type": ["null", "string"]}, "", ""),
    "nothing is valid": (S, False, "I05", "O03"),
    "true becomes an empty schema": (True, {}, "", ""),
    "true becomes string": (True, S, "I08", "O08"),
    "something is valid again": (False, S, "I02", "O06b"),
}
CHOICES: dict[str, Pair] = {
    "enum shrinks": ({"enum": ["a", "b"]}, {"enum": ["a"]}, "I10", "O10"),
    "enum grows": ({"enum": ["a"]}, {"enum": ["a", "b"]}, "I11", "O09"),
    "enum exchanges": ({"enum": ["a", "b"]}, {"enum": ["a", "c"]}, "I10 I11", "O09 O10"),
    "enum reordered": ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, "", ""),
    "enum of one becomes const": ({"enum": ["a"]}, {"const": "a"}, "", ""),
    "const changed": ({"const": "a"}, {"const": "b"}, "I10 I11", "O09 O10"),
    "const added": (S, {"type": "string", "const": "a"}, "I10", "O10"),
    "const removed": ({"type": "string", "const": "a"}, S, "I11", "O09"),
    "enum added": (S, {"type": "string", "enum": ["a"]}, "I10", "O10"),
    "enum removed": ({"type": "string", "enum": ["a"]}, S, "I11", "O09"),
    "enum gains null": ({"enum": ["a"]}, {"enum": ["a", None]}, "I09", "O04"),
    "enum loses null": ({"enum": ["a", None]}, {"enum": ["a"]}, "I08", "O05"),
    "enum split over anyOf": (
        {"enum": ["a", "b"]},
        {"anyOf": [{"const": "b"}, {"const": "a"}]},
        "",
        "",
    ),
    "enum of another kind": ({"enum": ["a", 1]}, {"enum": ["a", 2]}, "I10 I11", "O09 O10"),
    "1 is 1.0": ({"enum": [1]}, {"enum": [1.0]}, "", "O30"),
    "1 is not true": ({"enum": [1]}, {"enum": [True]}, "I10 I11", "O09 O10"),
}
NUMBERS: dict[str, Pair] = {
    "JavaScript's number limit added": (
        I,
        {**I, "minimum": -9007199254740991, "maximum": 9007199254740991},
        "I12b",
        "O12b",
    ),
    "the end of JavaScript's numbers lowered": (
        {**I, "maximum": 9007199254740991},
        {**I, "maximum": 10},
        "I12",
        "O12",
    ),
    "minimum raised": ({**I, "minimum": 1}, {**I, "minimum": 2}, "I12", "O12"),
    "minimum lowered": ({**I, "minimum": 2}, {**I, "minimum": 1}, "I13", "O11"),
    "minimum added": (I, {**I, "minimum": 1}, "I12", "O12"),
    "minimum removed": ({**I, "minimum": 1}, I, "I13", "O11"),
    "maximum lowered": ({**N, "maximum": 9}, {**N, "maximum": 8.5}, "I12", "O12"),
    "maximum raised": ({**N, "maximum": 8}, {**N, "maximum": 9}, "I13", "O11"),
    "maximum added": (N, {**N, "maximum": 9}, "I12", "O12"),
    "maximum removed": ({**N, "maximum": 9}, N, "I13", "O11"),
    "minimum becomes exclusive": ({**N, "minimum": 1}, {**N, "exclusiveMinimum": 1}, "I12", "O12"),
    "maximum becomes inclusive": ({**N, "exclusiveMaximum": 1}, {**N, "maximum": 1}, "I13", "O11"),
    "exclusive said inclusively": ({**I, "exclusiveMinimum": 0}, {**I, "minimum": 1}, "", ""),
    "exclusiveMaximum lowered": (
        {**N, "exclusiveMaximum": 2},
        {**N, "exclusiveMaximum": 1},
        "I12",
        "O12",
    ),
    "exclusiveMinimum lowered": (
        {**N, "exclusiveMinimum": 2},
        {**N, "exclusiveMinimum": 1},
        "I13",
        "O11",
    ),
    "both bounds moved": (
        {**I, "minimum": 1, "maximum": 5},
        {**I, "minimum": 2, "maximum": 6},
        "I12 I13",
        "O11 O12",
    ),
    "multipleOf added": (I, {**I, "multipleOf": 5}, "I12", "O12"),
    "multipleOf removed": ({**I, "multipleOf": 5}, I, "I13", "O11"),
    "multipleOf to a divisor": ({**I, "multipleOf": 10}, {**I, "multipleOf": 5}, "I13", "O11"),
    "multipleOf to a multiple": ({**I, "multipleOf": 5}, {**I, "multipleOf": 10}, "I12", "O12"),
    "multipleOf to another": ({**I, "multipleOf": 4}, {**I, "multipleOf": 6}, "I12", "O11"),
    "multipleOf in decimals": ({**N, "multipleOf": 0.2}, {**N, "multipleOf": 0.1}, "I13", "O11"),
    "a bound on strings of a number": (I, {**I, "maxLength": 3}, "", ""),
    "minimum becomes inclusive": ({**N, "exclusiveMinimum": 1}, {**N, "minimum": 1}, "I13", "O11"),
    "maximum becomes exclusive": ({**N, "maximum": 1}, {**N, "exclusiveMaximum": 1}, "I12", "O12"),
}
STRINGS: dict[str, Pair] = {
    "minLength raised": ({**S, "minLength": 1}, {**S, "minLength": 2}, "I12", "O12"),
    "minLength lowered": ({**S, "minLength": 2}, {**S, "minLength": 1}, "I13", "O11"),
    "minLength 0 added": (S, {**S, "minLength": 0}, "", ""),
    "maxLength lowered": ({**S, "maxLength": 9}, {**S, "maxLength": 8}, "I12", "O12"),
    "maxLength raised": ({**S, "maxLength": 8}, {**S, "maxLength": 9}, "I13", "O11"),
    "maxLength added": (S, {**S, "maxLength": 8}, "I12", "O12"),
    "maxLength removed": ({**S, "maxLength": 8}, S, "I13", "O11"),
    "pattern added": (S, {**S, "pattern": "^a"}, "I14", "O12"),
    "pattern removed": ({**S, "pattern": "^a"}, S, "I15", "O11"),
    "pattern changed": ({**S, "pattern": "^a"}, {**S, "pattern": "^b"}, "I14", "O11"),
    "pattern that matches all added": (S, {**S, "pattern": ".*"}, "", ""),
    "pattern moved into allOf": (
        {**S, "pattern": "^a"},
        {**S, "allOf": [{"pattern": "^a"}]},
        "",
        "",
    ),
    "format added": (S, {**S, "format": "email"}, "I16", "O12"),
    "format removed": ({**S, "format": "email"}, S, "I16c", "O11c"),
    "format changed": ({**S, "format": "email"}, {**S, "format": "hostname"}, "I16", "O11c"),
    "format with a type added": (S, {**S, "format": "date"}, "I16b", "O11b"),
    "format with a type removed": ({**S, "format": "uuid"}, S, "I16b", "O11b"),
    "format with a type changed": (
        {**S, "format": "date"},
        {**S, "format": "date-time"},
        "I16b",
        "O11b",
    ),
    "format of an enum": ({"enum": ["a"]}, {"enum": ["a"], "format": "email"}, "I16", "O12"),
    "contentEncoding changed": (
        {**S, "contentEncoding": "base64"},
        {**S, "contentEncoding": "base32"},
        "I24b",
        "O24b",
    ),
    "contentMediaType added": (S, {**S, "contentMediaType": "text/html"}, "I24b", "O24b"),
    "maxLength of the longest choice": (
        {"enum": ["a", "bb"]},
        {"enum": ["a", "bb"], "maxLength": 2},
        "",
        "",
    ),
    "contentEncoding removed": ({**S, "contentEncoding": "base64"}, S, "I24b", "O24b"),
    "contentMediaType changed": (
        {**S, "contentMediaType": "text/html"},
        {**S, "contentMediaType": "text/css"},
        "I24b",
        "O24b",
    ),
    "contentMediaType removed": ({**S, "contentMediaType": "text/html"}, S, "I24b", "O24b"),
    "minLength added": (S, {**S, "minLength": 2}, "I12", "O12"),
    "minLength removed": ({**S, "minLength": 2}, S, "I13", "O11"),
}
ARRAYS: dict[str, Pair] = {
    "minItems added": (A, {**A, "minItems": 1}, "I12", "O12"),
    "minItems removed": ({**A, "minItems": 1}, A, "I13", "O11"),
    "maxItems added": (A, {**A, "maxItems": 9}, "I12", "O12"),
    "maxItems raised": ({**A, "maxItems": 8}, {**A, "maxItems": 9}, "I13", "O11"),
    "uniqueItems added": (A, {**A, "uniqueItems": True}, "I12", "O12"),
    "uniqueItems removed": ({**A, "uniqueItems": True}, A, "I13", "O11"),
    "items typed": ({"type": "array"}, A, "I08", "O08"),
    "items untyped": (A, {"type": "array"}, "I09", "O07"),
    "items retyped": (A, {"type": "array", "items": I}, "I08", "O07"),
    "items gain a bound": (A, {"type": "array", "items": {**S, "maxLength": 3}}, "I12", "O12"),
    "tuple becomes list": (
        {"type": "array", "prefixItems": [S, S], "items": S},
        A,
        "I21",
        "O21",
    ),
    "place retyped": (
        {"type": "array", "prefixItems": [S, S]},
        {"type": "array", "prefixItems": [S, I]},
        "I08",
        "O07",
    ),
    "tuple ended": (
        {"type": "array", "prefixItems": [S]},
        {"type": "array", "prefixItems": [S], "items": False},
        "I12 I30",
        "O12",
    ),
    "tuple opened": (
        {"type": "array", "prefixItems": [S], "items": False},
        {"type": "array", "prefixItems": [S]},
        "I13",
        "O11",
    ),
    "contains added": (A, {**A, "contains": {"const": "a"}}, "I18", "O16b"),
    "contains removed": ({**A, "contains": {"const": "a"}}, A, "I18b", "O16"),
    "contains narrowed": (
        {**A, "contains": {"enum": ["a", "b"]}},
        {**A, "contains": {"enum": ["a"]}},
        "I18",
        "O16b",
    ),
    "minContains raised": (
        {**A, "contains": S, "minContains": 1},
        {**A, "contains": S, "minContains": 2},
        "I12",
        "O12",
    ),
    "maxContains added": (
        {**A, "contains": S},
        {**A, "contains": S, "maxContains": 2},
        "I12",
        "O12",
    ),
    "maxContains and contains changed": (
        {**A, "contains": {"const": "a"}, "maxContains": 2},
        {**A, "contains": {"const": "b"}, "maxContains": 2},
        "U01",
        "U01",
    ),
    "maxItems of an ended tuple": (
        {"type": "array", "prefixItems": [S, S], "items": False},
        {"type": "array", "prefixItems": [S, S], "items": False, "maxItems": 2},
        "",
        "",
    ),
    "list becomes tuple": (A, {"type": "array", "prefixItems": [S, S], "items": S}, "I21", "O21"),
    "tuple grows": (
        {"type": "array", "prefixItems": [S, S], "items": S},
        {"type": "array", "prefixItems": [S, S, S], "items": S},
        "I21",
        "O21",
    ),
    "minItems raised": ({**A, "minItems": 1}, {**A, "minItems": 2}, "I12", "O12"),
    "minItems lowered": ({**A, "minItems": 2}, {**A, "minItems": 1}, "I13", "O11"),
    "maxItems lowered": ({**A, "maxItems": 9}, {**A, "maxItems": 8}, "I12", "O12"),
    "maxItems removed": ({**A, "maxItems": 9}, A, "I13", "O11"),
    "minContains lowered": (
        {**A, "contains": S, "minContains": 2},
        {**A, "contains": S, "minContains": 1},
        "I13",
        "O11",
    ),
    "maxContains removed": (
        {**A, "contains": S, "maxContains": 2},
        {**A, "contains": S},
        "I13",
        "O11",
    ),
    "contains widened": (
        {**A, "contains": {"enum": ["a"]}},
        {**A, "contains": {"enum": ["a", "b"]}},
        "I18b",
        "O16",
    ),
    "items lose a bound": ({"type": "array", "items": {**S, "maxLength": 3}}, A, "I13", "O11"),
}
OBJECTS: dict[str, Pair] = {
    "nested member required": (
        member(S),
        member(S, required=True),
        "I03",
        "O05",
    ),
    "nested member optional": (member(S, required=True), member(S), "I04", "O04"),
    "nested member gone": (member(S), {**OBJECT, "properties": {"y": I}}, "I02 I06", "O03 O06"),
    "nested member refused": (
        {**OBJECT, "properties": {"x": S, "y": I}, "additionalProperties": False},
        {**OBJECT, "properties": {"x": S}, "additionalProperties": False},
        "I05",
        "O03",
    ),
    "nested member added": (member(S), {**OBJECT, "properties": {"x": S, "y": I}}, "I02", "O06"),
    "nested member added to closed": (
        member(S, additionalProperties=False),
        {**OBJECT, "properties": {"x": S, "y": I}, "additionalProperties": False},
        "I02",
        "O06b",
    ),
    "nested member added to open": (
        member(S, additionalProperties=True),
        {**OBJECT, "properties": {"x": S, "y": I}, "additionalProperties": True},
        "I02c",
        "O06",
    ),
    "nested required member added": (
        member(S),
        {**OBJECT, "properties": {"x": S, "y": I}, "required": ["y"]},
        "I01",
        "O06",
    ),
    "nested required member added to closed": (
        member(S, additionalProperties=False),
        {**OBJECT, "properties": AB_X, "required": ["a"], "additionalProperties": False},
        "I01",
        "O06b",
    ),
    "nested required member of another type than the rest added": (
        member(S, additionalProperties=S),
        {**OBJECT, "properties": {"x": S, "y": I}, "required": ["y"], "additionalProperties": S},
        "I01 I08",
        "O06 O07",
    ),
    "elements get another form beside": (
        {"type": "array", "items": POINT},
        {"type": "array", "items": {"anyOf": [POINT, LINE]}},
        "I20 I25",
        "O07 O25",
    ),
    "required member with a default added": (
        member(S),
        {**OBJECT, "properties": {"x": S, "y": {**I, "default": 1}}, "required": ["y"]},
        "I01",
        "O06",
    ),
    "object closed": (member(S), member(S, additionalProperties=False), "I17", "O13b"),
    "object opened": (member(S, additionalProperties=False), member(S), "I17b", "O13"),
    "open said": (member(S), member(S, additionalProperties=True), "", ""),
    "free object closed": (OBJECT, {**OBJECT, "additionalProperties": False}, "I08", "O13b O30"),
    "free object typed": (OBJECT, {**OBJECT, "additionalProperties": S}, "I08", "O08"),
    "values retyped": (
        {**OBJECT, "additionalProperties": S},
        {**OBJECT, "additionalProperties": I},
        "I08",
        "O07",
    ),
    "values untyped": (
        {**OBJECT, "additionalProperties": S},
        {**OBJECT, "additionalProperties": True},
        "I09",
        "O07",
    ),
    "rest restricted": (member(S), member(S, additionalProperties=S), "I17", "O13b"),
    "minProperties added": (OBJECT, {**OBJECT, "minProperties": 1}, "I12", "O12"),
    "maxProperties removed": ({**OBJECT, "maxProperties": 1}, OBJECT, "I13", "O11"),
    "patternProperties added": (OBJECT, {**OBJECT, "patternProperties": {"^x": S}}, "I18", "O16b"),
    "patternProperties removed": (
        {**OBJECT, "patternProperties": {"^x": S}},
        OBJECT,
        "I18b",
        "O16",
    ),
    "patternProperties of another type than the rest added": (
        {**OBJECT, "additionalProperties": S},
        {**OBJECT, "additionalProperties": S, "patternProperties": {"^x": I}},
        "I08",
        "O07",
    ),
    "patternProperties of another type than the rest removed": (
        {**OBJECT, "additionalProperties": S, "patternProperties": {"^x": I}},
        {**OBJECT, "additionalProperties": S},
        "I08",
        "O07",
    ),
    "patternProperties equal to additionalProperties": (
        {**OBJECT, "additionalProperties": S},
        {**OBJECT, "additionalProperties": S, "patternProperties": {"^x": S}},
        "",
        "",
    ),
    "unconstrained patternProperties": (
        OBJECT,
        {**OBJECT, "patternProperties": {"^x": {}}},
        "",
        "",
    ),
    "patternProperties beside others added": (
        {**OBJECT, "additionalProperties": False, "patternProperties": {"y$": {}}},
        {**OBJECT, "additionalProperties": False, "patternProperties": {"y$": {}, "^x": S}},
        "U01",
        "U01",
    ),
    "minProperties equal to the required count": (
        {**OBJECT, "properties": AB, "required": ["a"]},
        {**OBJECT, "properties": AB, "required": ["a"], "minProperties": 1},
        "",
        "",
    ),
    "minProperties above the required count": (
        {**OBJECT, "properties": AB, "required": ["a"]},
        {**OBJECT, "properties": AB, "required": ["a"], "minProperties": 2},
        "I12",
        "O12",
    ),
    "maxProperties of all there are": (
        {**OBJECT, "properties": AB, "additionalProperties": False},
        {**OBJECT, "properties": AB, "additionalProperties": False, "maxProperties": 3},
        "",
        "",
    ),
    "maxProperties below all there are": (
        {**OBJECT, "properties": AB, "additionalProperties": False},
        {**OBJECT, "properties": AB, "additionalProperties": False, "maxProperties": 2},
        "I12",
        "O12",
    ),
    "patternProperties retyped": (
        {**OBJECT, "patternProperties": {"^x": S}},
        {**OBJECT, "patternProperties": {"^x": I}},
        "I08",
        "O07",
    ),
    "unevaluatedProperties added": (
        member(S),
        member(S, unevaluatedProperties=False),
        "I17",
        "O13b",
    ),
    "unevaluatedProperties beside allOf": (
        {"allOf": [member(S)], "unevaluatedProperties": False},
        {"allOf": [member(I)], "unevaluatedProperties": False},
        "I08 U01",
        "O07 U01",
    ),
    "additional properties no longer restricted": (
        member(S, additionalProperties=S),
        member(S),
        "I09",
        "O07",
    ),
    "closed to restricted": (
        member(S, additionalProperties=False),
        member(S, additionalProperties=S),
        "I17b",
        "O13",
    ),
    "minProperties removed": ({**OBJECT, "minProperties": 1}, OBJECT, "I13", "O11"),
    "maxProperties added": (OBJECT, {**OBJECT, "maxProperties": 1}, "I12", "O12"),
    "unevaluatedProperties removed": (
        member(S, unevaluatedProperties=False),
        member(S),
        "I17b",
        "O13",
    ),
}
DEPENDENCIES: dict[str, Pair] = {
    "dependentSchemas get a member": (
        {**OBJECT, "dependentSchemas": {"a": OBJECT}},
        {**OBJECT, "dependentSchemas": {"a": {**OBJECT, "properties": {"b": {"const": 1}}}}},
        "I18",
        "O16b",
    ),
    "dependentRequired of a required property": (
        {**OBJECT, "properties": AB, "required": ["a"]},
        {**OBJECT, "properties": AB, "required": ["a"], "dependentRequired": {"b": ["a"]}},
        "",
        "",
    ),
    "transitive dependentRequired": (
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b"], "b": ["c"]}},
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b", "c"], "b": ["c"]}},
        "",
        "",
    ),
    "dependentRequired of another": (
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b"]}},
        {**OBJECT, "properties": AB, "dependentRequired": {"b": ["a"]}},
        "I18",
        "O16",
    ),
    "dependentRequired added": (
        {**OBJECT, "properties": AB},
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b"]}},
        "I18",
        "O16b",
    ),
    "dependentRequired removed": (
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b"]}},
        {**OBJECT, "properties": AB},
        "I18b",
        "O16",
    ),
    "dependentRequired exchanged": (
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["b"]}},
        {**OBJECT, "properties": AB, "dependentRequired": {"a": ["c"]}},
        "I18",
        "O16",
    ),
    "dependentSchemas added": (
        {**OBJECT, "properties": AB},
        {**OBJECT, "properties": AB, "dependentSchemas": {"a": {"required": ["b"]}}},
        "I18",
        "O16b",
    ),
    "dependentSchemas loosened": (
        {**OBJECT, "properties": AB, "dependentSchemas": {"a": {"required": ["b"]}}},
        {**OBJECT, "properties": AB, "dependentSchemas": {"a": {}}},
        "I18b",
        "O16",
    ),
    "dependentSchemas removed": (
        {**OBJECT, "properties": AB, "dependentSchemas": {"a": {"required": ["b"]}}},
        {**OBJECT, "properties": AB},
        "I18b",
        "O16",
    ),
}
CONDITIONS: dict[str, Pair] = {
    "propertyNames added": (OBJECT, {**OBJECT, "propertyNames": {"pattern": "^x"}}, "I18", "O16b"),
    "propertyNames removed": (
        {**OBJECT, "propertyNames": {"maxLength": 3}},
        OBJECT,
        "I18b",
        "O16",
    ),
    "else branch gets a property": (
        {"if": NULL, "then": {}, "else": OBJECT},
        {"if": NULL, "then": {}, "else": {**OBJECT, "properties": {"a": {"const": 1}}}},
        "I18",
        "O16b",
    ),
    "then gets a member": (
        {"if": OBJECT, "then": OBJECT, "else": {}},
        {"if": OBJECT, "then": {**OBJECT, "properties": {"a": {"const": 1}}}, "else": {}},
        "I18",
        "O16b",
    ),
    "not added": (S, {**S, "not": {"const": "a"}}, "I18", "O16b"),
    "not removed": ({**S, "not": {"const": "a"}}, S, "I18b", "O16"),
    "not widened": (
        {**S, "not": {"enum": ["a"]}},
        {**S, "not": {"enum": ["a", "b"]}},
        "I18",
        "O16b",
    ),
    "if added": (I, {**I, "if": {"minimum": 1}, "then": {"maximum": 5}}, "I18", "O16b"),
    "if removed": ({**I, "if": {"minimum": 1}, "then": {"maximum": 5}}, I, "I18b", "O16"),
    "if changed": (
        {**I, "if": {"minimum": 1}, "then": {"maximum": 5}},
        {**I, "if": {"minimum": 2}, "then": {"maximum": 5}},
        "U01",
        "U01",
    ),
    "then tightened": (
        {**I, "if": {"minimum": 1}, "then": {"maximum": 5}},
        {**I, "if": {"minimum": 1}, "then": {"maximum": 4}},
        "I18",
        "O16b",
    ),
    "else loosened": (
        {**I, "if": {"minimum": 1}, "else": {"maximum": 5}},
        {**I, "if": {"minimum": 1}, "else": {"maximum": 6}},
        "I18b",
        "O16",
    ),
    "a condition on null": (
        {"const": None},
        {"const": None, "if": {"type": "string"}, "else": {"type": "string"}},
        "I18",
        "O16b",
    ),
    "a condition on a listed null": (
        {"anyOf": [{"const": "a"}, {"type": "null"}]},
        {"anyOf": [{"const": "a"}, {"type": "null", "not": {"const": None}}]},
        "I18",
        "O16b",
    ),
    "both booleans listed": ({"type": "boolean"}, {"enum": [True, False]}, "", ""),
    "if without then": (I, {**I, "if": {"minimum": 1}}, "", ""),
    "propertyNames tightened": (
        {**OBJECT, "propertyNames": {"maxLength": 3}},
        {**OBJECT, "propertyNames": {"maxLength": 2}},
        "I18",
        "O16b",
    ),
    "not narrowed": (
        {**S, "not": {"enum": ["a", "b"]}},
        {**S, "not": {"enum": ["a"]}},
        "I18b",
        "O16",
    ),
    "then loosened": (
        {**I, "if": {"minimum": 1}, "then": {"maximum": 4}},
        {**I, "if": {"minimum": 1}, "then": {"maximum": 5}},
        "I18b",
        "O16",
    ),
    "else tightened": (
        {**I, "if": {"minimum": 1}, "else": {"maximum": 6}},
        {**I, "if": {"minimum": 1}, "else": {"maximum": 5}},
        "I18",
        "O16b",
    ),
}
UNIONS: dict[str, Pair] = {
    "a branch of its own kind gone": ({"anyOf": [S, A]}, S, "I08", "O08"),
    "a tagged branch gone": ({"oneOf": [CAT, DOG]}, {"oneOf": [CAT]}, "I19", "O08 O30"),
    "a tagged branch added": ({"oneOf": [CAT]}, {"oneOf": [CAT, DOG]}, "I20", "O07"),
    "tagged branches exchanged": (
        {"oneOf": [CAT, DOG]},
        {"oneOf": [CAT, COW]},
        "I19 I20",
        "O07 O08",
    ),
    "tagged branches reordered": ({"oneOf": [CAT, DOG]}, {"oneOf": [DOG, CAT]}, "", ""),
    "a tagged branch changed": (
        {"anyOf": [CAT, DOG]},
        {"anyOf": [CAT, {**DOG, "required": ["is", "tail"]}]},
        "I03",
        "O05",
    ),
    "tagged anyOf becomes oneOf": ({"anyOf": [CAT, DOG]}, {"oneOf": [CAT, DOG]}, "", ""),
    "anyOf becomes oneOf": (
        {"anyOf": [{**S, "maxLength": 3}, {**S, "minLength": 2}]},
        {"oneOf": [{**S, "maxLength": 3}, {**S, "minLength": 2}]},
        "I19",
        "O08",
    ),
    "oneOf becomes anyOf": (
        {"oneOf": [{**S, "maxLength": 3}, {**S, "minLength": 2}]},
        {"anyOf": [{**S, "maxLength": 3}, {**S, "minLength": 2}]},
        "I20",
        "O07",
    ),
    "oneOf with overlap changed": (
        {"oneOf": [{**S, "maxLength": 3}, {**S, "minLength": 2}]},
        {"oneOf": [{**S, "maxLength": 4}, {**S, "minLength": 2}]},
        "I13 I20b",
        "O11 U01",
    ),
    "oneOf allows null once instead of twice": (
        {"oneOf": [LETTERS, {"anyOf": [WORD, NULL]}, {"anyOf": [I, NULL]}]},
        {"oneOf": [LETTERS, {"anyOf": [WORD, NULL]}, I]},
        "I20b",
        "U01",
    ),
    "oneOf lists a value twice and another once": (
        {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
        {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["a", "c"]}]},
        "I20b",
        "U01",
    ),
    "oneOf with overlap grouped in another way": (
        {"oneOf": [{"anyOf": [S, I]}, N]},
        {"oneOf": [S, {"anyOf": [I, N]}]},
        "I20",
        "O07",
    ),
    "oneOf with overlap becomes an option": (
        {"oneOf": [S, LETTERS, I]},
        {"oneOf": [{"anyOf": [S, LETTERS, I]}]},
        "I20",
        "O07",
    ),
    "oneOf with overlap reordered": (
        {"oneOf": [LETTERS, {"anyOf": [WORD, NULL]}]},
        {"oneOf": [{"anyOf": [NULL, WORD]}, LETTERS]},
        "",
        "",
    ),
    "allOf branch added": ({"allOf": [S]}, {"allOf": [S, {"maxLength": 3}]}, "I12", "O12"),
    "allOf branch removed": ({"allOf": [S, {"maxLength": 3}]}, {"allOf": [S]}, "I13", "O11"),
    "allOf folded": ({"allOf": [S, {"maxLength": 3}]}, {**S, "maxLength": 3}, "", ""),
    "allOf reordered": ({"allOf": [S, {"maxLength": 3}]}, {"allOf": [{"maxLength": 3}, S]}, "", ""),
    "a nullable bound tightened": (
        {"anyOf": [{**S, "maxLength": 9}, {"type": "null"}]},
        {"anyOf": [{"type": "null"}, {**S, "maxLength": 8}]},
        "I12",
        "O12",
    ),
    "a branch of its own kind added": (S, {"anyOf": [S, A]}, "I09", "O07"),
    "a nullable bound loosened": (
        {"anyOf": [{**S, "maxLength": 8}, {"type": "null"}]},
        {"anyOf": [{"type": "null"}, {**S, "maxLength": 9}]},
        "I13",
        "O11",
    ),
}
UNTYPED_UNIONS: dict[str, Pair] = {
    "anyOf with a branch for everything added": (
        {**OBJECT, "properties": AB},
        {**OBJECT, "properties": AB, "anyOf": [EITHER[0], {}]},
        "",
        "",
    ),
    "anyOf with a branch for everything removed": (
        {"anyOf": [S, {"title": "any"}]},
        {"title": "any"},
        "D04",
        "D04",
    ),
    "anyOf with a branch for everything changed": (
        {"anyOf": [S, {}]},
        {"anyOf": [{}, I]},
        "",
        "",
    ),
    "anyOf gets a branch for everything": (
        {**OBJECT, "properties": AB, "anyOf": EITHER},
        {**OBJECT, "properties": AB, "anyOf": [*EITHER, {}]},
        "I18b",
        "O16",
    ),
    "anyOf of required properties added": (
        {**OBJECT, "properties": AB, "required": ["a"]},
        {**OBJECT, "properties": AB, "required": ["a"], "anyOf": EITHER},
        "",
        "",
    ),
    "a choice of required members grows": (
        {**OBJECT, "properties": AB, "anyOf": EITHER},
        {**OBJECT, "properties": AB, "anyOf": [*EITHER, {"required": ["c"]}]},
        "I20",
        "O07",
    ),
    "a choice of required members shrinks": (
        {**OBJECT, "properties": AB, "anyOf": [*EITHER, {"required": ["c"]}]},
        {**OBJECT, "properties": AB, "anyOf": EITHER},
        "I19",
        "O08",
    ),
    "a choice of required members added": (
        {**OBJECT, "properties": AB},
        {**OBJECT, "properties": AB, "oneOf": EITHER},
        "I18",
        "O16b",
    ),
    "an exclusive choice changed": (
        {**OBJECT, "properties": AB, "oneOf": EITHER},
        {**OBJECT, "properties": AB, "oneOf": [{"required": ["c"]}, EITHER[0]]},
        "U01",
        "U01",
    ),
    "a choice of required members removed": (
        {**OBJECT, "properties": AB, "oneOf": EITHER},
        {**OBJECT, "properties": AB},
        "I18b",
        "O16",
    ),
}
ANNOTATIONS: dict[str, Pair] = {
    "description changed": ({**S, "description": "a"}, {**S, "description": "b"}, "D02", "D02"),
    "description added": (S, {**S, "description": "b"}, "D02", "D02"),
    "description removed": ({**S, "description": "a"}, S, "D08", "D08"),
    "description moved beside $ref": (
        {"allOf": [S], "description": "a"},
        {**S, "description": "a"},
        "",
        "",
    ),
    "description moved into the nullable branch": (
        {"anyOf": [S, {"type": "null"}], "description": "a"},
        {"anyOf": [{**S, "description": "a"}, {"type": "null"}]},
        "",
        "",
    ),
    "description of a branch changed": (
        {"anyOf": [S, {**I, "description": "a"}]},
        {"anyOf": [S, {**I, "description": "b"}]},
        "D02",
        "D02",
    ),
    "description of white space": (
        {**S, "description": "a b"},
        {**S, "description": "a\nb"},
        "D05",
        "D05",
    ),
    "title changed": ({**S, "title": "a"}, {**S, "title": "b"}, "D04", "D04"),
    "examples changed": ({**S, "examples": ["a"]}, {**S, "examples": ["b"]}, "D02", "D02"),
    "enumDescriptions changed": (
        {"enum": ["a"], "enumDescriptions": ["x"]},
        {"enum": ["a"], "enumDescriptions": ["y"]},
        "D02",
        "D02",
    ),
    "comment changed": ({**S, "$comment": "a"}, {**S, "$comment": "b"}, "D02", "D02"),
    "default changed": ({**S, "default": "a"}, {**S, "default": "b"}, "I22", "O22"),
    "default added": (S, {**S, "default": "b"}, "I22", "O22"),
    "default removed": ({**S, "default": "a"}, S, "I22", "O22"),
    "default null added": (
        {"type": ["string", "null"]},
        {"type": ["string", "null"], "default": None},
        "I22",
        "O22",
    ),
    "deprecated": (S, {**S, "deprecated": True}, "I26", "O26"),
    "x-mcp-header added": (S, {**S, "x-mcp-header": "X"}, "I23", "O29"),
    "x-mcp-header removed": ({**S, "x-mcp-header": "X"}, S, "I23", "O29"),
    "unknown keyword added": (S, {**S, "x-order": 1}, "I29", "O29"),
    "readOnly added": (S, {**S, "readOnly": True}, "I29", "O29"),
    "hidden in an enum": ({"enum": ["a"]}, {"enum": ["a\u200b"]}, "D03 I10 I11", "D03 O09 O10"),
    "hidden in a description": (
        {**S, "description": "a"},
        {**S, "description": "a\U000e0041"},
        "D02 D03",
        "D02 D03",
    ),
    "hidden in a default": (
        {**S, "default": "a"},
        {**S, "default": "a\x1b[2K"},
        "D03 I22",
        "D03 O22",
    ),
    "deprecated no more": ({**S, "deprecated": True}, S, "I26", "O26"),
    "x-mcp-header changed": (
        {**S, "x-mcp-header": "X"},
        {**S, "x-mcp-header": "Y"},
        "I23",
        "O29",
    ),
    "unknown keyword changed": ({**S, "x-order": 1}, {**S, "x-order": 2}, "I29", "O29"),
    "unknown keyword removed": ({**S, "x-order": 1}, S, "I29", "O29"),
    "title added": (S, {**S, "title": "a"}, "D04", "D04"),
    "title removed": ({**S, "title": "a"}, S, "D08", "D08"),
    "examples added": (S, {**S, "examples": ["a"]}, "D02", "D02"),
    "examples removed": ({**S, "examples": ["a"]}, S, "D08", "D08"),
}
PAIRS: dict[str, Pair] = {
    **TYPES,
    **CHOICES,
    **NUMBERS,
    **STRINGS,
    **ARRAYS,
    **OBJECTS,
    **DEPENDENCIES,
    **CONDITIONS,
    **UNIONS,
    **UNTYPED_UNIONS,
    **ANNOTATIONS,
}

# Old and new schema as a whole.
WHOLES: dict[str, tuple[Json, Json, str, str]] = {
    "a member behind $ref retyped": (TREES, TREES2, "I08", "O07"),
    "a definition renamed": (
        {**OBJECT, "properties": {"x": {"$ref": "#/$defs/P"}}, "$defs": {"P": member(S)}},
        {**OBJECT, "properties": {"x": {"$ref": "#/$defs/Q"}}, "$defs": {"Q": member(S)}},
        "I25",
        "O25",
    ),
    "an unused definition added": (member(S), {**member(S), "$defs": {"P": I}}, "", ""),
    "the dialect named": (
        member(S),
        {**member(S), "$schema": "http://json-schema.org/draft-07/schema#"},
        "I24",
        "O24",
    ),
    "another dialect named": (
        {**member(S), "$schema": "http://json-schema.org/draft-07/schema#"},
        {**member(S), "$schema": "https://json-schema.org/draft/2020-12/schema"},
        "I24",
        "O24",
    ),
    "dialect no longer named": (
        {**member(S), "$schema": "http://json-schema.org/draft-07/schema#"},
        member(S),
        "I24",
        "O24",
    ),
    "default dialect named": (
        member(S),
        {**member(S), "$schema": "https://json-schema.org/draft/2020-12/schema"},
        "",
        "",
    ),
    "empty properties added to a root": (OBJECT, {**OBJECT, "properties": {}}, "I31", ""),
    "a root opened": ({**OBJECT, "additionalProperties": False}, OBJECT, "I17b I30", "O13 O30"),
    "a root with members opened": (
        {**member(S), "additionalProperties": False},
        member(S),
        "I17b",
        "O13",
    ),
    "branches without a name change places": (
        member({"anyOf": [member(S, required=True), {**OBJECT, "properties": {"y": I}}]}),
        member({"anyOf": [{**OBJECT, "properties": {"y": I}}, member(S, required=True)]}),
        "I30",
        "O30",
    ),
    "a member of a list becomes narrower": (
        member({"type": "array", "items": N}),
        member({"type": "array", "items": I}),
        "I08",
        "O08 O30",
    ),
    "a dict becomes a class": (
        member(OBJECT),
        member({**OBJECT, "properties": {"y": {}}}),
        "I02 I30",
        "O06 O30",
    ),
    "a member is named in Python as another was": (
        {**OBJECT, "properties": {"a-b": S}},
        {**OBJECT, "properties": {"a-b": S, "a_b": S}},
        "I02 I28",
        "O06 O28",
    ),
    "a member becomes invalid": (member(S), {"type": "objekt"}, "T07", "T07"),
    "a schema becomes valid, which was as an older dialect": (
        member({**I, "minimum": 0, "exclusiveMinimum": True}),
        member(S),
        "I08 T07b",
        "O07 T07b",
    ),
    "a tuple in the older way becomes one in the newer": (
        member({"type": "array", "items": [S, S]}),
        member({"type": "array", "prefixItems": [S, S]}),
        "T07b",
        "T07b",
    ),
    "a tuple in the older way is changed": (
        member({"type": "array", "items": [S, S]}),
        member({"type": "array", "items": [S, I]}),
        "I08 U01",
        "O07 U01",
    ),
    "a tuple is written in the older way": (
        member({"type": "array", "prefixItems": [S, S]}),
        member({"type": "array", "items": [S, S]}),
        "T07",
        "T07",
    ),
    "a schema becomes valid": ({"type": "objekt"}, member(S), "T07b", "T07b"),
    "an invalid schema changes": ({"type": "objekt"}, {"type": "objekts"}, "U01", "U01"),
    "a root without members closed": (
        OBJECT,
        {**OBJECT, "additionalProperties": False},
        "I17 I30",
        "O13b O30",
    ),
    "members reordered": (
        {**OBJECT, "properties": {"a": S, "b": I}, "required": ["a", "b"]},
        {**OBJECT, "required": ["b", "a"], "properties": {"b": I, "a": S}},
        "",
        "",
    ),
    "a whole choice of members": (
        {**OBJECT, "properties": AB},
        {**OBJECT, "properties": AB, "anyOf": EITHER},
        "I18",
        "O16b",
    ),
    "a required member listed": (
        {**OBJECT, "required": ["x"]},
        member(S, required=True),
        "I08",
        "O08",
    ),
    "a required member listed and optional": (
        {**OBJECT, "required": ["x"]},
        member({}),
        "I04",
        "O04",
    ),
    "a required member removed": (
        {**OBJECT, "properties": AB, "required": ["a"]},
        {**OBJECT, "properties": {"b": S, "c": S}},
        "I06",
        "O03",
    ),
}


DIRECTIONS = ("input", "output")


def with_schema(direction: str, schema: Json) -> Tool:
    tool: Tool = {"name": "t", "inputSchema": OBJECT}
    return {**tool, f"{direction}Schema": schema}


def assert_rules_of_pair(pair: Pair, direction: str, *, is_whole: bool = False) -> None:
    """Assert that exactly these rules report a change of a property or of a whole schema."""
    old, new, *expected = pair
    schemas = (old, new) if is_whole else (member(old), member(new))
    found = rules(changes(*(with_schema(direction, schema) for schema in schemas)))
    assert found == expected[direction == "output"].split()
