"""Checks changes of entities: each sets the given properties of one entity, and no others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import has_worked
from mcpgen.testing.checks.entity_kind import Kind
from mcpgen.testing.entities import is_volatile

_PAUSE = 1.0
_EXCLUSIVE = frozenset("default primary main active current selected leader owner".split())
"""Words for properties that only one entity may have, so setting one unsets another."""

_OF_SEVERAL = frozenset(
    "move order position rank priority swap merge transfer pay link parent split share".split()
)
"""Words for calls that may concern several entities of a kind."""


def run(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Change one of two entities by each tool that can, and then look at both, and at lists."""
    yield from _around_lists(kind, first, _changes(kind, first, second))


def _changes(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """A change sets the given properties of one entity only, and no others."""
    states = {item: kind.get(item) for item in (first, second)}
    for value in kind.case.data.get("change", []):
        for change in value["changes"]:
            if value.get("is_setter"):
                yield from _set(kind, value, change, first, second)
                states = {item: kind.get(item) for item in (first, second)}
            else:
                yield from _change(kind, value, change, (first, second), states)


def _around_lists(kind: Kind, first: Json, changes: Iterator[Verdict]) -> Iterator[Verdict]:
    """Make the changes. A list that showed a property as it was shows it as it is, too."""
    listers: list[Json] = kind.case.data["list"] if kind.case.data.get("change") else []
    was = kind.get(first)
    same = [(item, _shared(kind.listed(item, first), was or {})) for item in listers]
    yield from changes
    now = kind.get(first)
    for item, names in same:
        changed = [name for name in names if was and now and was[name] != now.get(name)]
        if not changed or not now or not _differing(kind, item, first, changed, now):
            continue
        time.sleep(_PAUSE)
        now = kind.get(first) or now
        for name, listed in _differing(kind, item, first, changed, now)[:1]:
            detail = f"{item['tool']} still shows {name} as {_brief(listed)}"
            yield Verdict("C906", detail, f"list {item['tool']} {name}")


def _differing(
    kind: Kind, item: Json, id: Json, names: Sequence[str], entity: dict[str, Json]
) -> list[tuple[str, Json]]:
    """Return the properties that a tool lists with another value than an entity has."""
    listed = kind.listed(item, id)
    return [
        (name, listed[name])
        for name in names
        if name in listed and not _is_equal(listed[name], entity.get(name))
    ]


def _set(kind: Kind, tool: Json, change: Json, first: Json, second: Json) -> Iterator[Verdict]:
    """Call a tool that sets a value, such as a status. It must not change another entity.

    In its own entity it may change more, such as a history of the status.
    """
    names = {token.lower() for name in (tool["tool"], *change) for token in words_of(name)}
    other = kind.get(second)
    if other is None or names & (_EXCLUSIVE | _OF_SEVERAL):
        return
    answer = kind.lab.call(tool["tool"], {tool["argument"]: first, **change})
    is_other = has_worked(answer) and kind.get(second) not in (None, other)
    if is_other and tool["tool"] not in kind.lab.suspects:
        detail = f"{tool['tool']} changes {first!r}, and {second!r} is another then"
        yield Verdict("C907", detail, f"{tool['tool']} other", answer.display_text())


def _change(
    kind: Kind, tool: Json, change: Json, pair: tuple[Json, Json], states: dict[Any, Any]
) -> Iterator[Verdict]:
    """Change an entity, then a second one in the same way. `states` has both by their ID."""
    first, second = pair
    before, other = states[first], states[second]
    (name, value), *_ = change.items()
    if before is None or other is None:
        return
    nested = {tool["within"]: change} if tool["within"] else change
    answer = kind.lab.call(tool["tool"], {tool["argument"]: first, **nested})
    after, other_after = kind.get(first), kind.get(second)
    states |= {first: after or before, second: other_after or other}
    if not has_worked(answer) or after is None:
        return
    if name in before and (name not in after or not _is_equal(after[name], value)):
        detail = f"{tool['tool']} sets {name} to {_brief(value)}: {_brief(after.get(name))}"
        yield Verdict("C906", detail, f"{tool['tool']} {name}", answer.display_text())
    for member in before:
        was, now = before[member], after.get(member)
        if member == name or _is_equal(was, now) or is_volatile(member, was, now):
            continue
        detail = f"{tool['tool']} sets {name}, and {member} becomes {_brief(now)}"
        yield Verdict("C907", detail, f"{tool['tool']} {member}", answer.display_text())
    if other_after != other and tool["tool"] not in kind.lab.suspects:
        detail = f"{tool['tool']} changes {first!r}, and {second!r} is another then"
        yield Verdict("C907", detail, f"{tool['tool']} other")
        return
    if _EXCLUSIVE & {token.lower() for token in words_of(name)}:
        return
    # Two entities may have the same value.
    if has_worked(kind.lab.call(tool["tool"], {tool["argument"]: second, **nested})):
        first_again = kind.get(first)
        if first_again not in (None, after) and tool["tool"] not in kind.lab.suspects:
            detail = f"{tool['tool']} changes {second!r}, and {first!r} is another then"
            yield Verdict("C907", detail, f"{tool['tool']} other")
        states |= {first: first_again or after, second: kind.get(second) or other}


def _shared(listed: dict[str, Json], entity: dict[str, Json]) -> list[str]:
    """Return the properties that a list shows with the value that the entity has."""
    return [name for name in listed if name in entity and _is_equal(listed[name], entity[name])]


def _is_equal(entity: Json, other: Json) -> bool:
    if is_array(entity) or is_object(entity):
        return bool(entity == other)
    return (type(entity) is type(other) and bool(entity == other)) or _is_number(entity, other)


def _is_number(entity: Json, other: Json) -> bool:
    numbers = isinstance(entity, int | float) and isinstance(other, int | float)
    return (
        numbers and not isinstance(entity, bool) and not isinstance(other, bool) and entity == other
    )


def _brief(value: Json) -> str:
    return brief(repr(value), 40)
