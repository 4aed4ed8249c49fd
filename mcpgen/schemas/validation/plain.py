"""Recognizes values that schemas with common keywords clearly allow, without a library.

Most values are small and most schemas are plain. Importing a validator for them takes longer than
everything else. True is correct in every dialect.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from mcpgen.jsontext import Json, is_array, is_number, is_object


def surely_admits(schema: Json, value: Json) -> bool:
    """Return True if a schema clearly allows a value. False means unknown."""
    if not is_object(schema):
        return schema is True
    if not schema.keys() <= _COMMON:
        return False
    return all(_CHECKS[key](schema, value) for key in schema if key in _CHECKS)


def surely_is_not(kind: Json, value: Json) -> bool:
    """Return True if a value clearly doesn't have a JSON type that is unambiguous in Python."""
    return isinstance(kind, str) and kind in _KINDS and not isinstance(value, _KINDS[kind])


_KINDS = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def _has_type(schema: dict[str, Json], value: Json) -> bool:
    kinds = schema["type"]
    return any(_is_of(kind, value) for kind in (kinds if is_array(kinds) else [kinds]))


def _is_of(kind: Json, value: Json) -> bool:
    if kind in ("integer", "number"):
        return is_number(value) and (kind == "number" or isinstance(value, int))
    return isinstance(kind, str) and kind in _KINDS and isinstance(value, _KINDS[kind])


def _is_named(schema: dict[str, Json], value: Json) -> bool:
    # JSON Schema treats 1 and 1.0 as equal
    return isinstance(value, str | None) and value in schema["enum"]


def _is_any(schema: dict[str, Json], value: Json) -> bool:
    return any(surely_admits(item, value) for item in schema["anyOf"])


def _has_members(schema: dict[str, Json], value: Json) -> bool:
    """Return True if named properties are allowed. In draft-03 each property has ``required``."""
    return not is_object(value) or all(
        surely_admits(sub, value[name])
        if name in value
        else not is_object(sub) or sub.get("required") is not True
        for name, sub in schema["properties"].items()
    )


def _has_required(schema: dict[str, Json], value: Json) -> bool:
    names = schema["required"]
    return is_array(names) and (not is_object(value) or all(name in value for name in names))


def _has_others(schema: dict[str, Json], value: Json) -> bool:
    if not is_object(value):
        return True
    additional = value.keys() - schema.get("properties", {}).keys()
    return all(surely_admits(schema["additionalProperties"], value[name]) for name in additional)


def _has_items(schema: dict[str, Json], value: Json) -> bool:
    return not is_array(value) or all(surely_admits(schema["items"], item) for item in value)


def _is_unique(schema: dict[str, Json], value: Json) -> bool:
    return not (is_array(value) and value) or schema["uniqueItems"] is False


def _bound(keyword: str, holds: Callable[[Json, Json], bool]) -> _Check:
    def check(schema: dict[str, Json], value: Json) -> bool:
        limit = schema[keyword]
        return not is_number(value) or (is_number(limit) and holds(value, limit))

    return check


def _count(
    keyword: str, counts: Callable[[Json], bool], holds: Callable[[Json, Json], bool]
) -> _Check:
    return lambda schema, value: not counts(value) or holds(len(value), schema[keyword])


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


_Check: TypeAlias = Callable[[dict[str, Json], Json], bool]

_CHECKS: dict[str, _Check] = {
    "type": _has_type,
    "enum": _is_named,
    "anyOf": _is_any,
    "properties": _has_members,
    "required": _has_required,
    "additionalProperties": _has_others,
    "items": _has_items,
    "uniqueItems": _is_unique,
    "minimum": _bound("minimum", operator.ge),
    "maximum": _bound("maximum", operator.le),
    "exclusiveMinimum": _bound("exclusiveMinimum", operator.gt),
    "exclusiveMaximum": _bound("exclusiveMaximum", operator.lt),
    "minLength": _count("minLength", _is_text, operator.ge),
    "maxLength": _count("maxLength", _is_text, operator.le),
    "minItems": _count("minItems", is_array, operator.ge),
    "maxItems": _count("maxItems", is_array, operator.le),
}
_SILENT = frozenset("$schema $comment title description default examples deprecated format".split())
_COMMON = _CHECKS.keys() | _SILENT
