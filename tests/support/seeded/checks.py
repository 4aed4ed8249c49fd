"""Validates arguments with the subset of JSON Schema that the bookshop's tools use."""

from __future__ import annotations

import re
from typing import Any

Json = Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
}


def problem(schema: Json, value: Json, name: str = "arguments") -> str:
    """Return the problem of a value, or an empty string."""
    kind = schema.get("type")
    if kind and not _is(kind, value):
        return f"{name} must be of the type {kind}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} must be one of {', '.join(schema['enum'])}."
    if isinstance(value, str):
        return _of_text(schema, value, name)
    if isinstance(value, dict):
        return _of_object(schema, value, name)
    if isinstance(value, list):
        return _of_list(schema, value, name)
    return _of_number(schema, value, name)


def _is(kind: str, value: Json) -> bool:
    if isinstance(value, bool) or not isinstance(value, _TYPES[kind]):
        return False
    return kind != "integer" or value == value // 1


def _of_text(schema: Json, value: str, name: str) -> str:
    if len(value) < schema.get("minLength", 0):
        return f"{name} must have at least {schema['minLength']} characters."
    if len(value) > schema.get("maxLength", len(value)):
        return f"{name} must have at most {schema['maxLength']} characters."
    if "pattern" in schema and not re.fullmatch(schema["pattern"].strip("^$"), value):
        return f"{name} must match {schema['pattern']}."
    return ""


def _of_number(schema: Json, value: float, name: str) -> str:
    if value < schema.get("minimum", value):
        return f"{name} must be at least {schema['minimum']}."
    if value > schema.get("maximum", value):
        return f"{name} must be at most {schema['maximum']}."
    return ""


def _of_list(schema: Json, value: list[Json], name: str) -> str:
    if len(value) < schema.get("minItems", 0):
        return f"{name} must have at least {schema['minItems']} items."
    if len(value) > schema.get("maxItems", len(value)):
        return f"{name} must have at most {schema['maxItems']} items."
    problems = (problem(schema["items"], item, f"{name}[{n}]") for n, item in enumerate(value))
    return next(filter(None, problems), "")


def _of_object(schema: Json, value: dict[str, Json], name: str) -> str:
    for member in schema.get("required", ()):
        if member not in value:
            return f"{name} must have the member {member!r}."
    for member in value:
        if member not in schema["properties"]:
            return f"{name} must not have the member {member!r}."
    problems = (problem(schema["properties"][m], item, f"{name}.{m}") for m, item in value.items())
    return next(filter(None, problems), "")
