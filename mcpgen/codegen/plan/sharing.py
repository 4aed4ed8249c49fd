"""Merges equal types of a package into one class, and names it.

A class with a name in its schema has that name, even if it is used once. For other classes each
tool has its own alias, so no tool's name depends on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from mcpgen.codegen import identifiers, naming
from mcpgen.codegen.plan.class_names import ClassNames, yielding
from mcpgen.codegen.plan.tool_types import (
    ARGUMENTS,
    RESULT,
    Group,
    SchemaLocation,
    Sides,
    ToolType,
    arguments,
    definition_of,
    is_result,
    own_name,
    result,
    side_of,
)
from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.isolation import isolate
from mcpgen.schemas.types import Definition, Record
from mcpgen.schemas.types.assignability import Passing
from mcpgen.schemas.types.nodes import Node, references
from mcpgen.schemas.types.sharing import equal

_MOST_PARTNERS = 3
_MOST_ALIKE = 30


def find_partners(tool_types: Sides, groups: tuple[Group, ...]) -> dict[int, tuple[int, ...]]:
    """Find result types that callers may pass unchanged as parts of arguments.

    They have the same properties, or the same name in their schemas, and all their values are
    valid.
    """
    results = _Results(tool_types)
    wanting: list[int] = []
    for number, group in enumerate(groups):
        tool_type, body = side_of(tool_types, group[0]), definition_of(tool_types, group[0]).body
        if not isinstance(body, Record) or not body.members:
            continue
        if not tool_type.arguments:
            results.add(number, group, body)
        elif tool_type.is_sent and any(item.pointer for item in group):
            wanting.append(number)
    by_number = {number: results.fitting(groups[number], groups) for number in wanting}
    return {number: partners for number, partners in by_number.items() if partners}


@dataclass(frozen=True, slots=True)
class _Results:
    """The objects in results, by name and by properties."""

    tool_types: Sides
    by_name: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    by_members: dict[frozenset[str], list[int]] = field(
        default_factory=dict[frozenset[str], "list[int]"]
    )

    def add(self, number: int, group: Group, body: Record) -> None:
        """Add an object to the index."""
        self.by_members.setdefault(_wires(body), []).append(number)
        for name in self._names_of(group):
            self.by_name.setdefault(name, []).append(number)

    def fitting(self, group: Group, groups: tuple[Group, ...]) -> tuple[int, ...]:
        """Return the results that can be passed for an object, only those of its name if any."""
        body = definition_of(self.tool_types, group[0]).body
        assert isinstance(body, Record)
        named = {n for name in self._names_of(group) for n in self.by_name.get(name, ())}
        for numbers in (sorted(named), self.by_members.get(_wires(body), [])):
            alike = numbers if len(numbers) <= _MOST_ALIKE else []
            fitting = [n for n in alike if self._fits(groups[n][0], group[0])]
            if 0 < len(fitting) <= _MOST_PARTNERS:
                return tuple(fitting)
        return ()

    def _names_of(self, group: Group) -> set[str]:
        texts = [
            side_of(self.tool_types, item).schema_names.get(item.pointer, "") for item in group
        ]
        return {identifiers.pascal(name, "") for name in texts} - {""}

    def _fits(self, passed: SchemaLocation, target: SchemaLocation) -> bool:
        mine, yours = side_of(self.tool_types, passed), side_of(self.tool_types, target)
        passing = Passing(mine.inferred.definitions, yours.inferred.definitions)
        node, other = _body(mine, passed), _body(yours, target)
        return (
            isinstance(node, Record) and isinstance(other, Record) and passing.record(node, other)
        )


def _body(tool_type: ToolType, location: SchemaLocation) -> Record | Node:
    return tool_type.inferred.definitions[location.pointer].body


def _wires(record: Record) -> frozenset[str]:
    return frozenset(member.wire for member in record.members)


@dataclass(frozen=True, slots=True)
class Type:
    """A class or alias, with all its locations.

    ``names`` are its names in the package, its class's name first. If ``is_named``, schemas provide
    the names, otherwise the first position does. If ``is_shared``, it is in the shared module.
    ``partners`` are result types that can be passed instead.
    """

    locations: Group
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
    """All types of a package, in the order of their first locations.

    ``titles`` are further names of whole results, by location.
    """

    types_by_tool: Sides
    types: tuple[Type, ...]
    numbers: Mapping[SchemaLocation, int]
    firsts: Mapping[tuple[int, str, str], str]
    titles: Mapping[SchemaLocation, str]

    def first(self, location: SchemaLocation) -> str:
        """Return the first pointer, in the same schema, of the type at a location."""
        return self.firsts[self.numbers[location], location.tool, location.key]

    def type_at(self, location: SchemaLocation) -> Type:
        """Return the type at a location."""
        return self.types[self.numbers[location]]

    def side(self, location: SchemaLocation) -> ToolType:
        """Return the tool type that has a location."""
        return side_of(self.types_by_tool, location)

    def is_recursive(self, number: int) -> bool:
        """Return True if a type refers to itself, directly or in a cycle."""
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

    def known_as(self, location: SchemaLocation) -> str:
        """Return the name of a type for users of a tool."""
        shared = self.type_at(location)
        is_own = is_result(location) or not shared.is_named
        return own_name(self.types_by_tool, location) if is_own else shared.name

    def partners(self, location: SchemaLocation) -> list[Type]:
        """Return the result types that can be passed for the type at a location."""
        return [self.types[number] for number in self.type_at(location).partners]

    def dependencies(self, number: int) -> list[int]:
        """Return the types that the class of a type refers to."""
        shared = self.types[number]
        pointers = sorted(set(references(shared.definition.body)))
        used = [self.numbers[shared.locations[0].near(pointer)] for pointer in pointers]
        return [*used, *(partner for item in used for partner in self.types[item].partners)]


def share(tool_types: Sides, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
    """Find and name the types of a package. ``pins`` maps names to locations."""
    return Groups.from_sides(tool_types).with_names(pins, reserved)


@dataclass(frozen=True, slots=True)
class Groups:
    """The locations of each type, before names are assigned."""

    sides: Sides
    groups: tuple[Group, ...]

    @staticmethod
    def from_sides(tool_types: Sides) -> Groups:
        """Group the locations by type."""
        keyed = [
            (tool, key, item)
            for tool in sorted(tool_types)
            for key, item in zip((ARGUMENTS, RESULT), tool_types[tool], strict=True)
            if item is not None
        ]
        parts = equal([(key, item.inferred.definitions) for _, key, item in keyed])
        groups = [
            sorted(
                (SchemaLocation(*keyed[n][:2], at) for n, at in part),
                key=lambda location: location.order,
            )
            for part in parts
        ]
        return Groups(
            tool_types, tuple(sorted(map(tuple, groups), key=lambda group: group[0].order))
        )

    def with_names(self, pins: Mapping[str, str], reserved: Collection[str] = ()) -> Types:
        """Assign names other than ``reserved`` ones, descriptions and modules."""
        tool_types = yielding(self.sides, pins)
        names = ClassNames(tool_types, self.groups, pins)
        from_schemas = names.from_schemas(reserved)
        partners = find_partners(tool_types, self.groups)
        numbers = {entry: n for n, group in enumerate(self.groups) for entry in group}
        shared = _shared_numbers(tool_types, self.groups, numbers, from_schemas.keys(), partners)
        from_tools = names.from_tools(sorted(shared - from_schemas.keys()))
        types = tuple(
            Type(
                group,
                _common_definition([definition_of(tool_types, entry) for entry in group]),
                from_schemas.get(n) or from_tools.get(n) or (own_name(tool_types, group[0]),),
                is_named=n in from_schemas,
                is_shared=n in shared,
                partners=partners.get(n, ()),
            )
            for n, group in enumerate(self.groups)
        )
        firsts = {
            (n, entry.tool, entry.key): entry.pointer
            for n, group in enumerate(self.groups)
            for entry in reversed(group)
        }
        used = {*reserved, *(name for item in types for name in item.names)}
        return Types(tool_types, types, numbers, firsts, names.titles(used))


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
    tool_types: Sides,
    groups: tuple[Group, ...],
    numbers: Mapping[SchemaLocation, int],
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
            for pointer in set(references(definition_of(tool_types, first).body)):
                waiting.append(numbers[first.near(pointer)])
    return shared


def _is_in_two_tools(group: Group) -> bool:
    """Return True if several tools use a type. Complete arguments and results don't count."""
    is_part = any(item.pointer for item in group)
    return is_part and any(item.tool != group[0].tool for item in group)


def pin(previous: Contract, current: Contract) -> Contract:
    """Pin the current names of tools and shared classes that a new tool would change.

    A class keeps its name as long as one of its current locations exists.
    """
    current = naming.pin(previous, current)
    classes, _ = isolate(_classes, previous, current)
    return replace(current, classes=classes)


def groups(contract: Contract) -> Groups:
    """Group the equal types of a contract's schemas."""
    names = naming.methods(contract.tools, contract.names)
    tools = definitions.tools(contract).values()
    tool_types = {t.name: (arguments(t, names[t.name]), result(t, names[t.name])) for t in tools}
    return Groups.from_sides(tool_types)


def _classes(previous: Contract, current: Contract) -> dict[str, str]:
    if previous.tools == current.tools and previous.names == current.names:
        return dict(previous.classes)
    return kept_classes(
        groups(previous).with_names(previous.classes), groups(current), previous.classes
    )


def kept_classes(before: Types, now: Groups, pins: Mapping[str, str]) -> dict[str, str]:
    """Return the pins that keep the names of a package's classes."""
    named_places = _places(before, now.with_names({}))
    previous = {name: str(item) for name, item in named_places if name in pins}
    while True:
        after = now.with_names(previous)
        moved = {
            name: str(item)
            for name, item in _places(before, after)
            if name not in after.type_at(item).names
        }
        if moved.keys() <= previous.keys():
            return previous
        previous |= moved


def _places(before: Types, after: Types) -> Iterator[tuple[str, SchemaLocation]]:
    """Yield the names of shared classes, each with a location that still has the class."""
    for item in before.types:
        for name in item.names if item.is_shared else ():
            named = [p for p in item.locations if before.side(p).names[p.pointer] == name]
            locations = (entry for entry in named or item.locations if entry in after.numbers)
            if first_place := next(locations, None):
                yield name, first_place
