"""The kinds of JSON values, and the equality of values in JSON Schema."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias, get_args

from mcpgen.jsontext import Json, is_array, is_object

Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_KINDS: dict[type, Kind] = {
    type(None): "null",
    bool: "boolean",
    str: "string",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}


def kind_of(value: Json) -> Kind:
    """Return the kind of a JSON value."""
    return _KINDS[type(value)]


def equality_key(value: Json) -> str:
    """Return a key that is the same for values that are equal in JSON Schema."""
    return json.dumps(_normalize(value), sort_keys=True)


def _normalize(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_normalize(item) for item in value]
    return {k: _normalize(v) for k, v in value.items()} if is_object(value) else value
