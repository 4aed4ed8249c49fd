"""Small questions about the schemas that one is made of."""

from __future__ import annotations

from mcpgen.jsontext import Json, is_object
from mcpgen.types.constraints import Facets
from mcpgen.types.resolution import At


def together(places: list[At]) -> At:
    """Return a schema for all that is said of one member at once."""
    schema, pointer = places[0]
    return (schema if len(places) == 1 else {"allOf": [part for part, _ in places]}), pointer


def one_of(places: list[At]) -> At:
    """Return a schema for what several alternatives say of one member."""
    schema, pointer = places[0]
    if len(places) == 1:
        return schema, pointer
    texts = [
        text for part, _ in places if is_object(part) and (text := text_of(part, "description"))
    ]
    whole: Json = {"anyOf": [part for part, _ in places]}
    return {**whole, **({"description": texts[0]} if texts else {})}, f"{pointer}/&"


def tells_a_type(schema: Json) -> bool:
    """Say whether an alternative describes a value, not only which members must be there."""
    if not is_object(schema):
        return True
    telling = {"type", "properties", "$ref", "enum", "const", "items", "anyOf", "oneOf", "allOf"}
    return not telling.isdisjoint(schema)


def text_of(schema: Json, key: str) -> str:
    """Return a member that is a text, else nothing."""
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def hint_of(schema: Json, facets: Facets) -> str:
    """Return the value of the member that tells this record from its alternatives, or a title."""
    for name in facets.required:
        for inner, _ in facets.properties.get(name, []):
            if is_object(inner) and isinstance(inner.get("const"), str):
                return str(inner["const"])
    return text_of(schema, "title")
