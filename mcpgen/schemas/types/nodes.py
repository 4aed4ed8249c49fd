"""The nodes of an inferred type.

A node accepts at least every value of its schema. Nodes contain no Python type and no class name. A
record or a shared part is referenced by its JSON pointer in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.jsontext import Json

Kind: TypeAlias = Literal["string", "integer", "number", "boolean", "null"]
Bounds: TypeAlias = "tuple[tuple[str, int | float], ...]"


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class Never:
    """No value at all."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, integer, number, boolean or null with bounds. ``format`` is set if it has a
    type.
    """

    kind: Kind
    bounds: Bounds = ()
    format: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An enumeration of strings, integers and booleans."""

    values: tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array whose items have one type."""

    item: Node
    bounds: Bounds = ()


@dataclass(frozen=True, slots=True)
class Fixed:
    """An array with a type for each position and no further items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """An object with arbitrary names and one type of values."""

    value: Node


@dataclass(frozen=True, slots=True)
class Reference:
    """A definition, by its JSON pointer."""

    pointer: str


@dataclass(frozen=True, slots=True)
class Union:
    """A union of at least two types. Unions are never nested."""

    members: tuple[Node, ...]


Node: TypeAlias = (
    "Anything | Never | Scalar | Choice | Sequence | Fixed | Mapping | Reference | Union"
)

NULL = Scalar("null")


@dataclass(frozen=True, slots=True)
class Member:
    """A property of a record. ``facts`` are constraints that its type can't express.

    ``documented`` is a narrower type for the signature, from the alternatives that constrain the
    property. Others leave it open.
    """

    wire: str
    node: Node
    required: bool
    description: str = ""
    facts: tuple[tuple[str, Json], ...] = ()
    documented: Node | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """An object with named properties. A closed one has no others."""

    members: tuple[Member, ...]
    closed: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A named part of a schema: a record, or a type worth an alias.

    ``hint`` may be a better last word for the name than the pointer's. ``exact`` excludes the
    definitions that it refers to.
    """

    pointer: str
    body: Record | Node
    description: str
    hint: str
    exact: bool


@dataclass(frozen=True, slots=True)
class InferredType:
    """The type of a schema: its root, its definitions by pointer, and whether it is exact."""

    root: Node
    definitions: dict[str, Definition] = field(default_factory=dict[str, Definition])
    exact: bool = True


def union(nodes: list[Node]) -> Node:
    """Join types into a flat union without duplicates, ``null`` last."""
    unique: dict[str, Node] = {}
    for node in nodes:
        for member in node.members if isinstance(node, Union) else (node,):
            if isinstance(member, Anything):
                return member
            if not isinstance(member, Never):
                unique.setdefault(repr(member), member)  # unlike ==, repr keeps 1 and True apart
    flat = _joined_choices(list(unique.values()))
    flat.sort(key=lambda node: node == NULL)
    if not flat:
        return Never()
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def _joined_choices(nodes: list[Node]) -> list[Node]:
    choices = [node for node in nodes if isinstance(node, Choice)]
    if len(choices) < 2:
        return nodes
    values: dict[tuple[type, object], str | int | bool] = {}
    for choice in choices:
        values |= {(type(value), value): value for value in choice.values}
    first = nodes.index(choices[0])
    rest = [node for node in nodes if not isinstance(node, Choice)]
    return [*rest[:first], Choice(tuple(values.values())), *rest[first:]]


def references(node: Node | Record) -> Iterator[str]:
    """Yield the pointers of the definitions that a node refers to directly."""
    if isinstance(node, Reference):
        yield node.pointer
    for child in children(node):
        yield from references(child)


def children(node: Node | Record) -> tuple[Node, ...]:
    """Return the nodes directly inside a node."""
    match node:
        case Record():
            documented = [m.documented for m in node.members if m.documented is not None]
            return (*(member.node for member in node.members), *documented)
        case Sequence():
            return (node.item,)
        case Fixed():
            return node.items
        case Mapping():
            return (node.value,)
        case Union():
            return node.members
        case Anything() | Never() | Scalar() | Choice() | Reference():
            return ()
        case _:
            raise unforeseen(node)
