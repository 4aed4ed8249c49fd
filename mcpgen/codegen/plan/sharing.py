"""Groups the types that are equal in many places of a package into one class, and names it.

A class that a schema names itself has that name, also where it stands in one place. Of one that no
schema names each tool knows it by its own name alone, so that no tool's name depends on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mcpgen.codegen import identifiers, naming
from mcpgen.codegen.plan.sides import Side
from mcpgen.jsonpointer import escape
from mcpgen.types import Definition, Record
from mcpgen.types.nodes import Node, references
from mcpgen.types.passing import Passing
from mcpgen.types.sharing import equal

Sides: TypeAlias = "Mapping[str, tuple[Side | None, Side | None]]"
"""The arguments and the result of each tool, where a schema says them."""

Group: TypeAlias = "tuple[Place, ...]"
"""The places of one type, the first of them first."""

ARGUMENTS = "inputSchema"
RESULT = "outputSchema"
_MOST_PARTNERS = 3
_MOST_ALIKE = 30


@dataclass(frozen=True, slots=True)
class Place:
    """A definition, by its tool, the schema of it and the JSON pointer in that."""

    tool: str
    key: str
    pointer: str

    def __str__(self) -> str:
        """Return the place as a JSON pointer into the contract, as notices have it."""
        return f"/tools/{escape(self.tool)}/{self.key}{self.pointer}"

    def near(self, pointer: str) -> Place:
        """Return another place of the same schema."""
        return Place(self.tool, self.key, pointer)

    @property
    def order(self) -> tuple[str, str, int, str]:
        """What decides which of several places is the first: a tool's, and the outermost."""
        return self.tool, self.key, self.pointer.count("/"), self.pointer


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
    """All types of a package, in the order of their first places."""

    sides: Sides
    types: tuple[Type, ...]
    numbers: Mapping[Place, int]
    firsts: Mapping[tuple[int, str, str], str]

    def first(self, place: Place) -> str:
        """Return where in the same schema the type of a place stands first."""
        return self.firsts[self.numbers[place], place.tool, place.key]

    def at(self, place: Place) -> Type:
        """Return the type of a place."""
        return self.types[self.numbers[place]]

    def side(self, place: Place) -> Side:
        """Return the schema that a place is in."""
        return _side(self.sides, place)

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
        return one.name if one.is_named else _own(self.sides, place)

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
        sides = _yielding(self.sides, pins)
        names = _Names(sides, self.groups, pins)
        from_schemas = names.from_schemas(reserved)
        partners = _partners(sides, self.groups)
        numbers = {place: n for n, group in enumerate(self.groups) for place in group}
        shared = _shared(sides, self.groups, numbers, from_schemas.keys(), partners)
        from_tools = names.from_tools(sorted(shared - from_schemas.keys()))
        types = tuple(
            Type(
                group,
                _agreed([_definition(sides, place) for place in group]),
                from_schemas.get(n) or from_tools.get(n) or (_own(sides, group[0]),),
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
        return Types(sides, types, numbers, firsts)


def _side(sides: Sides, place: Place) -> Side:
    side = sides[place.tool][0 if place.key == ARGUMENTS else 1]
    assert side is not None, place
    return side


def _definition(sides: Sides, place: Place) -> Definition:
    return _side(sides, place).inferred.definitions[place.pointer]


def _own(sides: Sides, place: Place) -> str:
    """Return the name that a tool itself has for a type."""
    return _side(sides, place).names[place.pointer]


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


# -- names ----------------------------------------------------------------------------------------


def _yielding(sides: Sides, pins: Mapping[str, str]) -> Sides:
    """Rename what a new tool would call as another tool's class is called already."""
    if not pins:
        return sides
    return {
        tool: (_renamed(arguments, tool, ARGUMENTS, pins), _renamed(result, tool, RESULT, pins))
        for tool, (arguments, result) in sides.items()
    }


def _renamed(side: Side | None, tool: str, key: str, pins: Mapping[str, str]) -> Side | None:
    if side is None:
        return None
    clashing = {
        pointer: naming.told_apart(name, str(Place(tool, key, pointer)))
        for pointer, name in side.names.items()
        if name in pins and pins[name] != str(Place(tool, key, pointer))
    }
    if not clashing:
        return side
    return replace(side, names={**side.names, **clashing}, root=clashing.get("", side.root))


@dataclass(frozen=True, slots=True)
class _Names:
    """Chooses the names of types: of what two would be called, none is."""

    sides: Sides
    groups: tuple[Group, ...]
    pins: Mapping[str, str]

    def from_schemas(self, reserved: Collection[str]) -> dict[int, tuple[str, ...]]:
        """Return the types that schemas name, by number."""
        tool_names = {
            name for both in self.sides.values() for s in both if s for name in s.names.values()
        }
        owners: dict[str, set[int]] = {}
        for number, group in enumerate(self.groups):
            for name in self._wanted(group):
                owners.setdefault(name, set()).add(number)
        owners |= {name: {number} for name, number in self._pinned()}
        chosen: dict[int, list[str]] = {}
        for name in sorted(owners.keys() - tool_names - set(reserved)):
            if len(owners[name]) == 1:
                chosen.setdefault(min(owners[name]), []).append(name)
        for name, number in self._pinned():
            # By a tool's name it was known before a schema named it.
            if name in tool_names and number in chosen:
                chosen[number].append(name)
        return {number: tuple(names) for number, names in chosen.items()}

    def _wanted(self, group: Group) -> set[str]:
        names: set[str] = set()
        for place in group:
            if text := _side(self.sides, place).schema_names.get(place.pointer):
                names.add(naming.shared(text, arguments=place.key == ARGUMENTS))
        return names - {""}

    def _pinned(self) -> Iterator[tuple[str, int]]:
        if not self.pins:
            return
        numbers = {str(place): n for n, group in enumerate(self.groups) for place in group}
        for name, place in self.pins.items():
            if place in numbers and naming.is_class(name):
                yield name, numbers[place]

    def from_tools(self, numbers: Iterable[int]) -> dict[int, tuple[str]]:
        """Name types that no schema names as one of their tools does, no two of them alike."""
        chosen: dict[int, tuple[str]] = {}
        taken: set[str] = set()
        for number in numbers:
            names = {_own(self.sides, place): place for place in reversed(self.groups[number])}
            free = [name for name in names if name not in taken]
            pinned = [name for name in free if self.pins.get(name) == str(names[name])]
            first = _own(self.sides, self.groups[number][0])
            name = next(iter([*pinned, *reversed(free)]), "")
            name = name or naming.told_apart(first, str(self.groups[number][0]))
            taken.add(name)
            chosen[number] = (name,)
        return chosen


# -- what is shared, and what is given on ---------------------------------------------------------


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
            for pointer in set(references(_definition(sides, first).body)):
                waiting.append(numbers[first.near(pointer)])
    return shared


def _is_in_two_tools(group: Group) -> bool:
    """Say whether tools have a type in common; the whole of what each takes or gives is its own."""
    is_part = any(place.pointer for place in group)
    return is_part and any(place.tool != group[0].tool for place in group)


def _partners(sides: Sides, groups: tuple[Group, ...]) -> dict[int, tuple[int, ...]]:
    """Find for parts of arguments the parts of results that may be given for them.

    Those have the same members, or the same name in their schemas, and all that they can be is
    allowed.
    """
    results = _Results(sides)
    wanting: list[int] = []
    for number, group in enumerate(groups):
        side, body = _side(sides, group[0]), _definition(sides, group[0]).body
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
        body = _definition(self.sides, group[0]).body
        assert isinstance(body, Record)
        named = {n for name in self._called(group) for n in self.by_name.get(name, ())}
        for numbers in (sorted(named), self.by_members.get(_wires(body), [])):
            alike = numbers if len(numbers) <= _MOST_ALIKE else []
            fitting = [n for n in alike if self._fits(groups[n][0], group[0])]
            if 0 < len(fitting) <= _MOST_PARTNERS:
                return tuple(fitting)
        return ()

    def _called(self, group: Group) -> set[str]:
        texts = [_side(self.sides, place).schema_names.get(place.pointer, "") for place in group]
        return {identifiers.pascal(name, "") for name in texts} - {""}

    def _fits(self, passed: Place, wanted: Place) -> bool:
        mine, yours = _side(self.sides, passed), _side(self.sides, wanted)
        passing = Passing(mine.inferred.definitions, yours.inferred.definitions)
        one, other = _body(mine, passed), _body(yours, wanted)
        return isinstance(one, Record) and isinstance(other, Record) and passing.record(one, other)


def _body(side: Side, place: Place) -> Record | Node:
    return side.inferred.definitions[place.pointer].body


def _wires(record: Record) -> frozenset[str]:
    return frozenset(member.wire for member in record.members)
