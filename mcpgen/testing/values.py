"""Arguments for a tool: valid ones to begin with, and what differs from them in one place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeGuard

from mcpgen.examples import NoExampleError, example
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.validation import schemas
from mcpgen.validation.references import resolve
from mcpgen.validation.schemas import SchemaValidator

Path = tuple["str | int", ...]

_MOST_EXAMPLES = 12
_MOST_OPTIONS = 6
_LONGEST = 5_000
_LONG = 70_000
"""More than 64 KiB, which some servers read in one line."""

UNICODE = "Zo\u00eb \u4f60\u597d \U0001f389 e\u0301 \u05e9\u05dc\u05d5\u05dd"
UNKNOWN = "mcpgen_unknown"
_REMOVED = object()


@dataclass(frozen=True, slots=True)
class Change:
    """Arguments that differ from valid ones in one place; ``is_named`` if the schema names it."""

    arguments: dict[str, Json]
    path: Path
    how: str
    is_named: bool = False


@dataclass(slots=True)
class Schema:
    """An input schema: what it allows, and values near its limits."""

    schema: Json
    is_judged: bool = field(init=False)
    _validator: SchemaValidator = field(init=False)

    def __post_init__(self) -> None:
        """See whether anything can be validated by it."""
        self.is_judged = schemas.problem(self.schema) is None
        self._validator = SchemaValidator(self.schema if self.is_judged else True)

    def allows(self, value: Json) -> bool:
        """Say whether it allows a value; nothing is forbidden by what cannot be judged."""
        return not self.errors(value)

    def errors(self, value: Json) -> list[Any]:
        """Return the first ways in which a value breaks it."""
        try:
            return self._validator.errors(value)
        except (RecursionError, OverflowError):
            return []

    def examples(self, seed: int) -> Iterator[dict[str, Json]]:
        """Yield different arguments that are allowed, the fullest first."""
        seen: set[str] = set()
        for number in range(_MOST_EXAMPLES):
            try:
                # The first is the same for every seed: all members, the likeliest values.
                value = example(self.schema, 0 if number == 0 else seed * 1000 + number)
            except NoExampleError:
                return
            key = json.dumps(value, sort_keys=True)
            if is_object(value) and key not in seen:
                seen.add(key)
                yield value

    def frugal(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Leave out what may be left out."""
        kept = dict(arguments)
        for name in arguments:
            fewer = {key: value for key, value in kept.items() if key != name}
            if self.allows(fewer):
                kept = fewer
        return kept

    def wide(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """Add what may be added, made up."""
        kept = dict(arguments)
        for name, part in _absent(kept, alternatives(self.schema, self.schema)).items():
            for made in islice(_made(part, self.schema), 1):
                if self.allows({**kept, name: made}):
                    kept[name] = made
        return kept

    def filled(
        self, arguments: dict[str, Json], known: Callable[[str], Sequence[Json]]
    ) -> dict[str, Json]:
        """Put what is known by the name of an inner member into its place."""
        kept: Json = arguments
        for path, value, _ in _places(self.schema, arguments):
            if len(path) < 2 or not isinstance(path[-1], str) or not isinstance(value, str | int):
                continue
            for other in known(path[-1]):
                changed = with_value(kept, path, other)
                if self.allows(changed):
                    kept = changed
                    break
        return kept if is_object(kept) else arguments

    def options(self) -> dict[str, list[Json]]:
        """Return the arguments that have few values, with these."""
        found: dict[str, list[Json]] = {}
        for name, part in self.members().items():
            for node in alternatives(self.schema, part):
                listed = node.get("enum")
                if is_array(listed) and 1 < len(listed) <= _MOST_OPTIONS:
                    found[name] = listed
                elif node.get("type") == "boolean":
                    found[name] = [True, False]
        return found

    def changes(self, arguments: dict[str, Json]) -> Iterator[Change]:
        """Yield arguments that differ in one place, each allowed or not."""
        seen: set[str] = {json.dumps(arguments, sort_keys=True)}
        for path, value, nodes in _places(self.schema, arguments):
            for new, how, is_named in _others(value, nodes, self.schema):
                changed = with_value(arguments, path, new)
                key = json.dumps(changed, sort_keys=True, default=str)
                if is_object(changed) and key not in seen:
                    seen.add(key)
                    yield Change(changed, path, how, is_named)

    def names(self) -> list[str]:
        """Return the arguments that it names."""
        return list(self.members())

    def members(self) -> dict[str, Json]:
        """Return the arguments that it names, with their schemas."""
        found: dict[str, Json] = {}
        for node in alternatives(self.schema, self.schema):
            listed = node.get("properties")
            found.update(listed if is_object(listed) else {})
        return found

    def required(self) -> set[str]:
        """Return the arguments that are always needed."""
        nodes = alternatives(self.schema, self.schema)
        listed: list[list[Json]] = [node.get("required", []) for node in nodes]
        return {name for names in listed if is_array(names) for name in names}


def alternatives(root: Json, schema: Json, depth: int = 0) -> list[dict[str, Json]]:
    """Return the objects of keywords that apply to a value, or may: references are followed."""
    if not is_object(schema) or depth > 8:
        return []
    found = [schema]
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref.startswith("#") and (target := resolve(root, ref)):
        found += alternatives(root, target[1], depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        listed = schema.get(keyword)
        for each in listed if is_array(listed) else []:
            found += alternatives(root, each, depth + 1)
    return found


def _places(
    root: Json, value: Json, path: Path = (), nodes: list[dict[str, Json]] | None = None
) -> Iterator[tuple[Path, Json, list[dict[str, Json]]]]:
    """Yield each place of a value, with the schemas that speak of it."""
    if nodes is None:
        nodes = alternatives(root, root)
    yield path, value, nodes
    if len(path) > 4:
        return
    if is_object(value):
        for name, each in value.items():
            inner = [part for node in nodes for part in alternatives(root, _member(node, name))]
            yield from _places(root, each, (*path, name), inner)
    elif is_array(value):
        for at, each in enumerate(value[:2]):
            inner = [part for node in nodes for part in alternatives(root, _item(node, at))]
            yield from _places(root, each, (*path, at), inner)


def _member(node: dict[str, Json], name: str) -> Json:
    listed = node.get("properties")
    if is_object(listed) and name in listed:
        return listed[name]
    return node.get("additionalProperties")


def _item(node: dict[str, Json], at: int) -> Json:
    prefix = node.get("prefixItems")
    if is_array(prefix) and at < len(prefix):
        return prefix[at]
    return node.get("items")


def _others(
    value: Json, nodes: list[dict[str, Json]], root: Json
) -> Iterator[tuple[Any, str, bool]]:
    """Yield other values for a place, and what is done to it: the schema's own limits first."""
    for node in nodes:
        yield from _limits(value, node)
    if is_object(value):
        for name in value:
            yield without(value, name), f"without {name}", False
        if any("properties" in node for node in nodes):
            yield {**value, UNKNOWN: "text"}, "with an unknown member", False
        for name, part in _absent(value, nodes).items():
            for found in islice(_made(part, root), 1):
                yield {**value, name: found}, f"with {name}", False
    if is_array(value):
        yield [], "empty", False
        yield value * 2, "twice as long", False
    if isinstance(value, str):
        yield "", "empty", False
        yield UNICODE, "beyond ASCII", False
        yield "x" * _LONG, f"{_LONG:,} characters", False
        yield f" {value} ", "with spaces around", False
        yield f"{value}\n'\";--<>&${{}}\\", "with punctuation", False
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from ((number, "another number", False) for number in (0, -1, 2**31, 1.5, 1e300))
        yield str(value), "its text", False
    for other, kind in _TYPES:
        if type(other) is not type(value):
            yield other, kind, False


_TYPES: tuple[tuple[Json, str], ...] = (
    (None, "null"),
    ("text", "a text"),
    (12345, "a number"),
    (True, "a boolean"),
    ([], "a list"),
    ({}, "an object"),
)


def without(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return an object without a member."""
    return {key: each for key, each in value.items() if key != name}


def _absent(value: dict[str, Json], nodes: list[dict[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for node in nodes:
        listed = node.get("properties")
        if is_object(listed):
            found.update({name: part for name, part in listed.items() if name not in value})
    return found


def _made(part: Json, root: Json) -> Iterator[Json]:
    named = {key: root[key] for key in ("$defs", "definitions", "$schema") if key in root}
    try:
        yield example({**named, **part} if is_object(part) else part)
    except (NoExampleError, RecursionError):
        return


def _limits(value: Json, node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    """Yield what stands at the limits that a schema names, and beyond them."""
    listed = node.get("enum")
    if is_array(listed):
        yield from ((each, f"of the enum: {json.dumps(each)}", True) for each in listed[:12])
        yield "mcpgen-none-of-these", "not of the enum", False
    for keyword, step in (("minimum", -1), ("maximum", 1)):
        limit = node.get(keyword)
        if _is_number(limit):
            yield limit, keyword, True
            yield limit + step, f"beyond {keyword}", False
    for keyword, step in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        limit = node.get(keyword)
        if _is_number(limit):
            yield limit + step, f"beside {keyword}", True
            yield limit, keyword, False
    part = node.get("multipleOf")
    if _is_number(part) and _is_number(value):
        yield value + part / 2, "no multiple", False
    if isinstance(value, str):
        yield from _lengths(value, node)
        if "pattern" in node:
            yield "\u00a7 no match \u00a7", "against the pattern", False
    if is_array(value):
        yield from _counts(value, node)


def _lengths(value: str, node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    low, high = node.get("minLength"), node.get("maxLength")
    if isinstance(low, int) and 0 < low < _LONGEST:
        yield _fitted(value, low), "minLength", True
        yield _fitted(value, low - 1), "shorter than minLength", False
    if isinstance(high, int) and 0 <= high < _LONGEST:
        yield _fitted(value, high), "maxLength", True
        yield _fitted(value, high + 1), "longer than maxLength", False


def _fitted(value: str, length: int) -> str:
    return (value or "x")[:length].ljust(length, "x")


def _counts(value: list[Json], node: dict[str, Json]) -> Iterator[tuple[Any, str, bool]]:
    low, high = node.get("minItems"), node.get("maxItems")
    if isinstance(low, int) and 0 < low < 200 and value:
        yield value[: low - 1], "fewer than minItems", False
    if isinstance(high, int) and 0 <= high < 200 and value:
        times = high // len(value) + 1
        yield (value * times)[:high], "maxItems", node.get("uniqueItems") is not True
        yield (value * (times + 1))[: high + 1], "more than maxItems", False
    if node.get("uniqueItems") is True and value:
        yield [*value, value[0]], "not unique", False


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def with_value(root: Json, path: Path, new: Any) -> Json:
    """Return a copy with another value at a place."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if is_object(root):
        return {**root, str(step): with_value(root[str(step)], rest, new)}
    items = list(root)
    items[int(step)] = with_value(items[int(step)], rest, new)
    return items


def at(path: Path) -> str:
    """Return a place as a JSON pointer."""
    return pointer(path)
