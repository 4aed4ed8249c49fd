"""Checks changes of entities: each sets the given properties of one entity, and no others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from mcpgen.findings.contract_tests import Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import Answer, has_worked
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.arguments.entities import is_volatile
from mcpgen.testing.arguments.known_values import is_id
from mcpgen.testing.arguments.safety import acts_outside, is_guessable
from mcpgen.testing.checks.calls import call_at_once
from mcpgen.testing.checks.entity.kind import Kind, arguments_of, brief_value

_PAUSE = 1.0
_AT_ONCE = 6
_LEAST_AT_ONCE = 2
_TRIES = 3
_MAX_FILTERS = 3
_EXCLUSIVE = frozenset("default primary main active current selected leader owner".split())
"""Words for properties that only one entity can have, so setting one unsets another."""

_OF_SEVERAL = frozenset(
    "move order position rank priority swap merge transfer pay link parent split share".split()
)
"""Words for calls that may concern several entities of a kind."""


def run(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Change an entity with each suitable tool, then read both entities and lists."""
    yield from _around_lists(kind, first, _changes(kind, first, second))


def _changes(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Check that changes set only the given properties of one entity."""
    states = {item: kind.get(item) for item in (first, second)}
    for value in kind.case.data.get("change", []):
        names: set[str] = set()
        for change in value["changes"]:
            if value.get("is_setter"):
                yield from _set(kind, value, change, first, second)
                states = {item: kind.get(item) for item in (first, second)}
                continue
            yield from _change(kind, value, change, (first, second), states)
            if names.isdisjoint(change):
                yield from _change_other(kind, value, change, (first, second), states)
            names |= {*change}
        if not value.get("is_setter"):
            yield from _change_at_once(kind, value, first)
            states = {item: kind.get(item) for item in (first, second)}


def _around_lists(kind: Kind, first: Json, changes: Iterator[Verdict]) -> Iterator[Verdict]:
    """Make the changes. A list that matched the entity before must match it afterwards."""
    listers: list[Json] = kind.case.data["list"] if kind.case.data.get("change") else []
    if not listers:
        yield from changes
        return
    was = kind.get(first)
    same = [(item, _equal_properties(kind.find_listed(item, first), was or {})) for item in listers]
    yield from changes
    now = kind.get(first)
    changed = [name for name, _, _ in _changed_members(was or {}, now or {})] if now else []
    for item, names in same:
        earlier = {name: _earlier_values(kind, name, (was or {})[name]) for name in names}
        earlier = {name: values for name, values in earlier.items() if name in changed}
        if not _stale_properties(kind, item, first, earlier):
            continue
        time.sleep(_PAUSE)
        for name, listed in _stale_properties(kind, item, first, earlier)[:1]:
            detail = f"{item['tool']} still shows {name} as {brief_value(listed)}"
            yield Verdict("C906", detail, f"list {item['tool']} {name}")


def _earlier_values(kind: Kind, name: str, value: Json) -> list[Json]:
    """Return the first value of a property, and the values that changes gave it."""
    changes = [change for tool in kind.case.data["change"] for change in tool.get("changes", ())]
    return [value, *(change[name] for change in changes if name in change)]


def _stale_properties(
    kind: Kind, item: Json, id: Json, earlier: Mapping[str, Sequence[Json]]
) -> list[tuple[str, Json]]:
    """Return the properties that a tool lists with an earlier value than the entity's present one.

    A counter may differ, too, but it has no earlier value.
    """
    if not earlier:
        return []
    listed, now = kind.find_listed(item, id), kind.get(id) or {}
    return [
        (name, listed[name])
        for name, values in earlier.items()
        if name in listed and name in now and not _is_equal(listed[name], now[name])
        if any(_is_equal(listed[name], value) for value in values)
    ]


def _set(kind: Kind, tool: Json, change: Json, first: Json, second: Json) -> Iterator[Verdict]:
    """Call a tool that sets a value, such as a status. It must not change another entity.

    In the entity itself it may change more, such as a history of the status.
    """
    names = {token for name in (tool["tool"], *change) for token in words_of(name)}
    other, own = kind.get(second), kind.get(first) if tool.get("is_update") else None
    if other is None or names & (_EXCLUSIVE | _OF_SEVERAL):
        return
    answer = _answer_to_setter(kind, tool, {tool["argument"]: first, **change})
    is_other = has_worked(answer) and kind.get(second) not in (None, other)
    if is_other and tool["tool"] not in kind.lab.suspects:
        detail = f"{tool['tool']} changes {first!r}, and {second!r} changes, too"
        yield Verdict("C907", detail, f"{tool['tool']} other", answer.display_text())
    after = kind.get(first) if own and has_worked(answer) else None
    for member, was, now in _changed_members(own or {}, after or {}):
        if after:
            detail = f"{tool['tool']} without a change, and {member} becomes {brief_value(now)}"
            yield Verdict("C907", f"{detail}, not {brief_value(was)}", f"{tool['tool']} {member}")


def _answer_to_setter(kind: Kind, tool: Json, arguments: dict[str, Json]) -> Answer:
    """Call a tool that sets a value. If it is rejected, such as a taken slot, set another one."""
    name = tool["tool"]
    answer = kind.lab.call(name, arguments)
    if has_worked(answer) or tool.get("is_update"):
        return answer
    schema = kind.lab.input(name)
    # A made-up ID might belong to a valuable entity.
    free = [key for key in arguments if not is_id(key) and is_guessable(key, schema, writes=True)]
    for renewal in islice(fresh_arguments.renewals(schema, arguments, free, {}), _TRIES):
        renewed = renewal.advance(schema, arguments)
        if renewed is not None and schema.allows(renewed):
            answer = kind.lab.call(name, renewed)
        if has_worked(answer):
            break
    return answer


def _changed_members(
    before: dict[str, Json], after: dict[str, Json]
) -> Iterator[tuple[str, Json, Json]]:
    """Yield the properties with another value. Times and counters don't count."""
    for member, was in before.items():
        now = after.get(member)
        if not _is_equal(was, now) and not is_volatile(member, was, now):
            yield member, was, now


def _change_at_once(kind: Kind, tool: Json, first: Json) -> Iterator[Verdict]:
    """Change several properties of an entity with concurrent calls. None may be missing."""
    before = kind.get(first) or {}
    chosen: dict[str, Json] = {}
    for name, value in (item for change in tool["changes"] for item in change.items()):
        if name in before and not _is_equal(before[name], value) and len(chosen) < _AT_ONCE:
            chosen.setdefault(name, value)
    changes = [{name: value} for name, value in chosen.items()]
    if tool["tool"] in kind.lab.suspects or len(changes) < _LEAST_AT_ONCE:
        return
    if acts_outside(kind.lab.tool(tool["tool"])):
        return
    calls = [arguments_of(tool, first, change) for change in changes]
    answers = call_at_once(kind.lab, tool["tool"], calls)
    missing = _missing_changes(chosen, kind.get(first))
    if not missing or not all(map(has_worked, answers)):
        return
    time.sleep(_PAUSE)
    after = kind.get(first)
    missing = _missing_changes(chosen, after)
    in_a_row = [kind.lab.call_again(tool["tool"], call) for call in calls] if missing else []
    if not after or not in_a_row or not all(map(has_worked, in_a_row)):
        return
    if not _missing_changes(chosen, kind.get(first)):
        detail = f"{tool['tool']} sets {', '.join(chosen)} at once: {missing[0]} stays"
        value = brief_value(after.get(missing[0]))
        yield Verdict("C703", f"{detail} {value}", f"{tool['tool']} at once")


def _missing_changes(changes: dict[str, Json], entity: dict[str, Json] | None) -> list[str]:
    """Return the changes that an entity doesn't show."""
    properties = entity or {}
    return [name for name, value in changes.items() if not _is_equal(properties.get(name), value)]


def _change(
    kind: Kind, tool: Json, change: Json, pair: tuple[Json, Json], states: dict[Any, Any]
) -> Iterator[Verdict]:
    """Change an entity, and read a second one. `states` maps the IDs of both to entities."""
    first, second = pair
    before, other = states[first], states[second]
    (name, value), *_ = change.items()
    if before is None or other is None:
        return
    answer = kind.lab.call(tool["tool"], arguments_of(tool, first, change))
    after, other_after = kind.get(first), kind.get(second)
    states |= {first: after or before, second: other_after or other}
    if not has_worked(answer) or after is None:
        return
    if name in before and name in after and not _is_equal(before[name], value):
        yield from _stale_filters(kind, first, (name, before[name], value))
    if name in before and (name not in after or not _is_equal(after[name], value)):
        detail = (
            f"{tool['tool']} sets {name} to {brief_value(value)}: {brief_value(after.get(name))}"
        )
        yield Verdict("C906", detail, f"{tool['tool']} {name}", answer.display_text())
    for member, _, now in _changed_members(before, after):
        if member != name:
            detail = f"{tool['tool']} sets {name}, and {member} becomes {brief_value(now)}"
            yield Verdict("C907", detail, f"{tool['tool']} {member}", answer.display_text())
    if other_after != other and tool["tool"] not in kind.lab.suspects:
        detail = f"{tool['tool']} changes {first!r}, and {second!r} changes, too"
        yield Verdict("C907", detail, f"{tool['tool']} other")


def _change_other(
    kind: Kind, tool: Json, change: Json, pair: tuple[Json, Json], states: dict[Any, Any]
) -> Iterator[Verdict]:
    """Change a second entity in the same way as the first. Both may have the same value."""
    first, second = pair
    before = states[first]
    if before is None or _EXCLUSIVE & {token for name in change for token in words_of(name)}:
        return
    if has_worked(kind.lab.call(tool["tool"], arguments_of(tool, second, change))):
        after = kind.get(first)
        if after not in (None, before) and tool["tool"] not in kind.lab.suspects:
            detail = f"{tool['tool']} changes {second!r}, and {first!r} changes, too"
            yield Verdict("C907", detail, f"{tool['tool']} other")
        states |= {first: after or before, second: kind.get(second) or states[second]}


def _stale_filters(kind: Kind, id: Json, change: tuple[str, Json, Json]) -> Iterator[Verdict]:
    """Yield lists that find an entity by the old value of a property, but not by the new one."""
    name, was, now = change
    for item in kind.case.data["list"]:
        schema, arguments = kind.lab.input(item["tool"]), item["arguments"]
        by_value = [{**item, "arguments": {**arguments, name: value}} for value in (was, now)]
        if name not in schema.names() or kind.filters_tried >= _MAX_FILTERS:
            continue
        if not all(schema.allows(value["arguments"]) for value in by_value):
            continue
        kind.filters_tried += 1
        for pause in (0, _PAUSE):
            time.sleep(pause)
            of_was, of_now = (kind.listed_ids(value) or set[Any]() for value in by_value)
            if id not in of_was or id in of_now:
                break
        else:
            detail = f"{item['tool']} still finds {id!r} with {name} {brief_value(was)}"
            yield Verdict("C906", detail, f"list {item['tool']} {name}")


def _equal_properties(listed: dict[str, Json], entity: dict[str, Json]) -> list[str]:
    """Return the properties with the same value in a list as in the entity."""
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
