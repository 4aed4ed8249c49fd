"""Infers objects: records if they have named properties, otherwise mappings."""

from __future__ import annotations

from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.types import scalars
from mcpgen.schemas.types.constraints import Constraints
from mcpgen.schemas.types.nodes import (
    Anything,
    Definition,
    Mapping,
    Member,
    Never,
    Node,
    Record,
    Reference,
    union,
)
from mcpgen.schemas.types.resolution import text_of
from mcpgen.schemas.types.walk import SchemaWalk

_FACTS = (
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "deprecated",
)


def infer_object(walk: SchemaWalk, constraints: Constraints, pointer: str, schema: Json) -> Node:
    """Return the type of an object. A record is defined at its pointer."""
    if constraints.properties or constraints.required or constraints.closed:
        define_record(walk, constraints, pointer, schema)
        return Reference(pointer)
    if constraints.bounds.keys() & {"minProperties", "maxProperties"}:
        walk.loosen()
    values = [walk.node(*at) for at in constraints.patterns]
    if constraints.additional is not None:
        values.append(walk.node(*constraints.additional))
    elif not constraints.patterns:
        return Mapping(Anything())
    allows_others = constraints.patterns and constraints.additional is None
    return Mapping(Anything() if allows_others else union(values))


def define_record(walk: SchemaWalk, constraints: Constraints, pointer: str, schema: Json) -> None:
    """Define the record of an object's named properties."""
    for name in [name for name in constraints.properties if not scalars.is_literal(name)]:
        del constraints.properties[name]  # UTF-8 can't encode it, so it is never sent
        walk.loosen()
    if constraints.inexact or constraints.additional is not None or constraints.patterns:
        walk.loosen()
    if not all(scalars.is_literal(name) for name in constraints.required):
        walk.loosen()
    # Reserved before its properties are inferred, so that they can refer to it.
    annotations = schema if is_object(schema) else {}
    description = text_of(annotations, "description")
    hint = _name_hint(annotations, constraints)
    walk.definitions[pointer] = Definition(pointer, Record((), False), description, hint, True)
    members = [_member(walk, name, constraints) for name in _property_names(constraints)]
    record = Record(tuple(m for m in members if m is not None), constraints.closed)
    walk.definitions[pointer] = Definition(pointer, record, description, hint, walk.is_exact())


def _property_names(constraints: Constraints) -> list[str]:
    """Return all property names: required, optional, then undeclared ones."""
    properties, required = constraints.properties, constraints.required
    declared = [name for name in required if name in properties]
    optional = [name for name in properties if name not in required]
    undeclared = [n for n in required if n not in properties and scalars.is_literal(n)]
    return [*declared, *optional, *undeclared]


def _name_hint(schema: Json, constraints: Constraints) -> str:
    """Return the constant that discriminates this record, or its title.

    Pydantic's JSON Schema leaves a constant with a default out of ``required``.
    """
    optional = [name for name in constraints.properties if name not in constraints.required]
    for name in [*constraints.required, *optional]:
        for property_, _ in constraints.properties.get(name, []):
            if not is_object(property_):
                continue
            const = property_.get("const")
            is_implied = name in constraints.required or property_.get("default") == const
            if isinstance(const, str) and is_implied:
                return const
    return text_of(schema, "title")


def _member(walk: SchemaWalk, name: str, constraints: Constraints) -> Member | None:
    schemas = constraints.properties.get(name, [])
    required = name in constraints.required
    if len(schemas) == 1:
        node = walk.node(*schemas[0])
    elif schemas:
        node = walk.infer_joined(schemas, f"{schemas[0][1]}/&")
    else:
        node = _undeclared_type(walk, constraints)
    if isinstance(node, Never) and not required:
        if not constraints.closed:
            walk.loosen()  # an open record can't express that the property must be absent
        return None
    documented = constraints.documented.get(name)
    annotations = [sub for sub, _ in ([documented] if documented else schemas) if is_object(sub)]
    texts = (text_of(annotation, "description") for annotation in annotations)
    description = next((text for text in texts if text), "")
    facts = tuple(
        (key, annotation[key])
        for key in _FACTS
        for annotation in annotations[:1]
        if key in annotation
    )
    narrower = walk.node(*documented) if documented else None
    return Member(name, node, required, description, facts, narrower)


def _undeclared_type(walk: SchemaWalk, constraints: Constraints) -> Node:
    """Return the type of a required property without a schema of its own."""
    if constraints.closed:
        return Never()
    if constraints.additional is None or constraints.patterns:
        return Anything()
    return walk.node(*constraints.additional)
