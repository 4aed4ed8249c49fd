"""Generates other values for a position: at or beyond the limits of a schema, or of other types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.testing.arguments.value_paths import absent, without_property

_LONGEST = 5_000
_NUMBERS = (0, -1, 2**31, 1e300)
_LONG = 70_000
"""More than 64 KiB, which some servers read in one line."""

UNICODE = "Zo\u00eb \u4f60\u597d \U0001f389 e\u0301 \u05e9\u05dc\u05d5\u05dd"
UNKNOWN = "mcpgen_unknown"
TRUE_FOR_A_NUMBER = "true for a number"
"""The change of a number to true, which is 1 in some languages."""


def other_values(
    value: Json, nodes: list[dict[str, Json]], root: Json
) -> Iterator[tuple[Any, str, bool]]:
    """Yield other values for a position, and their description. The schema's limits come first."""
    for node in nodes:
        yield from _limits(value, node)
    if is_object(value):
        for name in value:
            yield without_property(value, name), f"without {name}", False
        if any("properties" in node for node in nodes):
            yield {**value, UNKNOWN: "text"}, "more: an unknown property", False
        yield from _properties(value, nodes)
        for name, part in absent(value, nodes).items():
            for example_value in example_of(part, root):
                yield {**value, name: example_value}, f"with {name}", False
    if is_array(value):
        yield [], "empty", False
        yield value * 2, "twice as long", False
    if isinstance(value, str):
        yield "", "empty", False
        yield UNICODE, "beyond ASCII", False
        yield "x" * _LONG, f"{_LONG:,} characters", False
        yield f" {value} ", "with spaces around", False
        yield f"{value}\n'\";--<>&${{}}\\", "with punctuation", False
    if is_number(value):
        yield True, TRUE_FOR_A_NUMBER, False
        yield _fraction(value, nodes), "a fraction", False
        yield from ((number, f"another number: {number:g}", False) for number in _NUMBERS)
        yield str(value), "its text", False
    for other, kind in TYPES:
        if type(other) is not type(value):
            yield other, kind, False


def _fraction(value: float, nodes: list[dict[str, Json]]) -> float:
    """Return a fraction that violates only the type integer, but no limit."""
    limits = [node["maximum"] for node in nodes if is_number(node.get("maximum"))]
    beside = value + 0.5
    return beside if all(beside <= limit for limit in limits) else value - 0.5


def _properties(
    value: dict[str, Json], nodes: list[dict[str, Json]]
) -> Iterator[tuple[Any, str, bool]]:
    """Yield objects whose property names, or number of properties, the schema forbids."""
    for node in nodes:
        if "propertyNames" in node:
            yield {**value, "\u00a7 1": "text"}, "not of the property names", False
        low, high = node.get("minProperties"), node.get("maxProperties")
        if isinstance(low, int) and low > 0:
            yield dict([*value.items()][: low - 1]), "fewer than minProperties", False
        if isinstance(high, int) and 0 <= high < 100 and value:
            more = {f"{name}{at}": item for name, item in value.items() for at in range(high + 1)}
            yield more, "more than maxProperties", False


TYPES: tuple[tuple[Json, str], ...] = (
    (None, "null"),
    ("text", "a text"),
    (12345, "a number"),
    (True, "a boolean"),
    ([], "a list"),
    ({}, "an object"),
)


def example_of(part: Json, root: Json) -> list[Json]:
    """Return a list with one value that a subschema allows, or an empty list."""
    named = {key: root[key] for key in ("$defs", "definitions", "$schema") if key in root}
    try:
        return [example({**named, **part} if is_object(part) else part)]
    except (NoExampleError, RecursionError):
        return []


def _limits(value: Json, node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    """Yield values at the limits of a schema, and beyond them."""
    listed = node.get("enum")
    if is_array(listed):
        yield from ((item, f"enum value: {json.dumps(item)}", True) for item in listed[:12])
        yield "mcpgen-none-of-these", "not of the enum", False
        swapped = [item.swapcase() for item in listed if isinstance(item, str)]
        swapped = [item for item in swapped if item not in listed]
        yield from ((item, "not of the enum: in other letters", False) for item in swapped[:1])
    for keyword, step in (("minimum", -1), ("maximum", 1)):
        limit = node.get(keyword)
        if is_number(limit):
            yield limit, keyword, True
            yield limit + step, f"beyond {keyword}", False
    for keyword, step in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        limit = node.get(keyword)
        if is_number(limit):
            yield limit + step, f"beside {keyword}", True
            yield limit, keyword, False
    part = node.get("multipleOf")
    if is_number(part) and is_number(value):
        yield value + part / 2, "not a multiple", False
    if isinstance(value, str):
        yield from _lengths(value, node)
        if "pattern" in node:
            yield "\u00a7 no match \u00a7", "against the pattern", False
            yield f"{value}x", "not of the pattern: text after it", False
            yield f"x{value}", "not of the pattern: text before it", False
    if is_array(value):
        yield from _counts(value, node)


def _lengths(value: str, node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    low, high = node.get("minLength"), node.get("maxLength")
    is_named = "format" not in node  # a truncated address may be invalid
    if isinstance(low, int) and 0 < low < _LONGEST:
        yield _resize(value, low), "minLength", is_named
        yield _resize(value, low - 1), "shorter than minLength", False
    if isinstance(high, int) and 0 <= high < _LONGEST:
        yield _resize(value, high), "maxLength", is_named
        yield _resize(value, high + 1), "longer than maxLength", False


def _resize(value: str, length: int) -> str:
    return (value or "x")[:length].ljust(length, "x")


def _counts(value: list[Json], node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    low, high = node.get("minItems"), node.get("maxItems")
    if isinstance(low, int) and 0 < low < 200 and value:
        yield value[: low - 1], "fewer than minItems", False
    if isinstance(high, int) and 0 <= high < 200 and value:
        is_set = node.get("uniqueItems") is True
        more = distinct_items(value, high + 1) if is_set else (value * (high + 1))[: high + 1]
        yield more[:high], "maxItems", not is_set
        yield more, "more than maxItems", False
    if node.get("uniqueItems") is True and value:
        yield [*value, value[0]], "not unique", False


def distinct_items(value: list[Json], count: int) -> list[Json]:
    """Return ``count`` different items, deriving missing ones from the first."""
    first = value[0]
    if isinstance(first, str):
        return [*value, *(f"{first[:-2]}{number:02}" for number in range(count))][:count]
    if is_number(first):
        return [*value, *(max(value) + number for number in range(1, count + 1))][:count]
    return (value * count)[:count]
