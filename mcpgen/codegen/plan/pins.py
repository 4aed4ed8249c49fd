"""Pins the names that a package has today where another tool would change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcpgen.codegen import naming
from mcpgen.codegen.plan.places import Place
from mcpgen.codegen.plan.sharing import Groups, Types
from mcpgen.codegen.plan.sides import arguments, result
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
    sides = {t.name: (arguments(t, names[t.name]), result(t, names[t.name])) for t in tools}
    return Groups.from_sides(sides)


def _classes(previous: Contract, current: Contract) -> dict[str, str]:
    if previous.tools == current.tools and previous.names == current.names:
        return dict(previous.classes)
    return kept_classes(
        groups(previous).with_names(previous.classes), groups(current), previous.classes
    )


def kept_classes(before: Types, now: Groups, pins: Mapping[str, str]) -> dict[str, str]:
    """Return the pins with which the classes of a package keep the names that they had."""
    named_places = _places(before, now.with_names({}))
    held = {name: str(place) for name, place in named_places if name in pins}
    while True:
        after = now.with_names(held)
        moved = {
            name: str(place)
            for name, place in _places(before, after)
            if name not in after.type_at(place).names
        }
        if moved.keys() <= held.keys():
            return held
        held |= moved


def _places(before: Types, after: Types) -> Iterator[tuple[str, Place]]:
    """Yield the names of shared classes, each with a place where the class is known still."""
    for item in before.types:
        for name in item.names if item.is_shared else ():
            named = [p for p in item.places if before.side(p).names[p.pointer] == name]
            places = (place for place in named or item.places if place in after.numbers)
            if place := next(places, None):
                yield name, place
