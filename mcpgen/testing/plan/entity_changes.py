"""Finds the changes of entities that tools can make, each of a single property."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest

from mcpgen.jsontext import Json, distinct, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.entities import UPDATING
from mcpgen.testing.arguments.value_paths import alternatives, without_property
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan.full_calls import base_of
from mcpgen.testing.plan.subjects import Subject, Subjects

_MAX_CHANGES = 14
_MAX_VALUES = 4
_MAX_EMPTIED = 2
_MAX_EXAMPLES = 4
_MAX_TOOLS = 3
_EMPTY: tuple[Json, ...] = ([], "", False, 0)


def select_changes(subjects: Subjects, changing: list[Json]) -> list[Json]:
    """Return some changes of any property, some of a status, and some with only an ID.

    Tools with `destructiveHint: true` come last. After a cancellation, others may be refused.
    """
    bare = [item for item in changing if item["changes"] == [{}]]
    setters = [item for item in changing if item.get("is_setter") and item not in bare]
    rest = [item for item in changing if not item.get("is_setter")]
    chosen = [*rest[:_MAX_TOOLS], *setters[:_MAX_TOOLS], *bare[:_MAX_TOOLS]]
    definitions = {item["tool"]: subjects.lab.tool(item["tool"]) for item in chosen}
    hints = {tool: safety.hint(item, "destructiveHint") for tool, item in definitions.items()}
    return sorted(chosen, key=lambda item: hints[item["tool"]] is True)


def changing(subjects: Subjects, other: Subject, named: dict[str, str]) -> Iterator[Json]:
    """Yield a tool that changes entities, with its changes."""
    within = _container(subjects.schema(other), named["argument"])
    if within is not None:
        options = _changes(subjects, other, named["argument"], within)
        changes = [*islice(options, _MAX_CHANGES)]
        yield {**named, "within": within, "changes": changes}
        is_outside = safety.acts_outside(subjects.lab.tool(other.name))
        if not within and not is_outside:  # check_in(stay_id) sets a status
            name_words = {*words_of(other.name)}
            is_update = len(changes) > 1 and not name_words.isdisjoint(UPDATING)
            hints = {"is_setter": True, "is_update": is_update}
            yield {**named, "within": "", "changes": [{}], **hints}
    elif settings := [*islice(_settings(subjects, other, named["argument"]), _MAX_VALUES)]:
        emptied = [*islice(_emptied(subjects, other, named["argument"]), _MAX_EMPTIED)]
        yield {
            **named,
            **{"within": "", "changes": settings, "is_setter": True, "emptied": emptied},
        }


def _emptied(subjects: Subjects, other: Subject, argument: str) -> Iterator[list[Json]]:
    """Yield calls with an optional argument, each with the same call and an empty value."""
    schema, base = subjects.schema(other), base_of(other) or {}
    needed = {name: base[name] for name in base if name in schema.required_names()}
    for name, value in base.items():
        if name in needed or not value or not subjects.is_guessable(other, name):
            continue
        full = {**needed, name: value}
        for empty in _EMPTY:
            changed = {**full, name: empty}
            if type(empty) is type(value) and schema.allows(changed):
                rows: list[dict[str, Json]] = [full, changed]
                yield [without_property(row, argument) for row in rows]


def _settings(subjects: Subjects, other: Subject, argument: str) -> Iterator[dict[str, Json]]:
    """Yield the other arguments of calls that set something, such as a status."""
    schema = subjects.schema(other)
    names = schema.required_names() - {argument}
    options = schema.options()
    visited: list[dict[str, Json]] = []
    for good in other.good:
        base = {name: good[name] for name in schema.names() if name in names and name in good}
        rows = [base, *({**base, name: value} for name in base for value in options.get(name, ()))]
        for row in rows:
            if row not in visited and len(row) == len(names):
                visited.append(row)
                yield row


def _container(schema: Schema, argument: str) -> str | None:
    """Return the argument that holds the changes, "" if each one is an argument, or None."""
    needed = schema.required_names() - {argument}
    if not needed:
        return ""
    name = needed.pop()
    inner = _inner(schema, name)
    return name if not needed and inner.members() and not inner.required_names() else None


def _inner(schema: Schema, name: str) -> Schema:
    """Return the schema of an argument, which is an object."""
    options = alternatives(schema.schema, schema.members().get(name))
    with_members: list[Json] = [option for option in options if "properties" in option]
    return Schema(with_members[0] if with_members else {})


def _changes(
    subjects: Subjects, other: Subject, argument: str, within: str
) -> Iterator[dict[str, Json]]:
    """Yield other values for a single property, one of each property first."""
    rows = zip_longest(*_options_of_members(subjects, other, argument, within))
    yield from (change for row in rows for change in row if change is not None)


def _options_of_members(
    subjects: Subjects, other: Subject, argument: str, within: str
) -> Iterator[list[dict[str, Json]]]:
    """Yield other values for each property: a truthy one, then the falsy ones.

    A wrong change may empty another property. That is only visible while it has a value.
    """
    schema = subjects.schema(other)
    members = _inner(schema, within).members() if within else schema.members()
    for name, part in members.items():
        if name == argument or not subjects.is_guessable(other, name):
            continue
        options: list[Json] = ["", 0, [], False, True, None]
        for node in alternatives(schema.schema, part):
            listed = node.get("enum")
            # The first one is often the default, to which a wrong change may reset it.
            options += [*listed[-1:], *listed[:1]] if is_array(listed) else []
        calls = [good.get(within) if within else good for good in other.good]
        options += [good[name] for good in calls if is_object(good) and name in good]
        chosen = [
            item
            for item in distinct(options)
            if schema.allows(
                {
                    argument: _sample(other, argument),
                    **({within: {name: item}} if within else {name: item}),
                }
            )
        ]
        # The entity may have been created with the same object.
        others = [
            item for item in _other_objects(subjects, other, name, within) if item not in chosen
        ]
        chosen = [*others[:1], *chosen]
        first: Json = next((value for value in chosen if value), None)
        other_values = [value for value in chosen if value is not first]
        values: list[Json] = [*([] if first is None else [first]), *other_values][:_MAX_VALUES]
        yield [{name: value} for value in values]


def _other_objects(subjects: Subjects, other: Subject, name: str, within: str) -> Iterator[Json]:
    """Yield objects that generated calls of a tool have in an argument, the fullest first."""
    calls = [*islice(subjects.valid(other), _MAX_EXAMPLES)]
    changes = [item.get(within) if within else item for item in calls]
    values = [item[name] for item in changes if is_object(item) and name in item]
    objects = [value for value in values if is_object(value)]
    yield from sorted(objects, key=len, reverse=True)


def _sample(other: Subject, argument: str) -> Json:
    return next((good[argument] for good in other.good if argument in good), "x")
