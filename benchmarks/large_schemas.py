"""Forty schemas for large values, each with a valid value of any size and an invalid one.

They are based on JSON Schema's vocabulary alone, not on the validator: each kind of keyword for
many items, for one object with many properties, and in recursive schemas.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcpgen.jsontext import Json

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


@dataclass(frozen=True, slots=True)
class Case:
    """A schema, a valid value of a size, and one with a single fault."""

    schema: Json
    valid: Callable[[int], Any]
    spoil: Callable[[Any], Any]
    max_size: int = 100_000
    """A recursive value is no larger than JSON text may be nested."""


def obj(*required: str, **properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(required)}


def items(item: Json, make: Callable[[int], Any], bad: Any, **more: Json) -> Case:
    """A case of many items, the last of which is bad."""

    def spoil(value: Any) -> Any:
        return [*value[:-1], bad]

    def valid(size: int) -> Any:
        return [make(number) for number in range(size)]

    return Case({"type": "array", "items": item, **more}, valid, spoil)


def members(schema: Json, make: Callable[[int], tuple[str, Any]], name: str, bad: Any) -> Case:
    """A case of one object with many properties."""

    def spoil(value: Any) -> Any:
        return {**value, name: bad}

    return Case(schema, lambda size: dict(make(number) for number in range(size)), spoil)


def tree(schema: Json, leaf: Any, node: Callable[[list[Any]], Any], bad: Any) -> Case:
    """A case of a tree with ten children a node."""

    def valid(size: int) -> Any:
        level = [copy.deepcopy(leaf) for _ in range(max(size * 9 // 10, 1))]
        while len(level) > 1:
            level = [node(level[at : at + 10]) for at in range(0, len(level), 10)]
        return level[0]

    def spoil(value: Any) -> Any:
        return node([value, bad])

    return Case(schema, valid, spoil)


STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
_SHAPE = {
    "oneOf": [
        obj("kind", "r", kind={"const": "circle"}, r=NUMBER),
        obj("kind", "a", kind={"const": "square"}, a=NUMBER),
        obj("kind", "w", "h", kind={"const": "box"}, w=NUMBER, h=NUMBER),
    ]
}
_EXPRESSION: Json = {
    "$ref": "#/$defs/E",
    "$defs": {
        "E": {
            "type": "object",
            "properties": {
                "op": {"enum": ["+", "*"]},
                "args": {
                    "type": "array",
                    "items": {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/E"}]},
                },
            },
            "required": ["op", "args"],
        }
    },
}


def _chain(size: int) -> Any:
    value: Any = None
    for number in range(size):
        value = {"id": number, "next": value}
    return value


CASES: dict[str, Case] = {
    "integers in bounds": items(
        {"type": "integer", "minimum": 0, "maximum": 10**9}, lambda n: n, -1
    ),
    "multiples of 0.01": items({"type": "number", "multipleOf": 0.01}, lambda n: n / 100, 0.005),
    "lengths in characters": items(
        {"type": "string", "minLength": 2, "maxLength": 9},
        lambda n: f"\U0001f332{n}",
        "\U0001f332" * 10,
    ),
    "closed objects": items(
        {**obj("id", id=INTEGER, name=STRING), "additionalProperties": False},
        lambda n: {"id": n, "name": f"n{n}"},
        {"id": 1, "nom": "x"},
    ),
    "nested arrays": items(
        {"type": "array", "items": {"type": "array", "items": INTEGER}},
        lambda n: [[n, n], [n]],
        [[1], ["x"]],
    ),
    "tuples": items(
        {"type": "array", "prefixItems": [STRING, INTEGER], "items": False, "minItems": 2},
        lambda n: [f"k{n}", n],
        ["k", 1, 2],
    ),
    "unique integers": items(INTEGER, lambda n: n, 0, uniqueItems=True),
    "unique strings": items(STRING, lambda n: f"s{n}", "s0", uniqueItems=True),
    "unique objects": items(
        obj("id", id=INTEGER), lambda n: {"id": n, "t": [n]}, {"id": 0, "t": [0]}, uniqueItems=True
    ),
    "one and true differ": items(
        {"enum": [1, "a", None, 2.5, [1], {"a": 1}]},
        lambda n: [1, "a", None, 2.5, [1], {"a": 1}][n % 6],
        True,
    ),
    "large constants": items(
        {"const": {"k": list(range(20))}}, lambda _: {"k": list(range(20))}, {"k": []}
    ),
    "enum of objects": items(
        {"enum": [{"a": n, "b": [n]} for n in range(200)]},
        lambda n: {"b": [n % 200], "a": n % 200},
        {"a": 1, "b": [2]},
    ),
    "tagged shapes": items(
        _SHAPE, lambda n: {"kind": "box", "w": n, "h": 1}, {"kind": "box", "w": 1}
    ),
    "untagged shapes": items(
        {"anyOf": [obj("r", r=NUMBER), obj("w", "h", w=NUMBER, h=NUMBER)]},
        lambda n: {"w": n, "h": n} if n % 2 else {"r": n},
        {"w": 1},
    ),
    "exactly one of overlapping": items(
        {"oneOf": [{"multipleOf": 3}, {"multipleOf": 5}]},
        lambda n: 3 * (5 * n + 1),
        15,
    ),
    "three levels of unions": items(
        {"anyOf": [{"anyOf": [{"anyOf": [INTEGER, STRING]}, {"type": "null"}]}, {"type": "array"}]},
        lambda n: [n, f"s{n}", None, [n]][n % 4],
        {},
    ),
    "not": items({"not": {"anyOf": [STRING, {"minimum": 10**6}]}}, lambda n: n, 10**6),
    "if then else": items(
        {
            "if": {"properties": {"t": {"const": "i"}}, "required": ["t"]},
            "then": obj("v", v=INTEGER),
            "else": obj("v", v=STRING),
        },
        lambda n: {"t": "i", "v": n} if n % 2 else {"t": "s", "v": "x"},
        {"t": "i", "v": "x"},
    ),
    "dependent properties": items(
        {"dependentRequired": {"card": ["street", "city"]}, "dependentSchemas": {"x": obj("y")}},
        lambda n: {"card": n, "street": "s", "city": "c", "x": 1, "y": 2},
        {"card": 1, "street": "s"},
    ),
    "all of references": items(
        {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
        lambda n: {"a": n, "b": "x"},
        {"a": 1, "b": 2},
        **{"$defs": {"a": obj("a", a=INTEGER), "b": obj("b", b=STRING)}},
    ),
    "contains enough": Case(
        {"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 3},
        lambda size: [1, 1, *range(2, size)],
        lambda value: [*value, 1, 1],
    ),
    "prefix, then nothing unevaluated": items(
        {"prefixItems": [STRING], "contains": INTEGER, "unevaluatedItems": False},
        lambda n: ["a", n, n + 1],
        ["a", 1, "x"],
    ),
    "many unevaluated items": Case(
        {"prefixItems": [STRING], "contains": INTEGER, "unevaluatedItems": False},
        lambda size: ["a", *range(size)],
        lambda value: [*value, "x"],
    ),
    "unevaluated behind if": items(
        {
            **obj("a", a=INTEGER),
            "if": obj("b"),
            "then": {"properties": {"b": INTEGER, "c": STRING}},
            "unevaluatedProperties": False,
        },
        lambda n: {"a": n, "b": n, "c": "x"} if n % 2 else {"a": n},
        {"a": 1, "c": "x"},
    ),
    "unevaluated behind a reference": items(
        {"$ref": "#/$defs/a", "properties": {"b": STRING}, "unevaluatedProperties": False},
        lambda n: {"a": n, "b": "x"},
        {"a": 1, "z": 0},
        **{"$defs": {"a": obj("a", a=INTEGER)}},
    ),
    "many unevaluated properties": members(
        {"patternProperties": {"^k": INTEGER}, "unevaluatedProperties": STRING},
        lambda n: (f"k{n}", n) if n % 2 else (f"x{n}", "s"),
        "x0",
        1,
    ),
    "a map": members(
        {"type": "object", "additionalProperties": obj("v", v=INTEGER)},
        lambda n: (f"k{n}", {"v": n}),
        "k0",
        {"v": "x"},
    ),
    "pattern properties": members(
        {"patternProperties": {r"^\d+$": INTEGER, "^s_": STRING}, "additionalProperties": False},
        lambda n: (str(n), n) if n % 2 else (f"s_{n}", "x"),
        "other",
        1,
    ),
    "property names": members(
        {"propertyNames": {"pattern": "^[a-z]+[0-9]+$", "maxLength": 12}},
        lambda n: (f"k{n}", n),
        "K",
        1,
    ),
    "so many properties": Case(
        {"type": "object", "minProperties": 1, "maxProperties": 100_000},
        lambda size: {f"k{number}": number for number in range(size)},
        lambda value: {**value, **{f"x{number}": 0 for number in range(100_001 - len(value))}},
    ),
    "dates by pattern": items(
        {"pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"},
        lambda n: f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}",
        "2026-13-01",
    ),
    "look-behind": items({"pattern": r"(?<!a)b(?<=b)c"}, lambda n: f"{n}xbc", "abc"),
    "password by look-ahead": items(
        {"pattern": r"^(?=.*\d)(?=.*[a-z])(?!.*\s).{6,20}$"}, lambda n: f"pass{n:06}", "pass word1"
    ),
    "letters of any script": items(
        {"pattern": r"^[\p{L}\p{N} ]+$"}, lambda n: f"\u00e9t\u00e9 \u65e5\u672c {n}", "a-b"
    ),
    "alternatives that overlap": items(
        {"pattern": r"^(a|ab|abc|[a-c]+)+d$"}, lambda n: "abc" * (n % 5 + 1) + "d", "abcabcabcabcab"
    ),
    "expression tree": tree(
        _EXPRESSION, {"op": "+", "args": [1, 2]}, lambda args: {"op": "*", "args": args}, "x"
    ),
    "tree of unions with tags": tree(
        {
            "$ref": "#/$defs/N",
            "$defs": {
                "N": {
                    "oneOf": [
                        obj("t", "v", t={"const": "leaf"}, v=INTEGER),
                        obj(
                            "t",
                            "c",
                            t={"const": "node"},
                            c={"type": "array", "items": {"$ref": "#/$defs/N"}},
                        ),
                    ]
                }
            },
        },
        {"t": "leaf", "v": 1},
        lambda children: {"t": "node", "c": children},
        {"t": "leaf", "v": "x"},
    ),
    "dynamic tree": tree(
        {
            "$id": "https://example.org/strict",
            "$dynamicAnchor": "node",
            "$ref": "https://example.org/tree",
            "unevaluatedProperties": False,
            "$defs": {
                "tree": {
                    "$id": "https://example.org/tree",
                    "$dynamicAnchor": "node",
                    "type": "object",
                    "properties": {
                        "data": True,
                        "children": {"type": "array", "items": {"$dynamicRef": "#node"}},
                    },
                }
            },
        },
        {"data": 1},
        lambda children: {"data": 0, "children": children},
        {"daat": 1},
    ),
    "recursive reference of 2019-09": tree(
        {
            "$schema": DRAFT_2019,
            "type": "object",
            "properties": {
                "v": {"type": "integer"},
                "c": {"type": "array", "items": {"$recursiveRef": "#"}},
            },
            "required": ["v"],
        },
        {"v": 1},
        lambda children: {"v": 0, "c": children},
        {"v": "x"},
    ),
    "linked list": Case(
        {
            "$ref": "#/$defs/L",
            "$defs": {
                "L": {
                    "anyOf": [
                        {"type": "null"},
                        obj("id", "next", id=INTEGER, next={"$ref": "#/$defs/L"}),
                    ]
                }
            },
        },
        _chain,
        lambda value: {"id": "x", "next": value["next"]},
        max_size=1_000,  # jsonschema-rs itself overflows the stack for more
    ),
    "draft-04 bounds": items(
        {"type": "number", "maximum": 10**6, "exclusiveMaximum": True},
        lambda n: n,
        10**6,
        **{"$schema": DRAFT_4},
    ),
    "draft-07 dependencies": items(
        {"dependencies": {"a": ["b"], "c": obj("d", d=INTEGER)}, "additionalProperties": True},
        lambda n: {"a": n, "b": 1, "c": 1, "d": n},
        {"c": 1, "d": "x"},
        **{"$schema": DRAFT_7},
    ),
}
