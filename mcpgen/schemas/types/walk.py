"""Walks a schema and infers the type at each JSON pointer once, so that recursion ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from mcpgen.jsontext import Json
from mcpgen.schemas.types import scalars
from mcpgen.schemas.types.constraints import Constraints
from mcpgen.schemas.types.nodes import Anything, Definition, Node, Reference, Union, union
from mcpgen.schemas.types.resolution import At, Document, asserts, follow, stands_alone

MAX_DEPTH = 60
MAX_NODES = 20_000

Inferred: TypeAlias = "Mapping[str, tuple[Node, bool]]"
"""Types by JSON pointer, each with a flag for exactness."""


class SchemaWalk(ABC):
    """Remembers inferred types by JSON pointer, and whether they are exact.

    Exactness belongs to the innermost open pointer. A named part has its own.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.definitions: dict[str, Definition] = {}
        self._inferred: dict[str, tuple[Node, bool]] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._exact: list[bool] = [True]

    @abstractmethod
    def infer(self, constraints: Constraints, pointer: str, schema: Json) -> Node:
        """Return the type of the values that constraints allow."""

    @abstractmethod
    def alone(self, schema: Json) -> Inferred:
        """Return the types in a schema that means the same anywhere, or none if unknown."""

    def is_exact(self) -> bool:
        """Whether the type at the open pointer is exact so far."""
        return self._exact[-1]

    def loosen(self) -> None:
        """Note that the type at the open pointer allows more than its schema."""
        self._exact[-1] = False

    def loosened_to(self, node: Node) -> Node:
        """Return a type that accepts more than its schema, and record that."""
        self.loosen()
        return node

    def node(self, schema: Json, pointer: str) -> Node:
        """Return the type of the schema at a JSON pointer."""
        if pointer in self._inferred:
            return self._known_type(pointer)
        if pointer in self._open:
            self._recursive.add(pointer)
            return Reference(pointer)
        if len(self._open) > MAX_DEPTH or len(self._inferred) > MAX_NODES:
            return self.loosened_to(Anything())
        schema = self.document.known_keywords(schema)
        if stands_alone(schema) and self._take(self.alone(schema), pointer):
            return self._known_type(pointer)
        target = follow(self.document, schema, pointer)
        if target is None:
            return self.loosened_to(Anything())
        return (
            self.infer_separately(schema, pointer) if target[1] == pointer else self.node(*target)
        )

    def infer_separately(self, schema: Json, pointer: str) -> Node:
        """Infer the type of an unshared schema."""
        self.open(pointer)
        return self.close(pointer, self._infer_all([(schema, pointer)], pointer))

    def infer_joined(self, schemas: list[At], pointer: str) -> Node:
        """Infer a type from several schemas of a value. Recursion becomes Any."""
        if pointer in self._inferred:
            return self._known_type(pointer)
        if pointer in self._open:
            return self.loosened_to(Anything())
        self.open(pointer)
        return self.close(pointer, self._infer_all(schemas, pointer))

    def constraints(self, schemas: Iterable[At]) -> Constraints:
        """Return the constraints of several schemas on one value."""
        merged = Constraints()
        for schema, pointer in schemas:
            merged.merge(schema, pointer, self.document)
        return merged

    def open(self, pointer: str) -> None:
        """Begin to infer the type at a pointer."""
        self._open.add(pointer)
        self._exact.append(True)

    def close(self, pointer: str, node: Node) -> Node:
        """Close the pointer of :meth:`open`. A recursive or long type gets a name."""
        exact = self._exact.pop()
        self._open.discard(pointer)
        if pointer in self.definitions:
            if not exact:
                inexact = replace(self.definitions[pointer], exact=False)
                self.definitions[pointer] = inexact
            node, exact = self._apart(node, pointer), True
        elif pointer in self._recursive or scalars.is_long(node):
            self.definitions[pointer] = Definition(pointer, node, "", "", exact)
            node, exact = Reference(pointer), True
        self._inferred[pointer] = (node, exact)
        self._exact[-1] &= exact
        return node

    def _apart(self, node: Node, pointer: str) -> Node:
        """Return a record, or its alternatives. References to the record refer to all of them."""
        if not isinstance(node, Union) or (pointer and pointer not in self._recursive):
            return node
        record = f"{pointer}/|"
        self.definitions[record] = replace(self.definitions[pointer], pointer=record)
        members = [Reference(record) if m == Reference(pointer) else m for m in node.members]
        self.definitions[pointer] = Definition(pointer, union(members), "", "", exact=True)
        return Reference(pointer)

    def _take(self, types: Inferred, pointer: str) -> bool:
        """Note the types in the schema at a pointer, unless some of them are known already."""
        placed = {f"{pointer}{at}": inferred for at, inferred in types.items()}
        if not placed or (len(placed) > 1 and placed.keys() & self._inferred.keys()):
            return False
        self._inferred |= placed
        return True

    def reusable_types(self) -> Inferred:
        """Return the inferred types, or none if some are named and so depend on their position."""
        return {} if self.definitions else self._inferred

    def _known_type(self, pointer: str) -> Node:
        node, exact = self._inferred[pointer]
        self._exact[-1] &= exact
        return node

    def _infer_all(self, schemas: list[At], pointer: str) -> Node:
        schema = schemas[0][0]
        if len(schemas) == 1 and schema is not False and not asserts(schema):
            return Anything()
        return self.infer(self.constraints(schemas), pointer, schema)
