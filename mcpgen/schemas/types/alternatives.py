"""Infers ``anyOf`` and ``oneOf`` as a union, or as one record with the properties of all."""

from __future__ import annotations

from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.types import scalars
from mcpgen.schemas.types.constraints import Constraints
from mcpgen.schemas.types.discriminators import have_discriminator
from mcpgen.schemas.types.nodes import Anything, Node, union
from mcpgen.schemas.types.resolution import At, text_of
from mcpgen.schemas.types.walk import SchemaWalk

MAX_ALTERNATIVES = 300


def infer_union(
    walk: SchemaWalk, constraints: Constraints, pointer: str, schema: Json
) -> Node | None:
    """Return the union of ``anyOf`` or ``oneOf``, or None if other keywords constrain it
    further.
    """
    (keyword, branches), *remaining = constraints.alternatives
    if len(branches) > MAX_ALTERNATIVES:
        return walk.loosened_to(Anything())
    if remaining:
        walk.loosen()
    typed = [branch for branch in branches if _has_type(branch[0])]
    is_own = is_object(schema) and keyword in schema
    if constraints.properties and not is_own:
        typed = []  # the alternatives are references next to listed properties
    if len(typed) < len(branches) and (constraints.types or constraints.properties):
        constraints.alternatives = []
        walk.loosen()
        return None
    if constraints.properties:
        merged = [_merge_parent(walk, schema, branch, pointer) for branch in branches]
        return walk.loosened_to(union(merged))
    nodes = [_narrow(walk, branch, constraints.types) for branch in branches]
    is_apart = scalars.are_apart(nodes) or have_discriminator(nodes, walk.definitions)
    if keyword == "oneOf" and not is_apart:
        walk.loosen()
    if _has_more(constraints):
        walk.loosen()
    return union(nodes)


def _has_type(schema: Json) -> bool:
    """Return True if an alternative declares more than required properties."""
    if not is_object(schema):
        return True
    typing = {"type", "properties", "$ref", "enum", "const", "items", "anyOf", "oneOf", "allOf"}
    return not typing.isdisjoint(schema)


def _has_more(constraints: Constraints) -> bool:
    """Return True if keywords other than types accompany the alternatives."""
    return bool(
        constraints.bounds
        or constraints.required
        or constraints.closed
        or constraints.additional
        or constraints.items
    )


def _merge_parent(walk: SchemaWalk, schema: Json, branch: At, pointer: str) -> Node:
    """Return the type of an alternative merged with its parent's keywords."""
    parent = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
    return walk.infer_joined([(parent, pointer), branch], f"{branch[1]}/&")


def _narrow(walk: SchemaWalk, branch: At, types: tuple[str, ...] | None) -> Node:
    """Return the type of an alternative, limited to the types that its parent names."""
    schema, pointer = branch
    if types and is_object(schema) and not {"type", "$ref"} & schema.keys():
        typed: Json = {"type": list(types), **schema}
        return walk.node(typed, pointer)
    if types:
        walk.loosen()
    return walk.node(schema, pointer)


def flatten(walk: SchemaWalk, constraints: Constraints, visited: set[str]) -> None:
    """Merge all alternatives into one record, in which each property is optional.

    The properties' own schemas document them for callers. The complete schema may allow more.
    """
    properties: dict[str, list[At]] = {}
    for _, branches in constraints.alternatives:
        constraints.inexact = True
        new = [branch for branch in branches if branch[1] not in visited]
        visited |= {pointer for _, pointer in new}
        for branch in new:
            inner = walk.constraints([branch])
            flatten(walk, inner, visited)
            for name, schemas in inner.properties.items():
                properties.setdefault(name, []).append(_all_of(schemas))
        constraints.closed = False
    constraints.alternatives = []
    for name, schemas in properties.items():
        if name not in constraints.properties:
            schema, pointer = _any_of(schemas)
            constraints.properties[name] = [(True, f"{pointer}/&")]
            constraints.documented[name] = (schema, pointer)


def _all_of(schemas: list[At]) -> At:
    """Combine several schemas of one property with ``allOf``."""
    schema, pointer = schemas[0]
    return (schema if len(schemas) == 1 else {"allOf": [sub for sub, _ in schemas]}), pointer


def _any_of(schemas: list[At]) -> At:
    """Combine several alternatives for one property with ``anyOf``."""
    schema, pointer = schemas[0]
    if len(schemas) == 1:
        return schema, pointer
    texts = (text_of(sub, "description") for sub, _ in schemas if is_object(sub))
    description = next((text for text in texts if text), "")
    joined: Json = {"anyOf": [sub for sub, _ in schemas]}
    return {**joined, **({"description": description} if description else {})}, f"{pointer}/&"
