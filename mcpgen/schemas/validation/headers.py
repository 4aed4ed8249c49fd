"""Validates ``x-mcp-header``, which repeats arguments as HTTP headers (MCP 2026-07-28)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcpgen.errors import Problem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation.references import subschemas

KEY = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_KINDS = ("string", "integer", "boolean")


def problems(schema: Json) -> Iterator[Problem]:
    """Yield each annotation that makes clients reject the whole tool, with its pointer."""
    if not any(KEY in node for _, node in subschemas(schema)):
        return
    reachable = dict(_properties(schema, ""))
    names: dict[str, str] = {}
    for path, node in sorted(subschemas(schema), key=lambda located: located[0]):
        if KEY not in node:
            continue
        reason = _objection(node) if path in reachable else "is outside the properties"
        name = str(node[KEY]).lower()
        if not reason and name in names:
            reason = f"equals the header of {names[name]}"
        names.setdefault(name, path)
        if reason:
            yield Problem(f"{path}/{KEY}", f"{KEY} {reason}")


def _properties(schema: Json, path: str) -> Iterator[tuple[str, Json]]:
    """Yield the properties that are reachable from the root through properties only."""
    members = schema.get("properties") if is_object(schema) else None
    for name, inner in members.items() if is_object(members) else ():
        at = f"{path}/properties/{escape(name)}"
        yield at, inner
        yield from _properties(inner, at)


def _objection(node: dict[str, Json]) -> str:
    name = node[KEY]
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        return "isn't a valid header name"
    if node.get("type") not in _KINDS:
        return f"needs a property of one type, one of: {', '.join(_KINDS)}"
    return ""
