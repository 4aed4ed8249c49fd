"""Infers the type of a schema. It accepts at least every value that the schema allows.

Every keyword is either part of the type, or makes its definition inexact.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mcpgen.jsontext import Json, Written, is_object
from mcpgen.schemas.types import scalars
from mcpgen.schemas.types.alternatives import flatten, infer_union
from mcpgen.schemas.types.constraints import Constraints
from mcpgen.schemas.types.nodes import (
    NULL,
    Anything,
    Choice,
    Definition,
    Fixed,
    InferredType,
    Never,
    Node,
    Record,
    Reference,
    Sequence,
    Union,
    references,
    union,
)
from mcpgen.schemas.types.records import define_record, infer_object
from mcpgen.schemas.types.resolution import Document
from mcpgen.schemas.types.walk import Inferred, SchemaWalk


def prune(root: Node, inferred: Mapping[str, Definition], *, exact: bool) -> InferredType:
    """Return the type of a schema from its root and all inferred definitions."""
    definitions = dict(inferred)
    for pointer, definition in inferred.items():
        is_alias = not isinstance(definition.body, Record)
        if is_alias and _returns(definitions, pointer, pointer, set()):
            definitions[pointer] = Definition(pointer, Anything(), "", "", exact=False)
    used = {pointer: definitions[pointer] for pointer in sorted(_used(definitions, root))}
    return InferredType(root, used, exact and all(definition.exact for definition in used.values()))


def _returns(
    definitions: Mapping[str, Definition], target: str, pointer: str, visited: set[str]
) -> bool:
    """Return True if a type is defined as itself, without a value in between."""
    body = definitions[pointer].body
    if isinstance(body, Record) or pointer in visited:
        return False
    visited.add(pointer)
    nodes = body.members if isinstance(body, Union) else (body,)
    direct = [node.pointer for node in nodes if isinstance(node, Reference)]
    return target in direct or any(_returns(definitions, target, at, visited) for at in direct)


def _used(definitions: Mapping[str, Definition], root: Node) -> set[str]:
    used: set[str] = set()
    waiting = list(references(root))
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used.add(pointer)
            waiting += references(definitions[pointer].body)
    return used


def infer(raw: Json, dialect: str, *, arguments: bool) -> InferredType:
    """Infer the type of a schema. The root of ``arguments`` is one record, even with
    alternatives.

    A schema that recurses too deeply becomes Any. The schema itself still validates.
    """
    walk = _Inference(Document(raw, dialect))
    try:
        root = walk.arguments() if arguments else walk.node(raw, "")
    except RecursionError:
        return InferredType(Anything(), {}, exact=False)
    return prune(root, walk.definitions, exact=walk.is_exact())


_SHORT = 1_000


@lru_cache(maxsize=4_000)
def _alone(schema: Written, dialect: str) -> Inferred:
    """Infer the types in a schema once for all tools, because many tools share properties."""
    walk = _Inference(Document(schema.value, dialect))
    walk.infer_separately(schema.value, "")
    return walk.reusable_types()


class _Inference(SchemaWalk):
    def arguments(self) -> Node:
        """Return the root as a single record, which becomes the parameters of a method."""
        self.open("")
        raw = self.document.raw
        constraints = self.constraints([(raw, "")])
        # Policy: a root with another type is treated as an object, because arguments are objects.
        says_object = is_object(raw) and raw.get("type") == "object"
        types = constraints.types
        is_none = types is not None and "object" not in types and says_object
        if constraints.choices is not None or constraints.impossible or types == () or is_none:
            self.loosen()
        constraints.types = None
        flatten(self, constraints, set())
        define_record(self, constraints, "", raw)
        return self.close("", Reference(""))

    def alone(self, schema: Json) -> Inferred:
        written = Written.from_value(schema)
        return _alone(written, self.document.dialect) if len(written) <= _SHORT else {}

    def infer(self, constraints: Constraints, pointer: str, schema: Json) -> Node:
        if constraints.inexact:
            self.loosen()
        if constraints.impossible:
            return Never()
        if constraints.choices is not None:
            return self._choice(constraints, constraints.choices)
        if constraints.alternatives:
            node = infer_union(self, constraints, pointer, schema)
            if node is not None:
                return node
        types = constraints.types
        if types is None:
            # Policy: named properties without a type imply an object (docs/guarantees.md).
            self.loosen()
            if not constraints.properties:
                return Anything()
            types = ("object",)
        return union([self._of_type(name, constraints, pointer, schema) for name in types])

    def _of_type(self, name: str, constraints: Constraints, pointer: str, schema: Json) -> Node:
        if name == "object":
            return infer_object(self, constraints, pointer, schema)
        if name == "array":
            return self._array(constraints)
        kind = scalars.KINDS.get(name)
        if kind is None:
            return self.loosened_to(Anything())
        node, exact = scalars.scalar(kind, constraints)
        exact &= kind != "integer" or self.document.knows_pointed_integers
        return node if exact else self.loosened_to(node)

    def _choice(self, constraints: Constraints, choices: list[Json]) -> Node:
        if (
            constraints.alternatives
            or constraints.bounds
            or constraints.properties
            or constraints.items
        ):
            self.loosen()
        if constraints.types is not None and not self.document.knows_pointed_integers:
            self.loosen()  # 1 equals 1.0, but only 1 is an integer in Python
        literals: dict[tuple[type, Any], str | int | bool] = {}
        nodes: list[Node] = []
        for value in choices:
            if not scalars.is_one_of(value, constraints.types):
                continue
            if value is None:
                nodes.append(NULL)
            elif scalars.is_literal(value):
                literal: str | int | bool = value
                literals.setdefault((type(literal), literal), literal)
            else:
                nodes.append(self.loosened_to(scalars.kind_of(value)))
        choice: list[Node] = [Choice(tuple(literals.values()))] if literals else []
        return union([*choice, *nodes])

    def _array(self, constraints: Constraints) -> Node:
        bounds, exact = scalars.bounds(constraints, "minItems", "maxItems", integral=True)
        if not exact:
            self.loosen()
        rest = Anything() if constraints.items is None else self.node(*constraints.items)
        if constraints.prefix_items is None:
            return Sequence(rest, bounds)
        items = [self.node(*at) for at in constraints.prefix_items]
        count = len(items)
        limits = dict(bounds)
        closed = isinstance(rest, Never) or limits.get("max_length", count + 1) <= count
        if closed and limits.get("min_length", 0) == count == limits.get("max_length", count):
            return Fixed(tuple(items))
        self.loosen()
        return Sequence(union([*items, rest]) if items else rest, bounds)
