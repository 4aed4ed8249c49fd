"""Merges equal types of a package into one class, and names it.

A class with a name in its schema has that name, even if it is used once. For other classes each
tool has its own alias, so no tool's name depends on another.
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
    """Find result types that callers may pass unchanged as parts of arguments.

    They have the same properties, or the same name in their schemas, and all their values are
    valid.
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
    """The objects in results, by name and by properties."""

    sides: Sides
    by_name: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    by_members: dict[frozenset[str], list[int]] = field(
        default_factory=dict[frozenset[str], "list[int]"]
    )

    def add(self, number: int, group: Group, body: Record) -> None:
        """Take note of an object."""
        self.by_members.setdefault(_wires(body), []).append(number)
        for name in self._names_of(group):
            self.by_name.setdefault(name, []).append(number)

    def fitting(self, group: Group, groups: tuple[Group, ...]) -> tuple[int, ...]:
        """Return the objects that may be given for one, by name if any of that name may be."""
        body = definition_of(self.sides, group[0]).body
        assert isinstance(body, Record)
        named = {n for name in self._names_of(group) for n in self.by_name.get(name, ())}
        for numbers in (sorted(named), self.by_members.get(_wires(body), [])):
            alike = numbers if len(numbers) <= _MOST_ALIKE else []
            fitting = [n for n in alike if self._fits(groups[n][0], group[0])]
            if 0 < len(fitting) <= _MOST_PARTNERS:
                return tuple(fitting)
        return ()

    def _names_of(self, group: Group) -> set[str]:
        texts = [side_of(self.sides, place).schema_names.get(place.pointer, "") for place in group]
        return {identifiers.pascal(name, "") for name in texts} - {""}

    def _fits(self, passed: Place, wanted: Place) -> bool:
        mine, yours = side_of(self.sides, passed), side_of(self.sides, wanted)
        passing = Passing(mine.inferred.definitions, yours.inferred.definitions)
        node, other = _body(mine, passed), _body(yours, wanted)
        return (
            isinstance(node, Record) and isinstance(other, Record) and passing.record(node, other)
        )


def _body(side: Side, place: Place) -> Record | Node:
    return side.inferred.definitions[place.pointer].body


def _wires(record: Record) -> frozenset[str]:
    return frozenset(member.wire for member in record.members)


@dataclass(frozen=True, slots=True)
class Type:
    """A class or alias, with all its positions.

    ``names`` are its names in the package, its class's name first. If ``is_named``, schemas provide
    the names, otherwise the first position does. If ``is_shared``, it is in the shared module.
    ``partners`` are result types that can be passed instead.
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

    def type_at(self, place: Place) -> Type:
        """Return the type of a position."""
        return self.types[self.numbers[place]]

    def side(self, place: Place) -> Side:
        """Return the schema that a place is in."""
        return side_of(self.sides, place)

    def is_recursive(self, number: int) -> bool:
        """Return True if a type needs a name that isn't defined yet: its own, or one of a cycle."""
        visited: set[int] = set()
        waiting = self.dependencies(number)
        while waiting:
            other = waiting.pop()
            if other == number:
                return True
            if other not in visited:
                visited.add(other)
                waiting += self.dependencies(other)
        return False

    def known_as(self, place: Place) -> str:
        """Return the name of a type for users of a tool."""
        one = self.type_at(place)
        is_own = is_result(place) or not one.is_named
        return own_name(self.sides, place) if is_own else one.name

    def partners(self, place: Place) -> list[Type]:
        """Return the types of results that may be given for the type of a place."""
        return [self.types[number] for number in self.type_at(place).partners]

    def dependencies(self, number: int) -> list[int]:
        """Return the types that the class of a type refers to."""
        one = self.types[number]
        pointers = sorted(set(references(one.definition.body)))
        used = [self.numbers[one.places[0].near(pointer)] for pointer in pointers]
        return [*used, *(partner for item in used for partner in self.types[item].partners)]


def share(sides: Sides, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
    """Find and name the types of a package. ``pins`` maps names to positions."""
    return Groups.from_sides(sides).with_names(pins, reserved)


@dataclass(frozen=True, slots=True)
class Groups:
    """The positions of each type, before names are assigned."""

    sides: Sides
    groups: tuple[Group, ...]

    @staticmethod
    def from_sides(sides: Sides) -> Groups:
        """Group the positions by type."""
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

    def with_names(self, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
        """Assign names other than ``reserved`` ones, descriptions and modules."""
        sides = yielding(self.sides, pins)
        names = ClassNames(sides, self.groups, pins)
        from_schemas = names.from_schemas(reserved)
        partners = find_partners(sides, self.groups)
        numbers = {place: n for n, group in enumerate(self.groups) for place in group}
        shared = _shared_numbers(sides, self.groups, numbers, from_schemas.keys(), partners)
        from_tools = names.from_tools(sorted(shared - from_schemas.keys()))
        types = tuple(
            Type(
                group,
                _common_definition([definition_of(sides, place) for place in group]),
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
        taken = {*reserved, *(name for item in types for name in item.names)}
        return Types(sides, types, numbers, firsts, names.titles(taken))


def _common_definition(listed: list[Definition]) -> Definition:
    """Merge definitions, with the descriptions that all of them share."""
    first = listed[0]
    if len(listed) == 1:
        return first
    text = _common_text(definition.description for definition in listed)
    if not isinstance(first.body, Record):
        return replace(first, description=text)
    columns = zip(*(e.body.members for e in listed if isinstance(e.body, Record)), strict=True)
    members = tuple(
        replace(column[0], description=_common_text(member.description for member in column))
        for column in columns
    )
    return replace(first, description=text, body=replace(first.body, members=members))


def _common_text(texts: Iterable[str]) -> str:
    """Return a text if all are equal. Otherwise it describes only one position."""
    distinct = set(texts)
    return distinct.pop() if len(distinct) == 1 else ""


def _shared_numbers(
    sides: Sides,
    groups: tuple[Group, ...],
    numbers: Mapping[Place, int],
    named: Iterable[int],
    partners: Mapping[int, tuple[int, ...]],
) -> set[int]:
    """Return the types in the shared module, with everything that they refer to."""
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
    """Return True if several tools use a type. Complete arguments and results don't count."""
    is_part = any(place.pointer for place in group)
    return is_part and any(place.tool != group[0].tool for place in group)
