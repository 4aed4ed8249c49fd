"""Assignability: whether every value of one type is a value of another, by JSON type.

Bounds are ignored: type checkers don't see them, and each call is validated.
"""

from __future__ import annotations

from collections.abc import Mapping as Names
from dataclasses import dataclass, field
from typing import TypeAlias

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
)

Definitions: TypeAlias = "Names[str, Definition]"

_KINDS = {str: "string", bool: "boolean", int: "integer"}


@dataclass(frozen=True, slots=True)
class Passing:
    """Compares types of two schemas. Recursive types are assumed to fit until disproved."""

    source: Definitions
    target: Definitions
    _results: dict[tuple[str, str], bool] = field(default_factory=dict["tuple[str, str]", bool])

    def fits(self, source: Node, target: Node) -> bool:
        """Return True if every value of one type is a value of the other."""
        if isinstance(target, Anything) or isinstance(source, Never):
            return True
        if isinstance(source, Reference):
            return self._fits_definition(source.pointer, target)
        if isinstance(source, Union):
            return all(self.fits(member, target) for member in source.members)
        if isinstance(target, Reference):
            body = self.target[target.pointer].body
            return not isinstance(body, Record) and self.fits(source, body)
        if isinstance(target, Union):
            return any(self.fits(source, member) for member in target.members)
        return self._container(source, target) or _is_scalar(source, target)

    def _fits_definition(self, pointer: str, target: Node) -> bool:
        pair = (pointer, repr(target))
        if pair not in self._results:
            self._results[pair] = True  # assumed until it is known, so that recursion ends
            self._results[pair] = self._body(self.source[pointer].body, pointer, target)
        return self._results[pair]

    def _body(self, body: Record | Node, pointer: str, target: Node) -> bool:
        if not isinstance(body, Record):
            return self.fits(body, target)
        if isinstance(target, Union):
            return any(self._fits_definition(pointer, member) for member in target.members)
        other = self.target[target.pointer].body if isinstance(target, Reference) else target
        if isinstance(other, Record):
            return self.record(body, other)
        if isinstance(other, Mapping):
            return isinstance(other.value, Anything)
        return isinstance(other, Union) and self._fits_definition(pointer, other)

    def record(self, source: Record, target: Record) -> bool:
        """Return True if every object of one record is an object of the other."""
        target_members = {member.wire: member for member in target.members}
        source_members = {member.wire: member for member in source.members}
        if target.closed and not (source.closed and source_members.keys() <= target_members.keys()):
            return False
        if any(m.required and not _is_always(source_members.get(m.wire)) for m in target.members):
            return False
        both = source_members.keys() & target_members.keys()
        return all(
            self.fits(source_members[wire].node, target_members[wire].node) for wire in sorted(both)
        )

    def _container(self, source: Node, target: Node) -> bool:
        if isinstance(source, Mapping) and isinstance(target, Mapping):
            return self.fits(source.value, target.value)
        if isinstance(source, Sequence) and isinstance(target, Sequence):
            return self.fits(source.item, target.item)
        if isinstance(source, Fixed) and isinstance(target, Sequence):
            return all(self.fits(item, target.item) for item in source.items)
        if isinstance(source, Fixed) and isinstance(target, Fixed):
            pairs = zip(source.items, target.items, strict=False)
            same = len(source.items) == len(target.items)
            return same and all(self.fits(item, other) for item, other in pairs)
        return False


def _is_always(member: Member | None) -> bool:
    return member is not None and member.required


def _is_scalar(source: Node, target: Node) -> bool:
    if isinstance(source, Choice) and isinstance(target, Choice):
        values = {(type(value), value) for value in target.values}
        return all((type(value), value) in values for value in source.values)
    if not isinstance(target, Scalar):
        return False
    if isinstance(source, Choice):
        kinds: set[str] = {_KINDS[type(value)] for value in source.values}
    else:
        kinds = {source.kind} if isinstance(source, Scalar) else set[str]()
    if isinstance(source, Scalar) and target.format not in ("", source.format):
        return False
    return bool(kinds) and all(kind == target.kind or _is_wider(kind, target) for kind in kinds)


def _is_wider(kind: str, target: Scalar) -> bool:
    return kind == "integer" and target.kind == "number"
