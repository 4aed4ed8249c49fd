"""Yields subschemas with their JSON pointers, and resolves local references."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.jsonpointer import escape, lookup
from mcpgen.jsontext import Json, is_array, is_object

_HOLDS_SCHEMA = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames"
    " then unevaluatedItems unevaluatedProperties".split()
)
_HOLDS_LIST = frozenset("allOf anyOf oneOf prefixItems items".split())
_HOLDS_NAMED = frozenset(
    "$defs definitions dependencies dependentSchemas patternProperties properties".split()
)
_HOLDS = _HOLDS_SCHEMA | _HOLDS_LIST | _HOLDS_NAMED


def subschemas(schema: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield a schema and all its subschemas with their pointers."""
    stack: list[tuple[str, Json]] = [("", schema)]
    while stack:
        path, value = stack.pop()
        if not is_object(value):
            continue
        yield path, value
        if _HOLDS.isdisjoint(value):
            continue
        for key, item in value.items():
            if key in _HOLDS_LIST and is_array(item):
                stack += [(f"{path}/{key}/{index}", inner) for index, inner in enumerate(item)]
            elif key in _HOLDS_NAMED and is_object(item):
                stack += [(f"{path}/{key}/{escape(name)}", sub) for name, sub in item.items()]
            elif key in _HOLDS_SCHEMA:
                stack.append((f"{path}/{key}", item))


def resolve(schema: Json, ref: str) -> tuple[str, Json] | None:
    """Resolve a local ``$ref``, a JSON pointer or anchor. Returns the target's pointer and
    schema.
    """
    from urllib.parse import unquote

    base, _, fragment = ref.partition("#")
    if base and not (is_object(schema) and schema.get("$id") in (base, f"{base}#")):
        return None
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return _find_anchor(schema, fragment)
    return lookup(schema, fragment)


def _find_anchor(schema: Json, anchor: str) -> tuple[str, Json] | None:
    for path, node in subschemas(schema):
        if anchor in (node.get("$anchor"), node.get("$dynamicAnchor")):
            return path, node
        if node.get("$id") == f"#{anchor}":
            return path, node
    return None


DEFINITIONS = frozenset({"$defs", "definitions"})


def shared_definitions(schema: Json) -> dict[str, Json] | None:
    """Return the definitions that subschemas refer to, or None if some refer elsewhere."""
    nodes = [node for path, node in subschemas(schema) if path]
    refs = [str(node["$ref"]) for node in nodes if "$ref" in node]
    if any("$id" in node for node in nodes) or not all(map(_is_to_definition, refs)):
        return None
    return {key: schema[key] for key in DEFINITIONS if key in schema}


def refers(part: Json) -> bool:
    """Return True if a part of a schema has a reference."""
    return any("$ref" in node for _, node in subschemas(part))


def _is_to_definition(ref: str) -> bool:
    return ref.startswith(tuple(f"#/{name}/" for name in DEFINITIONS))
