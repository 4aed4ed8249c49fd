"""Finds which parts of results may be given as arguments, as they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.codegen import identifiers
from mcpgen.codegen.plan.places import Group, Place, Sides, definition_of, side_of
from mcpgen.codegen.plan.sides import Side
from mcpgen.schemas.types import Record
from mcpgen.schemas.types.nodes import Node
from mcpgen.schemas.types.passing import Passing

_MOST_PARTNERS = 3
_MOST_ALIKE = 30


def find_partners(sides: Sides, groups: tuple[Group, ...]) -> dict[int, tuple[int, ...]]:
    """Find for parts of arguments the parts of results that may be given for them.

    Those have the same members, or the same name in their schemas, and all that they can be is
    allowed.
    """
    results = _Results(sides)
    wanting: list[int] = []
    for number, group in enumerate(groups):
        side, body = side_of(sides, group[0]), definition_of(sides, group[0]).body
        if not isinstance(body, Record) or not body.members:
            continue
        if not side.arguments:
            results.add(number, group, body)
        elif side.is_sent and any(place.pointer for place in group):
            wanting.append(number)
    by_number = {number: results.fitting(groups[number], groups) for number in wanting}
    return {number: partners for number, partners in by_number.items() if partners}


@dataclass(frozen=True, slots=True)
class _Results:
    """The objects in results, by what they are called and by their members."""

    sides: Sides
    by_name: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    by_members: dict[frozenset[str], list[int]] = field(
        default_factory=dict[frozenset[str], "list[int]"]
    )

    def add(self, number: int, group: Group, body: Record) -> None:
        """Take note of an object."""
        self.by_members.setdefault(_wires(body), []).append(number)
        for name in self._called(group):
            self.by_name.setdefault(name, []).append(number)

    def fitting(self, group: Group, groups: tuple[Group, ...]) -> tuple[int, ...]:
        """Return the objects that may be given for one, by name if any of that name may be."""
        body = definition_of(self.sides, group[0]).body
        assert isinstance(body, Record)
        named = {n for name in self._called(group) for n in self.by_name.get(name, ())}
        for numbers in (sorted(named), self.by_members.get(_wires(body), [])):
            alike = numbers if len(numbers) <= _MOST_ALIKE else []
            fitting = [n for n in alike if self._fits(groups[n][0], group[0])]
            if 0 < len(fitting) <= _MOST_PARTNERS:
                return tuple(fitting)
        return ()

    def _called(self, group: Group) -> set[str]:
        texts = [side_of(self.sides, place).schema_names.get(place.pointer, "") for place in group]
        return {identifiers.pascal(name, "") for name in texts} - {""}

    def _fits(self, passed: Place, wanted: Place) -> bool:
        mine, yours = side_of(self.sides, passed), side_of(self.sides, wanted)
        passing = Passing(mine.inferred.definitions, yours.inferred.definitions)
        one, other = _body(mine, passed), _body(yours, wanted)
        return isinstance(one, Record) and isinstance(other, Record) and passing.record(one, other)


def _body(side: Side, place: Place) -> Record | Node:
    return side.inferred.definitions[place.pointer].body


def _wires(record: Record) -> frozenset[str]:
    return frozenset(member.wire for member in record.members)
