"""Checks ``destructiveHint: false`` with reads: data that the call doesn't name must stay."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.arguments.entities import by_id, id_of, is_volatile, role_of
from mcpgen.testing.arguments.known_values import is_id
from mcpgen.testing.arguments.safety import redact
from mcpgen.testing.run_context import RunContext

Entities: TypeAlias = dict[tuple[str, str, Json], dict[str, Json]]
Shown: TypeAlias = Mapping[str, tuple[Entities, Mapping[str, int]]]
"""Results of each read: entities, and the lengths of lists whose entries have no ID."""
_PAUSE = 0.2
_MOST_WATCHED = 3
"""Number of reads after the second and later calls. The most relevant ones come first."""
_MIN_SHARED = 2
_MAX_TAKEN = 2
_EMPTY: tuple[Json, ...] = (None, "", [], {})


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Read, make the calls, and read again after each."""
    reads: list[Json] = case.data["reads"]
    for addition in case.data.get("additions", []):
        lab.call_again(addition["name"], addition["arguments"])
    before = _read_all(lab, reads)
    adds = role_of(lab.tool(case.name)) == "create"
    calls: list[Json] = case.data.get("calls") or [case.data["arguments"]]
    more = [*_of_fuller_entities(before, calls[0])]
    more += islice(_with_taken_values(before, calls[0]), _MAX_TAKEN)
    more = [item for item in more if item not in calls and lab.input(case.name).allows(item)]
    for number, arguments in enumerate([*more, *calls]):
        answer = lab.call(case.name, arguments)
        if answer.fault is not None:
            return []
        if not answer.is_success:
            continue
        after = _read_all(lab, reads if number == 0 else reads[:_MOST_WATCHED])
        watched = {key: before[key] for key in after if key in before}
        if any(_losses(watched, after, arguments, adds=adds)):
            time.sleep(_PAUSE)
            after = _read_all(lab, reads)  # another read may show the missing entity
            if any(_losses(after, _read_all(lab, reads), {})):
                return []  # entities also disappear on their own
            for detail, pointer in _losses(watched, after, arguments, adds=adds):
                call = brief(json.dumps(redact(arguments)), 80)
                detail_of_call = f"{detail} after {call}"
                return [Verdict("C404", detail_of_call, pointer, answer.display_text())]
        before = {**before, **after}
    return []


def _of_fuller_entities(results: Shown, arguments: Json) -> Iterator[Json]:
    """Yield a call for the entity with the fewest empty properties instead of the named one.

    A property that is empty before the call can't be lost.
    """
    kinds: dict[tuple[str, str], list[tuple[int, Json]]] = {}
    for entities, _ in results.values():
        for (members, id_name, value), entity in entities.items():
            filled = sum(item not in _EMPTY for item in entity.values())
            kinds.setdefault((members, id_name), []).append((filled, value))
    for name, value in arguments.items():
        for counted in kinds.values():
            counts = [filled for filled, identity in counted if is_id(name) and identity == value]
            most, fullest = max(counted, key=lambda item: item[0])
            if counts and most > max(counts):
                yield {**arguments, name: fullest}


def _with_taken_values(results: Shown, arguments: Json) -> Iterator[Json]:
    """Yield calls with a text that only one other entity has, in the property of the same name.

    Giving it to a second entity mustn't take it from the first.
    """
    shown = [entities for entities, _ in results.values()]
    unique = {key: entity for entities in shown for key, entity in entities.items()}
    for name, value in arguments.items():
        if not isinstance(value, str) or is_id(name):
            continue
        others = [
            entity[name]
            for (_, _, identity), entity in unique.items()
            if isinstance(entity.get(name), str) and identity not in arguments.values()
        ]
        for text in others:
            if others.count(text) == 1 and text not in ("", value):
                yield {**arguments, name: text}
                break


def _read_all(lab: RunContext, reads: list[Json]) -> Shown:
    result: dict[str, tuple[Entities, Mapping[str, int]]] = {}
    for read in reads:
        answer = lab.ask(read["method"], read["params"])
        if answer.is_success:
            result[json.dumps(read, sort_keys=True)] = by_id(answer.data()), _lengths(answer.data())
    return result


def _lengths(data: Json) -> dict[str, int]:
    """Return the lengths of the lists in a result whose entries have no ID, by pointer.

    A list inside an entity is its property.
    """
    result: dict[str, int] = {}
    waiting: list[tuple[str, Json]] = [("", data)]
    while waiting:
        pointer, value = waiting.pop()
        if is_array(value) and not any(id_of(item) for item in value):
            result[pointer] = len(value)
        elif is_object(value) and id_of(value) is None:
            waiting += [(f"{pointer}/{name}", item) for name, item in value.items()]
    return result


def _replacements(
    before: Shown, after: Shown, arguments: Json, *, adds: bool
) -> Iterator[tuple[str, str]]:
    """Yield the entries that a list has lost while the call added its own entry.

    A merged entry doesn't have the values of the call, so it doesn't count. A single replaced entry
    only counts for a tool whose name claims to add, because others may change it.
    """
    for key, (entities, _) in before.items():
        for identity, entity in entities.items() if key in after else ():
            now = after[key][0].get(identity, {})
            for name, entries in entity.items():
                new = now.get(name)
                if not is_array(entries) or not is_array(new):
                    continue
                items = _replaced_items(entries, new, arguments.get(name)) if adds else []
                items += [] if name in arguments else _pushed_out(entries, new, arguments)
                if items:
                    yield f"{name} of {identity[2]!r} has lost {items[0]!r}", f"{name} replaced"
                if len(new) > len(entries):
                    continue
                missing = [entry for entry in entries if is_object(entry) and entry not in new]
                added = [entry for entry in new if _is_made_of(entry, arguments, entries)]
                if added and len(missing) > (0 if adds else 1):
                    detail = (
                        f"{name} of {identity[2]!r} has lost {brief(json.dumps(missing[0]), 60)}"
                    )
                    yield detail, f"{name} replaced"


def _replaced_items(before: Json, after: Json, argument: Json) -> list[Json]:
    """Return the strings and numbers that the call's own items have replaced in a list."""
    added = [item for item in after if item not in before]
    if not added or not is_array(argument) or any(item not in argument for item in added):
        return []
    missing = [item for item in before if item not in after]
    return [item for item in missing if not is_object(item) and not is_array(item)]


def _pushed_out(before: list[Json], after: list[Json], arguments: Json) -> list[Json]:
    """Return the strings and numbers that a value of the call has pushed out of a list."""
    if any(is_object(item) or is_array(item) for item in (*before, *after)):
        return []
    added = Counter(after) - Counter(before)
    if not added or any(item not in arguments.values() for item in added):
        return []
    return [*(Counter(before) - Counter(after))]


def _is_made_of(entry: Json, arguments: Json, earlier: Json) -> bool:
    """Return True for a new entry that has at least two of the call's values."""
    if not is_object(entry) or entry in earlier:
        return False
    shared = entry.keys() & arguments.keys()
    return len(shared) >= _MIN_SHARED and all(entry[name] == arguments[name] for name in shared)


def _losses(
    before: Shown, after: Shown, arguments: Json, *, adds: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield removed entities, and properties that became empty.

    A property that the call names counts only in entities with another ID.
    """
    named = {*_names_in(arguments)}
    ids = [value for name, value in arguments.items() if is_id(name)]
    yield from _removals(before, after, named)
    yield from _replacements(before, after, arguments, adds=adds)
    for key, (entities, _) in before.items():
        if key not in after:
            continue
        for identity, entity in entities.items():
            now = after[key][0].get(identity) or _with_fewer_members(after[key][0], identity)
            if now is None:
                continue  # another page, or another order
            of_call = named if not ids or identity[2] in ids else set[str]()
            for name, value in entity.items():
                changed = now.get(name)
                if name in of_call or value in _EMPTY or is_volatile(name, value, changed):
                    continue
                if changed in _EMPTY:
                    yield (
                        f"{name} of {identity[2]!r} was {brief(repr(value), 40)} and is empty",
                        name,
                    )


def _with_fewer_members(
    entities: Entities, identity: tuple[str, str, Json]
) -> dict[str, Json] | None:
    """Return the entity with the same ID if it only lost properties, or None."""
    members, id_name, value = identity
    for (others, name, other_value), entity in entities.items():
        if (name, other_value) == (id_name, value) and {*others.split()} < {*members.split()}:
            return entity
    return None


def _names_in(arguments: Json) -> Iterator[str]:
    """Yield the names of all arguments, and of the properties inside them."""
    waiting: list[Json] = [arguments]
    while waiting:
        value = waiting.pop()
        if is_object(value):
            yield from value
            waiting += value.values()
        elif is_array(value):
            waiting += value


def _removals(before: Shown, after: Shown, named: set[str]) -> Iterator[tuple[str, str]]:
    """Yield entities that no read shows any longer, unless another entity displaced them."""
    identities = {identity for entities, _ in after.values() for identity in entities}
    for key, (entities, lengths) in before.items():
        if key not in after:
            continue  # the read failed
        for pointer, length in lengths.items():
            is_named = pointer.rpartition("/")[2] in named
            if not is_named and after[key][1].get(pointer, length) < length:
                yield (
                    f"{pointer or 'the list'} has {after[key][1][pointer]} of {length} entries",
                    pointer,
                )
        if len(after[key][0]) >= len(entities):
            continue  # a new entity moved the page
        for identity in entities.keys() - identities:
            yield f"{identity[2]!r} is gone", "gone"
