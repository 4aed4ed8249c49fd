"""Check whether OpenAI's strict mode supports a schema unchanged.

In strict mode a model can only write valid arguments, but each property must be required,
each object closed, and many keywords are unsupported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schemas import inner, is_list, is_object, items, members

_KEYWORDS = frozenset(
    "$defs $ref additionalProperties anyOf const description enum exclusiveMaximum"
    " exclusiveMinimum format items maxItems maximum minItems minimum multipleOf"
    " pattern properties required title type".split()
)
_FORMATS = frozenset("date date-time duration email hostname ipv4 ipv6 time uuid".split())
_MOST_DEPTH = 5
_MOST_MEMBERS = 100
_MOST_VALUES = 500


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return True if strict mode supports a schema unchanged and with the same meaning."""
    nodes = list(inner(dict(schema)))
    named = sum(len(members(node.get("properties"))) for node in nodes)
    values = sum(len(items(node.get("enum"))) for node in nodes)
    return (
        schema.get("type") == "object"
        and "anyOf" not in schema
        and named <= _MOST_MEMBERS
        and values <= _MOST_VALUES
        and _depth(schema) <= _MOST_DEPTH
        and all(map(_is_taken, nodes))
    )


def _is_taken(node: dict[str, Any]) -> bool:
    if not _KEYWORDS.issuperset(node):
        return False
    if "$ref" in node:
        is_own = isinstance(node["$ref"], str) and node["$ref"].startswith("#")
        return is_own and len(node) == 1
    if not ("type" in node or "anyOf" in node):
        return False
    kinds = node.get("type")
    if kinds == "array" and not is_object(node.get("items")):
        return False
    may_be_object = kinds == "object" or "object" in items(kinds)
    return _is_simple(node) and (not may_be_object or _is_closed(node))


def _is_simple(node: dict[str, Any]) -> bool:
    """Return False for unsupported formats and patterns."""
    pattern = node.get("pattern", "")
    is_plain = isinstance(pattern, str) and "(?" not in pattern and "\\" not in pattern
    return is_plain and node.get("format", "date") in _FORMATS


def _is_closed(node: dict[str, Any]) -> bool:
    required = items(node.get("required"))
    is_closed = node.get("additionalProperties") is False
    return (
        "required" in node and is_closed and set(required) == set(members(node.get("properties")))
    )


def _depth(schema: Any) -> int:
    """Return how deeply objects are nested, without following references."""
    if is_object(schema):
        node = members(schema)
        below = max(map(_depth, node.values()), default=0)
        return below + (node.get("type") == "object")
    if is_list(schema):
        return max(map(_depth, items(schema)), default=0)
    return 0
