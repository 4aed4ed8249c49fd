"""Conversion of older drafts so that all subschemas are found.

A subschema may have its own address, so resolving a reference visits all subschemas.
``referencing`` decides by the first entry of ``dependencies`` what all entries are, and
treats a single ``extends`` as a list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

_OLD = {f"http://json-schema.org/draft-0{number}/schema": number for number in (3, 4, 6, 7)}
_REWORDED = frozenset({"dependencies", "extends"})
_ADDRESSES = frozenset({"$id", "id", "$anchor", "$dynamicAnchor"})
_ONE = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not"
    " propertyNames then unevaluatedItems unevaluatedProperties".split()
)
_MANY = frozenset("allOf anyOf oneOf prefixItems items extends type disallow".split())
_NAMED = frozenset("$defs definitions dependentSchemas patternProperties properties".split())


def translate_drafts(schema: object) -> Any:
    """Return an equivalent schema whose subschemas are all found.

    Entries of ``dependencies`` become objects: ``["a"]`` becomes ``{"required": ["a"]}``. A
    schema without such keywords, or without addresses of subschemas, is returned unchanged.
    """
    keys = _keys(schema)
    is_reworded = not (_REWORDED.isdisjoint(keys) or _ADDRESSES.isdisjoint(keys))
    return _translate_draft(schema, 0) if is_reworded else schema


def _keys(schema: object) -> set[str]:
    """Return the names of all properties, at any depth."""
    keys: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            node = cast("dict[str, object]", value)
            keys |= node.keys()
            waiting += node.values()
        elif isinstance(value, list):
            waiting += cast("list[object]", value)
    return keys


def _translate_draft(schema: object, draft: int) -> Any:
    """Convert a subschema. ``draft`` is the number of an old draft, or 0."""
    if not isinstance(schema, dict):
        return schema
    node = cast("dict[str, object]", schema)
    named = node.get("$schema")
    draft = _OLD.get(named.rstrip("#"), 0) if isinstance(named, str) else draft
    return {keyword: _value(keyword, value, draft) for keyword, value in node.items()}


def _value(keyword: str, value: object, draft: int) -> object:
    if keyword in _MANY and isinstance(value, list):
        return [_translate_draft(part, draft) for part in cast("list[object]", value)]
    if keyword == "extends" and draft == 3 and isinstance(value, dict):
        return [_translate_draft(cast("object", value), draft)]
    if keyword in _ONE or not isinstance(value, dict):
        return _translate_draft(value, draft) if keyword in _ONE else value
    parts = cast("Mapping[str, object]", value)
    if keyword == "dependencies" and draft:
        return {name: _dependency(part, draft) for name, part in parts.items()}
    if keyword in _NAMED:
        return {name: _translate_draft(part, draft) for name, part in parts.items()}
    return parts


def _dependency(value: object, draft: int) -> object:
    if isinstance(value, bool):
        return {} if value else {"not": {}}
    if draft == 3 and isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return _translate_draft(value, draft)
    names = cast("list[str]", value)
    if draft == 3:  # a property contains its own ``required``
        return {"properties": {name: {"required": True} for name in names}}
    return {"required": names}
