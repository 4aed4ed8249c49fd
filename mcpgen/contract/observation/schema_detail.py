"""Checks whether an output schema describes its results. Many schemas don't."""

from __future__ import annotations

from mcpgen.jsonpointer import lookup
from mcpgen.jsontext import Json, is_array, is_object

_RESULT = "result"
_SCALARS = frozenset({"boolean", "integer", "number", "null"})
_MOST_STEPS = 8
_OF_OBJECTS = ("properties", "patternProperties", "required", "propertyNames", "dependentSchemas")
_OF_ARRAYS = ("items", "prefixItems", "contains")
_OF_TEXTS = ("enum", "const", "format", "pattern", "contentMediaType")


def tells(schema: Json) -> bool:
    """Return True if an output schema declares properties, items or a number. Text may be JSON."""
    if not is_object(schema):
        return False
    properties = _resolve(schema, schema, _MOST_STEPS).get("properties")
    if is_object(properties) and list(properties) == [_RESULT]:
        inner = properties[_RESULT]
        return is_object(inner) and _tells(inner, schema, _MOST_STEPS)
    return _tells(schema, schema, _MOST_STEPS)


def _tells(schema: dict[str, Json], root: Json, steps: int) -> bool:
    if steps == 0:
        return True
    schema = _resolve(schema, root, steps)
    if any(schema.get(keyword) for keyword in (*_OF_OBJECTS, "enum")) or "const" in schema:
        return True
    for keyword in ("anyOf", "oneOf", "allOf"):
        ways = schema.get(keyword)
        if is_array(ways) and ways:
            inner = [way for way in ways if is_object(way) and not _is_null(way)]
            return bool(inner) and any(_tells(way, root, steps - 1) for way in inner)
    if any(
        _part(schema.get(keyword), root, steps) for keyword in ("additionalProperties", *_OF_ARRAYS)
    ):
        return True
    kinds = schema.get("type")
    named = set(kinds if is_array(kinds) else [kinds]) - {"null", None}
    if named == {"string"}:
        return any(token in schema for token in _OF_TEXTS)
    return bool(named) and named <= _SCALARS


def _part(schema: Json, root: Json, steps: int) -> bool:
    """Return True if a schema of items or values declares a type. A list of strings counts."""
    parts = schema if is_array(schema) else [schema]
    return any(
        is_object(part)
        and (_tells(part, root, steps - 1) or _resolve(part, root, steps).get("type") == "string")
        for part in parts
    )


def _resolve(schema: dict[str, Json], root: Json, steps: int) -> dict[str, Json]:
    """Follow references within the document."""
    for _ in range(steps):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target = lookup(root, reference[1:])
        if target is None or not is_object(target[1]):
            return schema
        schema = target[1]
    return schema


def _is_null(schema: dict[str, Json]) -> bool:
    return schema.get("type") == "null"
