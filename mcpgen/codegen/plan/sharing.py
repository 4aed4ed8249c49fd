"""Groups the types that are equal in many places of a package into one class, and names it.

A class that a schema names itself has that name, also where it stands in one place. Of one that no
schema names each tool knows it by its own name alone, so that no tool's name depends on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from mcpgen.codegen import identifiers
from mcpgen.codegen.plan.class_names import ClassNames, yielding
from mcpgen.codegen.plan.places import (
    ARGUMENTS,
    RESULT,
    Group,
    Place,
    Sides,
    definition_of,
    is_result,
    own_name,
    side_of,
)
from mcpgen.codegen.plan.sides import Side
from mcpgen.schemas.types import Definition, Record
from mcpgen.schemas.types.nodes import Node, references
from mcpgen.schemas.types.passing import Passing
from mcpgen.schemas.types.sharing import equal

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


@dataclass(frozen=True, slots=True)
class Type:
    """One class or alias, and all places that it is the type of.

    ``names`` are those that it has in the package, the one of its class first; a type that
    ``is_named`` has them from schemas, any other one from its first place. One that ``is_shared``
    stands in no tool's own module. ``partners`` are types of results that may be given for it.
    """

    places: Group
    definition: Definition
    names: tuple[str, ...]
    is_named: bool
    is_shared: bool
    partners: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Types:
    """All types of a package, in the order of their first places.

    ``titles`` are further names of whole results, by their place.
    """

    sides: Sides
    types: tuple[Type, ...]
    numbers: Mapping[Place, int]
    firsts: Mapping[tuple[int, str, str], str]
    titles: Mapping[Place, str]

    def first(self, place: Place) -> str:
        """Return where in the same schema the type of a place stands first."""
        return self.firsts[self.numbers[place], place.tool, place.key]

    def at(self, place: Place) -> Type:
        """Return the type of a place."""
        return self.types[self.numbers[place]]

    def side(self, place: Place) -> Side:
        """Return the schema that a place is in."""
        return side_of(self.sides, place)

    def is_recursive(self, number: int) -> bool:
        """Say whether a type needs a name that is not yet there: its own, or one of a cycle."""
        seen: set[int] = set()
        waiting = self.needed(number)
        while waiting:
            other = waiting.pop()
            if other == number:
                return True
            if other not in seen:
                seen.add(other)
                waiting += self.needed(other)
        return False

    def known_as(self, place: Place) -> str:
        """Return the name by which users of a tool know the type of a place."""
        one = self.at(place)
        is_own = is_result(place) or not one.is_named
        return own_name(self.sides, place) if is_own else one.name

    def partners(self, place: Place) -> list[Type]:
        """Return the types of results that may be given for the type of a place."""
        return [self.types[number] for number in self.at(place).partners]

    def needed(self, number: int) -> list[int]:
        """Return the types that the class of a type refers to."""
        one = self.types[number]
        pointers = sorted(set(references(one.definition.body)))
        used = [self.numbers[one.places[0].near(pointer)] for pointer in pointers]
        return [*used, *(partner for each in used for partner in self.types[each].partners)]


def share(sides: Sides, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
    """Find the types of a package and name them; ``pins`` are names, each with a place of it."""
    return Groups.of(sides).named(pins, reserved)


@dataclass(frozen=True, slots=True)
class Groups:
    """Which places have one type, as far as no name decides about it."""

    sides: Sides
    groups: tuple[Group, ...]

    @staticmethod
    def of(sides: Sides) -> Groups:
        """Find the places of each type."""
        keyed = [
            (tool, key, side)
            for tool in sorted(sides)
            for key, side in zip((ARGUMENTS, RESULT), sides[tool], strict=True)
            if side is not None
        ]
        parts = equal([(key, side.inferred.definitions) for _, key, side in keyed])
        groups = [
            sorted((Place(*keyed[n][:2], at) for n, at in part), key=lambda place: place.order)
            for part in parts
        ]
        return Groups(sides, tuple(sorted(map(tuple, groups), key=lambda group: group[0].order)))

    def named(self, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
        """Give each type its names, none of those ``reserved``, its text and its module."""
        sides = yielding(self.sides, pins)
        names = ClassNames(sides, self.groups, pins)
        from_schemas = names.from_schemas(reserved)
        partners = find_partners(sides, self.groups)
        numbers = {place: n for n, group in enumerate(self.groups) for place in group}
        shared = _shared(sides, self.groups, numbers, from_schemas.keys(), partners)
        from_tools = names.from_tools(sorted(shared - from_schemas.keys()))
        types = tuple(
            Type(
                group,
                _agreed([definition_of(sides, place) for place in group]),
                from_schemas.get(n) or from_tools.get(n) or (own_name(sides, group[0]),),
                is_named=n in from_schemas,
                is_shared=n in shared,
                partners=partners.get(n, ()),
            )
            for n, group in enumerate(self.groups)
        )
        firsts = {
            (n, place.tool, place.key): place.pointer
            for n, group in enumerate(self.groups)
            for place in reversed(group)
        }
        taken = {*reserved, *(name for each in types for name in each.names)}
        return Types(sides, types, numbers, firsts, names.titles(taken))


def _agreed(listed: list[Definition]) -> Definition:
    """Return one of several definitions, with the texts that all of them have."""
    first = listed[0]
    if len(listed) == 1:
        return first
    text = _one(each.description for each in listed)
    if not isinstance(first.body, Record):
        return replace(first, description=text)
    columns = zip(*(e.body.members for e in listed if isinstance(e.body, Record)), strict=True)
    members = tuple(
        replace(column[0], description=_one(member.description for member in column))
        for column in columns
    )
    return replace(first, description=text, body=replace(first.body, members=members))


def _one(texts: Iterable[str]) -> str:
    """Return a text that is always the same: one that is not speaks of a single place."""
    distinct = set(texts)
    return distinct.pop() if len(distinct) == 1 else ""


def _shared(
    sides: Sides,
    groups: tuple[Group, ...],
    numbers: Mapping[Place, int],
    named: Iterable[int],
    partners: Mapping[int, tuple[int, ...]],
) -> set[int]:
    """Return the types that stand in no tool's own module, with all that they refer to."""
    waiting = [*named, *(partner for listed in partners.values() for partner in listed)]
    waiting += [n for n, group in enumerate(groups) if _is_in_two_tools(group)]
    shared: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in shared:
            shared.add(number)
            first = groups[number][0]
            for pointer in set(references(definition_of(sides, first).body)):
                waiting.append(numbers[first.near(pointer)])
    return shared


def _is_in_two_tools(group: Group) -> bool:
    """Say whether tools have a type in common; the whole of what each takes or gives is its own."""
    is_part = any(place.pointer for place in group)
    return is_part and any(place.tool != group[0].tool for place in group)
