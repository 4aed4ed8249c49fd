"""Generated Python: which names of methods, classes and members its users would miss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen import naming
from mcpgen.api import Tool
from mcpgen.compare.change import Change
from mcpgen.contract import Contract
from mcpgen.places import escape
from mcpgen.plan import models
from mcpgen.shape import Record


def methods(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare the names of the methods of tools that are in both contracts."""
    before = naming.methods(old.tools, old.names)
    after = naming.methods(new.tools, new.names)
    for wire in sorted(before.keys() & after.keys()):
        if before[wire] != after[wire]:
            at = _tool(wire)
            yield Change("T04", f"tool {wire}", "", at, at, before[wire], after[wire])


def renamed(
    rule: str, before: Mapping[str, str], after: Mapping[str, str], kind: str, at: str
) -> Iterator[Change]:
    """Compare the names of the methods of prompts or resources that are in both contracts."""
    for wire in sorted(before.keys() & after.keys()):
        if before[wire] != after[wire]:
            where = f"{at}/{escape(wire)}"
            yield Change(rule, f"{kind} {wire}", "", where, where, before[wire], after[wire])


def _tool(wire: str) -> str:
    return f"/tools/{escape(wire)}"


def tool(old: Tool, new: Tool, method: str) -> Iterator[Change]:
    """Compare the classes of one tool and the names of their members."""
    sides = (
        ("input", "I25", "I28", models.arguments(old, method), models.arguments(new, method)),
        ("output", "O25", "O28", models.result(old, method), models.result(new, method)),
    )
    for name, class_rule, member_rule, before, after in sides:
        if before is None or after is None or old.wrapped != new.wrapped:
            continue
        at = f"{_tool(new.name)}/{name}Schema"
        was, now = _records(before), _records(after)
        for gone, come in _classes(was, now):
            yield Change(class_rule, f"tool {new.name}", name, at, at, gone, come)
        for title in sorted(was.keys() & now.keys()):
            for wire in sorted(was[title].keys() & now[title].keys()):
                mine, yours = was[title][wire], now[title][wire]
                if mine != yours:
                    subject, path = f"tool {new.name}", f"{name}.{wire}"
                    yield Change(member_rule, subject, path, at, at, mine, yours)


def _records(side: models.Side) -> dict[str, dict[str, str]]:
    """Return the classes of a schema: by name, their members' Python names by their wire names."""
    return {
        side.names[pointer]: naming.members(member.wire for member in definition.body.members)
        for pointer, definition in side.shape.definitions.items()
        if isinstance(definition.body, Record)
    }


def _classes(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Pair the classes that are gone with new ones that have the same members."""
    come = sorted(after.keys() - before.keys())
    for gone in sorted(before.keys() - after.keys()):
        alike = [name for name in come if after[name].keys() == before[gone].keys()]
        if alike and before[gone]:
            come.remove(alike[0])
            yield gone, alike[0]
