"""Whether every value of one type may be given where another is wanted, as JSON and by kinds alone.

Bounds are not compared: no type checker sees them, and each call is validated.
"""

from __future__ import annotations

from collections.abc import Mapping as Names
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.types.nodes import (
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
)

Definitions: TypeAlias = "Names[str, Definition]"

_KINDS = {str: "string", bool: "boolean", int: "integer"}


@dataclass(frozen=True, slots=True)
class Passing:
    """Compares types of two schemas; a recursive type fits if all the rest of it does."""

    given: Definitions
    wanted: Definitions
    _known: dict[tuple[str, str], bool] = field(default_factory=dict["tuple[str, str]", bool])

    def fits(self, given: Node, wanted: Node) -> bool:
        """Say whether every value of one type is of the other."""
        if isinstance(wanted, Anything) or isinstance(given, Never):
            return True
        if isinstance(given, Reference):
            return self._named(given.pointer, wanted)
        if isinstance(given, Union):
            return all(self.fits(member, wanted) for member in given.members)
        if isinstance(wanted, Reference):
            body = self.wanted[wanted.pointer].body
            return not isinstance(body, Record) and self.fits(given, body)
        if isinstance(wanted, Union):
            return any(self.fits(given, member) for member in wanted.members)
        return self._container(given, wanted) or _is_scalar(given, wanted)

    def _named(self, pointer: str, wanted: Node) -> bool:
        pair = (pointer, repr(wanted))
        if pair not in self._known:
            self._known[pair] = True  # until it is known, which is how recursion ends
            self._known[pair] = self._body(self.given[pointer].body, pointer, wanted)
        return self._known[pair]

    def _body(self, body: Record | Node, pointer: str, wanted: Node) -> bool:
        if not isinstance(body, Record):
            return self.fits(body, wanted)
        if isinstance(wanted, Union):
            return any(self._named(pointer, member) for member in wanted.members)
        other = self.wanted[wanted.pointer].body if isinstance(wanted, Reference) else wanted
        if isinstance(other, Record):
            return self.record(body, other)
        if isinstance(other, Mapping):
            return isinstance(other.value, Anything)
        return isinstance(other, Union) and self._named(pointer, other)

    def record(self, given: Record, wanted: Record) -> bool:
        """Say whether every object of one kind is one of the other."""
        known = {member.wire: member for member in wanted.members}
        have = {member.wire: member for member in given.members}
        if wanted.closed and not (given.closed and have.keys() <= known.keys()):
            return False
        if any(m.required and not _is_always(have.get(m.wire)) for m in wanted.members):
            return False
        both = have.keys() & known.keys()
        return all(self.fits(have[wire].node, known[wire].node) for wire in sorted(both))

    def _container(self, given: Node, wanted: Node) -> bool:
        if isinstance(given, Mapping) and isinstance(wanted, Mapping):
            return self.fits(given.value, wanted.value)
        if isinstance(given, Sequence) and isinstance(wanted, Sequence):
            return self.fits(given.item, wanted.item)
        if isinstance(given, Fixed) and isinstance(wanted, Sequence):
            return all(self.fits(item, wanted.item) for item in given.items)
        if isinstance(given, Fixed) and isinstance(wanted, Fixed):
            pairs = zip(given.items, wanted.items, strict=False)
            same = len(given.items) == len(wanted.items)
            return same and all(self.fits(item, other) for item, other in pairs)
        return False


def _is_always(member: Member | None) -> bool:
    return member is not None and member.required


def _is_scalar(given: Node, wanted: Node) -> bool:
    if isinstance(given, Choice) and isinstance(wanted, Choice):
        values = {(type(value), value) for value in wanted.values}
        return all((type(value), value) in values for value in given.values)
    if not isinstance(wanted, Scalar):
        return False
    if isinstance(given, Choice):
        kinds = {_KINDS[type(value)] for value in given.values}
    else:
        kinds = {given.kind} if isinstance(given, Scalar) else set()
    if isinstance(given, Scalar) and wanted.format not in ("", given.format):
        return False
    return bool(kinds) and all(kind == wanted.kind or _is_wider(kind, wanted) for kind in kinds)


def _is_wider(kind: str, wanted: Scalar) -> bool:
    return kind == "integer" and wanted.kind == "number"
