"""Conversion of integral floats to integers where the schema requires integers.

``5.0`` and ``5`` are the same number in JSON Schema and models send both, but some servers
accept only the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schemas import is_list, is_object, items, members, resolve_reference

_MOST_DEPTH = 50


def whole(value: Any, schema: Any, root: Any, depth: int = 0) -> Any:
    """Convert integral floats in a value to integers if the schema has the type ``integer``."""
    if not is_object(schema) or depth > _MOST_DEPTH:
        return value
    node = resolve_reference(members(schema), root)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in items(node.get(keyword)):
            value = whole(value, part, root, depth + 1)
    if isinstance(value, float):
        return int(value) if value.is_integer() and _says_integer(node) else value
    if is_list(value):
        return _items(items(value), node, root, depth)
    if is_object(value):
        return _members(members(value), node, root, depth)
    return value


def _says_integer(node: Mapping[str, Any]) -> bool:
    kinds = node.get("type")
    named = items(kinds) or [kinds]
    return "integer" in named and "number" not in named


def _items(value: list[Any], node: Mapping[str, Any], root: Any, depth: int) -> Any:
    first = node.get("prefixItems")
    rest = node.get("items")
    if is_list(rest):  # before 2020-12
        first, rest = items(rest), node.get("additionalItems")
    before = items(first)
    return [
        whole(item, before[at] if at < len(before) else rest, root, depth + 1)
        for at, item in enumerate(value)
    ]


def _members(value: dict[str, Any], node: Mapping[str, Any], root: Any, depth: int) -> Any:
    named = members(node.get("properties"))
    additional = node.get("additionalProperties")
    return {
        name: whole(member, named.get(name, additional), root, depth + 1)
        for name, member in value.items()
    }
