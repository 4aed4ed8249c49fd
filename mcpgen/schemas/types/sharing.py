"""Finds definitions of different schemas that are the same type, even recursive ones.

Uses partition refinement: similar definitions are one type until their references differ. Only
users of a part that was split are examined again, and the largest piece keeps its number. So the
effort grows little faster than the number of definitions. Descriptions are ignored.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from collections.abc import Mapping as Names
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.schemas.types.nodes import (
    Anything,
    Choice,
    Definition,
    Fixed,
    Mapping,
    Member,
    Never,
    Node,
    Record,
    Reference,
    Scalar,
    Sequence,
    Union,
    children,
)

Place: TypeAlias = "tuple[int, str]"
"""The number of a schema, and the pointer of a definition in it."""


def equal(
    schemas: Listed[tuple[Hashable, Names[str, Definition]]],
) -> list[list[Place]]:
    """Return the definitions of all schemas, grouped by equal type.

    Each schema has a kind. Definitions of different kinds are never equal.
    """
    origins = [(n, at) for n, (_, defined) in enumerate(schemas) for at in sorted(defined)]
    numbers = {origin: number for number, origin in enumerate(origins)}
    looks: list[Hashable] = []
    targets: list[list[int]] = []
    for n, pointer in origins:
        kind, definitions = schemas[n]
        pointers: list[str] = []
        looks.append((kind, _look(definitions[pointer].body, pointers)))
        targets.append([numbers[n, other] for other in pointers])
    classes = _refine(looks, targets)
    return [[origins[number] for number in same] for same in classes]


def _look(body: Record | Node, pointers: list[str]) -> Hashable:
    """Return a key for a definition without its references, and append those in order."""
    if isinstance(body, Record):
        return body.closed, tuple(_member(member, pointers) for member in body.members)
    return _node(body, pointers)


def _member(member: Member, pointers: list[str]) -> Hashable:
    documented = None if member.documented is None else _node(member.documented, pointers)
    node = _node(member.node, pointers)
    # Unlike ==, repr distinguishes 1, 1.0 and True.
    facts = repr(member.facts) if member.facts else ""
    return member.wire, node, documented, member.required, facts


def _node(node: Node, pointers: list[str]) -> Hashable:
    """Return a key for a type without its references."""
    if isinstance(node, Reference):
        pointers.append(node.pointer)
    inner = (_node(child, pointers) for child in children(node))
    return (type(node).__name__, _constraints(node), *inner)


def _constraints(node: Node) -> Hashable:
    """Return a key for the constraints of a type, without its kind and inner types."""
    match node:
        case Scalar():
            return node.kind, node.format, repr(node.bounds) if node.bounds else ""
        case Choice():
            return tuple((type(value).__name__, value) for value in node.values)
        case Sequence():
            return repr(node.bounds) if node.bounds else ""
        case Anything() | Never() | Fixed() | Mapping() | Reference() | Union():
            return ""
        case _:
            raise unforeseen(node)


def _refine(looks: Listed[Hashable], targets: Listed[Listed[int]]) -> list[list[int]]:
    """Return the coarsest partition whose groups have similar members and equal references."""
    partition = _Partition.from_looks(looks)
    users: list[list[int]] = [[] for _ in looks]
    for number, references_ in enumerate(targets):
        for other in references_:
            users[other].append(number)
    touched: Iterable[int] = range(len(looks))
    while touched:
        moved = partition.split(touched, targets)
        touched = {user for number in moved for user in users[number]}
    return sorted(sorted(part) for part in partition.parts)


@dataclass(slots=True)
class _Partition:
    """The parts of a set of numbers, and the part that each number is in."""

    parts: list[set[int]]
    part_of: list[int]

    @staticmethod
    def from_looks(looks: Listed[Hashable]) -> _Partition:
        """Group similar definitions."""
        numbers: dict[Hashable, int] = {}
        part_of = [numbers.setdefault(look, len(numbers)) for look in looks]
        parts: list[set[int]] = [set() for _ in numbers]
        for number, part in enumerate(part_of):
            parts[part].add(number)
        return _Partition(parts, part_of)

    def split(self, touched: Iterable[int], targets: Listed[Listed[int]]) -> list[int]:
        """Split parts by the references of touched members. Returns the members that moved."""
        groups: dict[int, dict[tuple[int, ...], set[int]]] = {}
        for number in touched:
            key = tuple(self.part_of[other] for other in targets[number])
            groups.setdefault(self.part_of[number], {}).setdefault(key, set()).add(number)
        # Read everything first, because a round must see a single state of all parts.
        leaving = [
            (part, item) for part, keyed in groups.items() for item in self._apart(part, keyed)
        ]
        return [number for part, item in leaving for number in self._move(part, item)]

    def _apart(self, part: int, keyed: Names[tuple[int, ...], set[int]]) -> list[set[int]]:
        """Return the pieces that leave a part: all but the largest."""
        pieces = list(keyed.values())
        if len(pieces) == 1 and len(pieces[0]) == len(self.parts[part]):
            return []
        rest = self.parts[part].difference(*pieces)
        pieces += [rest] if rest else []
        pieces.remove(max(pieces, key=len))
        return pieces

    def _move(self, part: int, numbers: set[int]) -> set[int]:
        self.parts[part] -= numbers
        for number in numbers:
            self.part_of[number] = len(self.parts)
        self.parts.append(numbers)
        return numbers
