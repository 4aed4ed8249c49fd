"""Checks properties without a value: new entities share none, and each can be cleared."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcpgen.findings.contract_tests import Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.answer import has_worked
from mcpgen.testing.checks.entity.kind import Kind, arguments_of, brief_value, id_in

_MAX_PROPERTIES = 2


def run(kind: Kind, first: Json) -> Iterator[Verdict]:
    """Set a property that two new entities lack, and clear properties of an older one."""
    yield from _shared(kind)
    for tool in kind.case.data.get("change", []):
        for full, empty in tool.get("emptied", ()):
            yield from _kept(kind, tool, first, (full, empty))


def _shared(kind: Kind) -> Iterator[Verdict]:
    """Change a list or object that two new entities have by default. They may wrongly share it."""
    least = kind.lab.input(kind.case.name).frugal(kind.arguments)
    changes: dict[str, tuple[Json, Json]] = {}
    for tool in kind.case.data.get("change", []):
        for change in () if tool.get("is_setter") else tool["changes"]:
            for name, value in change.items():
                if value and (is_array(value) or is_object(value)) and name not in least:
                    changes.setdefault(name, (tool, change))
    if not changes:
        return
    first, second = (id_in(kind.lab.call(kind.case.name, least)) for _ in range(2))
    if None in (first, second) or first == second:
        return
    for name, (tool, change) in islice(changes.items(), _MAX_PROPERTIES):
        before = kind.get(second)
        answer = kind.lab.call(tool["tool"], arguments_of(tool, first, change))
        if before is None or not has_worked(answer) or tool["tool"] in kind.lab.suspects:
            continue
        now = (kind.get(second) or {}).get(name)
        if now != before.get(name) and now == change[name]:
            detail = f"{tool['tool']} changes {first!r}, and {name} of {second!r} becomes"
            pointer = f"{tool['tool']} other"
            yield Verdict("C907", f"{detail} {brief_value(now)}", pointer, answer.display_text())


def _kept(kind: Kind, tool: Json, id: Json, pair: tuple[Json, Json]) -> Iterator[Verdict]:
    """Set an optional property, then set it to an empty value."""
    full, empty = pair
    name = next(key for key in full if full[key] != empty[key])
    for arguments in pair:
        answer = kind.lab.call(tool["tool"], {tool["argument"]: id, **arguments})
        if not has_worked(answer):
            return
        now = (kind.get(id) or {}).get(name)
        if arguments is full and now != full[name]:
            return  # the entity shows it differently
        if arguments is empty and now == full[name]:
            detail = f"{tool['tool']} sets {name} to {brief_value(empty[name])}: {brief_value(now)}"
            yield Verdict("C906", detail, f"{tool['tool']} {name}", answer.display_text())
