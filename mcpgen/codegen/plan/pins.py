"""Pins the names that a package has today where another tool would change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcpgen.codegen import naming
from mcpgen.codegen.plan.schema_locations import SchemaLocation
from mcpgen.codegen.plan.sharing import Groups, Types
from mcpgen.codegen.plan.tool_types import arguments, result
from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.isolation import isolate


def pin(previous: Contract, current: Contract) -> Contract:
    """Keep the names that tools and shared classes have today where a new tool would change
    them.

    A class keeps its name as long as a tool has it in one of its places of today.
    """
    current = naming.pin(previous, current)
    classes, _ = isolate(_classes, previous, current)
    return replace(current, classes=classes)


def groups(contract: Contract) -> Groups:
    """Find which parts of a contract's schemas are one type."""
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
    """Return the pins with which the classes of a package keep the names that they had."""
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
    """Yield the names of shared classes, each with a place where the class is known still."""
    for item in before.types:
        for name in item.names if item.is_shared else ():
            named = [p for p in item.locations if before.side(p).names[p.pointer] == name]
            locations = (entry for entry in named or item.locations if entry in after.numbers)
            if first_place := next(locations, None):
                yield name, first_place
