"""Strings, numbers, booleans and null: their bounds as Pydantic keeps them, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Sequence as Listed

from mcpgen.jsontext import Json
from mcpgen.types.constraints import Facets
from mcpgen.types.nodes import (
    NULL,
    Anything,
    Bounds,
    Choice,
    Fixed,
    Mapping,
    Never,
    Node,
    Scalar,
    Sequence,
    children,
)

KINDS = ("string", "integer", "number", "boolean", "null")
TYPED_FORMATS = frozenset({"date", "date-time", "uuid", "uri"})

_NAMES = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}
_EXACT_DOUBLE = 2**53
_LONG_CHOICE = 60
_LONG_TYPE = 40


def scalar(kind: str, facets: Facets) -> tuple[Node, bool]:
    """Return the type of one scalar kind, and whether it says all that the facets say of it."""
    if kind == "string":
        found, exact = bounds(facets, "minLength", "maxLength", whole=True)
        return Scalar(kind, found, facets.format if facets.format in TYPED_FORMATS else ""), exact
    if kind == "integer":
        return _integer(facets)
    if kind == "number":
        keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        found, exact = bounds(facets, *keys, whole=False)
        return Scalar(kind, found), exact and "multipleOf" not in facets.bounds
    return Scalar(kind), True


def _integer(facets: Facets) -> tuple[Node, bool]:
    found: dict[str, int | float] = {}
    for keyword, value in facets.bounds.items():
        if keyword in ("minimum", "exclusiveMaximum"):
            found[_NAMES[keyword]] = math.ceil(value)
        elif keyword in ("maximum", "exclusiveMinimum"):
            found[_NAMES[keyword]] = math.floor(value)
    exact = all(abs(value) < _EXACT_DOUBLE for value in found.values())
    step = facets.bounds.get("multipleOf")
    if isinstance(step, int) and 0 < step < _EXACT_DOUBLE:
        found["multiple_of"] = step
    elif step is not None:
        exact = False
    kept = {name: value for name, value in found.items() if abs(value) < _EXACT_DOUBLE}
    return Scalar("integer", tuple(sorted(kept.items()))), exact


def bounds(facets: Facets, *keywords: str, whole: bool) -> tuple[Bounds, bool]:
    """Return bounds by Pydantic's names; those it cannot keep exactly are left to the law."""
    found: list[tuple[str, int | float]] = []
    exact = True
    for keyword in keywords:
        value = facets.bounds.get(keyword)
        if value is None or (value == 0 and keyword in ("minLength", "minItems")):
            continue
        small = abs(value) < _EXACT_DOUBLE and math.isfinite(value)
        if not small or (whole and (value != int(value) or value < 0)):
            exact = False
            continue
        found.append((_NAMES[keyword], int(value) if whole else value))
    return tuple(found), exact


def is_one_of(value: Json, kinds: tuple[str, ...] | None) -> bool:
    """Say whether a JSON value is of one of the named types."""
    if kinds is None:
        return True
    names = {_kind_name(value)}
    if isinstance(value, float) and value.is_integer():
        names.add("integer")
    if names & {"integer"}:
        names.add("number")
    return not names.isdisjoint(kinds)


def _kind_name(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    named = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return named[type(value)]


def kind_of(value: Json) -> Node:
    """Return the widest type of a JSON value."""
    name = _kind_name(value)
    if name == "array":
        return Sequence(Anything())
    if name == "object":
        return Mapping(Anything())
    return Scalar("number" if name == "integer" else name)


def are_apart(nodes: Listed[Node]) -> bool:
    """Say whether no JSON value is of two of these types, as far as their kinds tell."""
    choices = [value for node in nodes if isinstance(node, Choice) for value in node.values]
    if all(isinstance(node, Choice) for node in nodes):
        return len({(type(value), value) for value in choices}) == len(choices)
    seen: set[str] = set()
    for node in nodes:
        kinds = _kinds(node)
        if kinds is None or seen & kinds:
            return False
        seen |= kinds
    return True


def _kinds(node: Node) -> set[str] | None:
    if node == NULL:
        return {"null"}
    if isinstance(node, Never):
        return set()
    if isinstance(node, Scalar):
        return {"number" if node.kind == "integer" else node.kind}
    if isinstance(node, Choice):
        return {"number" if _kind_name(v) == "integer" else _kind_name(v) for v in node.values}
    if isinstance(node, Sequence | Fixed):
        return {"array"}
    return {"object"} if isinstance(node, Mapping) else None


def is_long(node: Node) -> bool:
    """Say whether a type is so long to say that it is worth a name."""
    if isinstance(node, Choice):
        return sum(len(str(value)) + 4 for value in node.values) > _LONG_CHOICE
    return _size(node) > _LONG_TYPE


def _size(node: Node) -> int:
    """Count the parts of a type; those that have a name count as one."""
    return 1 + sum(map(_size, children(node)))


def is_literal(value: Json) -> bool:
    """Say whether ``Literal`` can hold a value: an encodable text, or an integer of 64 bits."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, bool | int) and -(2**63) <= int(value) < 2**63
