"""Lint of a valid schema: defaults that it forbids, patterns that are not always checked."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TypeAlias

from mcpgen.display import brief
from mcpgen.errors import Problem
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.validation.keywords import limits
from mcpgen.validation.references import subschemas
from mcpgen.validation.regexes import patterns
from mcpgen.validation.schemas import SchemaValidator

_MOST_PATTERN_STEPS = 50_000  # for all defaults of one schema


def bad_defaults(schema: Json) -> Iterator[str]:
    """Yield the pointer of every ``default`` that its own schema forbids."""
    with limits.within(_MOST_PATTERN_STEPS):
        paths = [*_bad_defaults(schema)]
    yield from (f"{path}/default" for path in paths)


def _bad_defaults(schema: Json) -> Iterator[str]:
    validator: SchemaValidator | None = None
    for path, node in subschemas(schema):
        if "default" not in node:
            continue
        admitted = _plainly_admits(node)
        if admitted is None:
            validator = validator or SchemaValidator(schema)
            admitted = _admits(validator, node)
        if not admitted:
            yield path


def uncertain_patterns(schema: Json) -> Iterator[Problem]:
    """Yield the patterns that are not judged on every text, and why."""
    for path, node in subschemas(schema):
        named = node.get("patternProperties")
        expressions = [*named] if is_object(named) else []
        if isinstance(node.get("pattern"), str):
            expressions.append(node["pattern"])
        for pattern in expressions:
            if doubt := patterns.doubt(pattern):
                yield Problem(path, f"the pattern {brief(repr(pattern), 60)} {doubt}")


def _admits(validator: SchemaValidator, part: dict[str, Json]) -> bool:
    """Say whether a part of a schema admits its default; yes where nothing can be said."""
    try:
        return validator.part_allows(part, part["default"])
    except RecursionError:
        return True


def _plainly_admits(node: dict[str, Json]) -> bool | None:
    """Say whether a part admits its default, ``None`` where a validator must be asked."""
    kind, value = node.get("type"), node["default"]
    if isinstance(kind, str) and kind in _PYTHON_TYPES and not _is_of(kind, value):
        return False
    return _surely_admits(node, value) or None


def _surely_admits(schema: Json, value: Json) -> bool:
    """Say whether a schema of common keywords alone admits a value; no validator is loaded."""
    if not is_object(schema) or not schema.keys() <= _COMMON:
        return False
    return all(_ADMITS[key](said, value) for key, said in schema.items() if key in _ADMITS)


def _is_of(kind: str, value: Json) -> bool:
    return isinstance(value, _PYTHON_TYPES[kind])


def _is_of_types(kinds: Json, value: Json) -> bool:
    return any(_is_of_type(kind, value) for kind in (kinds if is_array(kinds) else [kinds]))


def _is_of_type(kind: Json, value: Json) -> bool:
    if kind in ("integer", "number"):
        return _is_number(value) and (kind == "number" or isinstance(value, int))
    return isinstance(kind, str) and kind in _PYTHON_TYPES and _is_of(kind, value)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bound(holds: Callable[[Json, Json], bool]) -> _Check:
    return lambda limit, value: not _is_number(value) or (_is_number(limit) and holds(value, limit))


def _count(kind: type[str | list[Json]], holds: Callable[[Json, Json], bool]) -> _Check:
    return lambda limit, value: not isinstance(value, kind) or holds(len(value), limit)


def _is_empty(_: Json, value: Json) -> bool:
    return not (is_array(value) and value)


_Check: TypeAlias = Callable[[Json, Json], bool]

_PYTHON_TYPES = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
_ADMITS: dict[str, _Check] = {
    "type": _is_of_types,
    "enum": lambda values, value: isinstance(value, str | None) and value in values,
    "anyOf": lambda branches, value: any(_surely_admits(each, value) for each in branches),
    "minimum": _bound(operator.ge),
    "maximum": _bound(operator.le),
    "exclusiveMinimum": _bound(operator.gt),
    "exclusiveMaximum": _bound(operator.lt),
    "minLength": _count(str, operator.ge),
    "maxLength": _count(str, operator.le),
    "minItems": _count(list, operator.ge),
    "maxItems": _count(list, operator.le),
    "uniqueItems": _is_empty,
    "items": _is_empty,
}
"""What each keyword admits for sure, given what it says and a value."""
_COMMON = {*_ADMITS, "default", "title", "description", "examples", "deprecated", "format"}
