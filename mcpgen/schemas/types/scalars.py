"""Infers strings, numbers, booleans and null, with bounds by Pydantic's names."""

from __future__ import annotations

import math
from collections.abc import Mapping as Names
from collections.abc import Sequence as Listed
from typing import Literal, get_args

from mcpgen.errors import unforeseen
from mcpgen.jsontext import Json
from mcpgen.schemas.types.constraints import Constraints
from mcpgen.schemas.types.nodes import (
    Anything,
    Bounds,
    Choice,
    Fixed,
    Kind,
    Mapping,
    Never,
    Node,
    Reference,
    Scalar,
    Sequence,
    Union,
    children,
)

KINDS: Names[str, Kind] = {kind: kind for kind in get_args(Kind)}
"""The types of JSON Schema that are scalars, by their names."""
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


def scalar(kind: Kind, constraints: Constraints) -> tuple[Node, bool]:
    """Return the type of a scalar, and whether it is exact."""
    if kind == "string":
        lengths, exact = bounds(constraints, "minLength", "maxLength", integral=True)
        typed_format = constraints.format if constraints.format in TYPED_FORMATS else ""
        return Scalar(kind, lengths, typed_format), exact
    if kind == "integer":
        return _integer(constraints)
    if kind == "number":
        keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        limits, exact = bounds(constraints, *keys, integral=False)
        return Scalar(kind, limits), exact and "multipleOf" not in constraints.bounds
    return Scalar(kind), True


def _integer(constraints: Constraints) -> tuple[Node, bool]:
    limits: dict[str, int | float] = {}
    for keyword, value in constraints.bounds.items():
        if keyword in ("minimum", "exclusiveMaximum"):
            limits[_NAMES[keyword]] = math.ceil(value)
        elif keyword in ("maximum", "exclusiveMinimum"):
            limits[_NAMES[keyword]] = math.floor(value)
    exact = all(abs(value) < _EXACT_DOUBLE for value in limits.values())
    step = constraints.bounds.get("multipleOf")
    if isinstance(step, int) and 0 < step < _EXACT_DOUBLE:
        limits["multiple_of"] = step
    elif step is not None:
        exact = False
    small = {name: value for name, value in limits.items() if abs(value) < _EXACT_DOUBLE}
    return Scalar("integer", tuple(sorted(small.items()))), exact


def bounds(constraints: Constraints, *keywords: str, integral: bool) -> tuple[Bounds, bool]:
    """Return bounds by Pydantic's names, and whether all of them are exact."""
    limits: list[tuple[str, int | float]] = []
    exact = True
    for keyword in keywords:
        value = constraints.bounds.get(keyword)
        if value is None or (value == 0 and keyword in ("minLength", "minItems")):
            continue
        small = abs(value) < _EXACT_DOUBLE and math.isfinite(value)
        if not small or (integral and (value != int(value) or value < 0)):
            exact = False
            continue
        limits.append((_NAMES[keyword], int(value) if integral else value))
    return tuple(limits), exact


def is_one_of(value: Json, kinds: tuple[str, ...] | None) -> bool:
    """Return True if a JSON value has one of the named types."""
    if kinds is None:
        return True
    names = {_kind_name(value)}
    if isinstance(value, float) and value.is_integer():
        names.add("integer")
    if names & {"integer"}:
        names.add("number")
    return not names.isdisjoint(kinds)


def _kind_name(value: Json) -> Kind | Literal["array", "object"]:
    return _KIND_NAMES[type(value)]


_KIND_NAMES: Names[type, Kind | Literal["array", "object"]] = {
    type(None): "null",
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def kind_of(value: Json) -> Node:
    """Return the widest type of a JSON value."""
    name = _kind_name(value)
    match name:
        case "array":
            return Sequence(Anything())
        case "object":
            return Mapping(Anything())
        case _:
            return Scalar("number" if name == "integer" else name)


def are_apart(nodes: Listed[Node]) -> bool:
    """Return True if these types have disjoint JSON types."""
    choices = [value for node in nodes if isinstance(node, Choice) for value in node.values]
    if all(isinstance(node, Choice) for node in nodes):
        return len({(type(value), value) for value in choices}) == len(choices)
    earlier: set[str] = set()
    for node in nodes:
        kinds = _kinds(node)
        if kinds is None or earlier & kinds:
            return False
        earlier |= kinds
    return True


def _kinds(node: Node) -> set[str] | None:
    """Return the JSON types of a node, or None if they are unknown."""
    match node:
        case Never():
            return set()
        case Scalar():
            return {"number" if node.kind == "integer" else node.kind}
        case Choice():
            return {"number" if _kind_name(v) == "integer" else _kind_name(v) for v in node.values}
        case Sequence() | Fixed():
            return {"array"}
        case Mapping():
            return {"object"}
        case Anything() | Reference() | Union():
            return None
        case _:
            raise unforeseen(node)


def is_long(node: Node) -> bool:
    """Return True if a type is so long that it deserves a name."""
    if isinstance(node, Choice):
        return sum(len(str(value)) + 4 for value in node.values) > _LONG_CHOICE
    return _size(node) > _LONG_TYPE


def _size(node: Node) -> int:
    """Count the parts of a type. Named parts count as one."""
    return 1 + sum(map(_size, children(node)))


def is_literal(value: Json) -> bool:
    """Return True if ``Literal`` can contain a value: an encodable string or a 64-bit integer."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, bool | int) and -(2**63) <= int(value) < 2**63
