"""Varies calls that work: one value at a time within the schema, or all at once."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice

from mcpgen_runtime.validation import samples

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, canonical, distinct, is_array, is_number, is_object
from mcpgen.testing.arguments.fresh_arguments import DAY, LATE_DAY
from mcpgen.testing.arguments.mutations import distinct_items, example_of
from mcpgen.testing.arguments.value_paths import (
    Path,
    absent,
    pattern_of,
    places,
    with_value,
    without_property,
)
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.neighbors import GROUPS_OF_SIGNS, SHORT_TEXTS
from mcpgen.testing.plan.calls import values_of_results
from mcpgen.testing.plan.full_calls import base_of
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference

_MAX_PLACES = 16
_MAX_VALUES = 28
_LONG = 65_536
_LONGEST_BEYOND_ASCII = 5_000
_ODD = 3
_MAX_SAMPLES = 24
_EDGE_TEXTS = (*GROUPS_OF_SIGNS, f"{'a' * 30}!", "x" * _LONG)
_UNKNOWN_IDS = ("", "a", *GROUPS_OF_SIGNS)
_OF_FORMATS: Mapping[str, Sequence[str]] = {
    "date-time": (
        *("2027-03-01T09:30:00Z", "2027-03-01T09:30:00.250Z", "2027-03-01T09:30:00+05:30"),
    ),
    "duration": ("P1DT2H", "PT30M"),
    "email": ("first.last+tag@mail.example.org",),
    "time": ("09:30:00Z", "09:30:00+05:30"),
}
"""Spellings of a format that a server may not support."""


def neighbors(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield, for each position of a working call, the values that the schema allows there.

    A tool that writes is first called with other values in all positions at once. If that works,
    these values aren't tried one by one. A tool that reads needs single values, because a value may
    hide the effect of another.
    """
    schema, base = subjects.schema(subject), base_of(subject)
    varied = varied_places(subjects, subject)
    passed: set[tuple[Path, bytes]] = set()
    for row in [] if subjects.is_reader(subject.name) else _rows(varied):
        arguments = _with_row(base, row)
        if is_object(arguments) and schema.allows(arguments):
            if not subjects.lab.is_good(subject.name, arguments):
                yield subject.call(arguments, "valid, with other values everywhere")
            if subjects.lab.is_good(subject.name, arguments):
                passed |= {(path, canonical(value)) for path, value in row}
    formatted = _places_with_format(schema, base)
    for path, values in varied.items():
        passing = [value for value in values if (path, canonical(value)) in passed]
        if values := [value for value in values if value not in passing]:
            data: Json = {"path": list(path), "values": values[:_MAX_VALUES], "passing": passing}
            data["has_format"] = path in formatted
            yield subject.case("neighbors", arguments=base, **data)


def _places_with_format(schema: Schema, base: Json) -> set[Path]:
    """Return the positions with a format. A server may reject other strings there."""
    return {
        path
        for path, _, nodes in places(schema.schema, base)
        if any("format" in node for node in nodes)
    }


def other_in_all_places(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield calls that differ from a working one in all positions."""
    for row in _rows(varied_places(subjects, subject)):
        arguments = _with_row(base_of(subject), row)
        if is_object(arguments) and subjects.schema(subject).allows(arguments):
            yield arguments


def _with_row(arguments: Json, row: Iterable[tuple[Path, Json]]) -> Json:
    for path, value in row:
        arguments = with_value(arguments, path, value)
    return arguments


def _rows(varied: Mapping[Path, Sequence[Json]]) -> list[list[tuple[Path, Json]]]:
    """Return rows with one value per position, so that each value occurs in a row.

    Positions of the same kind get different values, for example an end before a start. Lists and
    objects are left out because they contain other positions, IDs because unknown ones fail.
    """
    scalars = {
        path: values
        for path, values in varied.items()
        if path
        and not any(is_reference(step) for step in path if isinstance(step, str))
        and not any(is_array(value) or is_object(value) for value in values)
    }
    count = max(map(len, scalars.values()), default=0) if len(scalars) > 1 else 0
    return [
        [
            (path, values[(number + offset) % len(values)])
            for offset, (path, values) in enumerate(scalars.items())
        ]
        for number in range(count)
    ]


def varied_places(subjects: Subjects, subject: Subject) -> dict[Path, list[Json]]:
    """Return the positions of a working call, outermost first, with other values for each."""
    schema = subjects.schema(subject)
    base = base_of(subject)
    varied: dict[Path, list[Json]] = {}
    visited: set[Path] = set()
    every_place = [*places(schema.schema, base)] if base else []
    for path, value, nodes in sorted(every_place, key=lambda triple: len(triple[0])):
        name = str(path[0]) if path else ""
        if pattern_of(path) in visited or (path and not subjects.is_guessable(subject, name)):
            continue
        visited.add(pattern_of(path))
        if len(visited) > _MAX_PLACES:
            break
        values: list[Json] = []
        is_id = isinstance(value, str) and is_reference(name) and not has_enum(nodes)
        options = _UNKNOWN_IDS if is_id else _edge_values(value, nodes)
        if len(path) == 1 and is_array(value):
            options = chain(options, _of_known_values(subjects, subject, name, nodes))
        for item in (*options, *_with_absent(subjects, subject, path, value, nodes)):
            changed = with_value(base, path, item)
            visited_values = (value, *values)
            is_new = not any(type(item) is type(o) and item == o for o in visited_values)
            if is_new and is_object(changed) and schema.allows(changed):
                values.append(item)
        if values:
            varied[path] = values
    return varied


def _of_known_values(
    subjects: Subjects, subject: Subject, name: str, nodes: list[dict[str, Json]]
) -> Iterator[list[Json]]:
    """Yield the longest list of known values for an argument, such as IDs."""
    for most in [node["maxItems"] for node in nodes if isinstance(node.get("maxItems"), int)]:
        known_values = values_of_results(subjects, subject, name, most)
        if 1 < len(known_values) == most:
            yield known_values


def _with_absent(
    subjects: Subjects, subject: Subject, path: Path, value: Json, nodes: list[dict[str, Json]]
) -> Iterator[Json]:
    """Yield an object with each missing property. It replaces another one if both are forbidden."""
    schema, base = subjects.schema(subject), base_of(subject)
    for name, part in absent(value, nodes).items() if is_object(value) else ():
        if not subjects.is_guessable(subject, name) or (not path and is_reference(name)):
            continue
        for item in example_of(part, schema.schema):
            shorter = (without_property(value, other) for other in value)
            for properties in (value, *shorter, {}):
                changed = with_value(base, path, {**properties, name: item})
                if is_object(changed) and schema.allows(changed):
                    yield {**properties, name: item}
                    if is_array(item) and item:
                        yield {**properties, name: []}
                    break


def has_enum(nodes: Iterable[dict[str, Json]]) -> bool:
    """Return True if a schema lists the values, so that an ID needn't come from the server."""
    return any("enum" in node for node in nodes)


def _edge_values(value: Json, nodes: list[dict[str, Json]]) -> Iterator[Json]:
    for node in nodes:
        listed = node.get("enum")
        if is_array(listed):
            yield from listed[:8]
            return
        yield from at_limits(value, node)
        if isinstance(value, str) and "format" not in node:
            yield from _longest_beyond_ascii(node)
        yield from (node[keyword] for keyword in ("default", "const") if keyword in node)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from _other_days(value)
        yield from (text for node in nodes for text in _OF_FORMATS.get(str(node.get("format")), ()))
        yield from SHORT_TEXTS
        if not any("format" in node or "pattern" in node for node in nodes):
            yield from _EDGE_TEXTS
    elif is_number(value):
        yield from (0, 1, -1, 2, 0.5, -0.5, 1_000_000)
        if isinstance(value, int):
            yield float(value)  # the same number, in the notation 7.0
    elif is_array(value):
        yield from ([], value[:1], value[:1] * 2, *_three_of(value))
    elif is_object(value):
        yield from (without_property(value, name) for name in value)
        yield from ({name: value[name]} for name in value)
        yield from ({name: []} for name in value if is_array(value[name]) and value[name])
        yield {}
    yield None


def _longest_beyond_ascii(node: dict[str, Json]) -> Iterator[str]:
    """Yield the longest string of non-ASCII letters. A server may count bytes."""
    length = node.get("maxLength")
    if isinstance(length, int) and 0 < length <= _LONGEST_BEYOND_ASCII:
        yield "\u00eb" * length


def _three_of(value: list[Json]) -> Iterator[list[Json]]:
    """Yield a list with three similar items: an odd number, and more than two."""
    if 0 < len(value) != _ODD:
        more = (
            f"{item} {at}" if isinstance(item, str) else item for at, item in enumerate(value * 3)
        )
        yield [*value, *islice(more, len(value), None)][:_ODD]


_OTHER_DAYS = ("1999-12-31", LATE_DAY, "2028-02-29", "2027-01-31")


def _other_days(text: str) -> Iterator[str]:
    """Yield a date, or a date and a time, on days long ago and far off, and at ends of months."""
    if DAY.match(text):
        yield from (day + text[len(day) :] for day in _OTHER_DAYS)


def at_limits(value: Json, node: dict[str, Json]) -> Iterator[Json]:
    """Yield the values at the limits of a schema that are of the same type."""
    if is_number(value):
        low, high = node.get("minimum"), node.get("maximum")
        yield from (item for item in (low, high) if is_number(item))
        if is_number(limit := node.get("exclusiveMinimum")):
            yield limit + (1 if isinstance(value, int) else 0.5)
    if isinstance(value, str) and "format" not in node:  # a truncated address is invalid
        for keyword in ("minLength", "maxLength"):
            length = node.get(keyword)
            if isinstance(length, int) and 0 < length <= _LONG:
                yield (value or "x")[:length].ljust(length, "x")
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            yield from _ends_of_pattern(pattern)
    if is_array(value) and value:
        most = node.get("maxItems")
        if node.get("uniqueItems") is True:
            yield from _largest_set(value, node)
        elif isinstance(most, int) and len(value) < most <= 100:
            yield (value * most)[:most]


@lru_cache(maxsize=1_000)
def _ends_of_pattern(pattern: str) -> Sequence[str]:
    """Return the shortest and the longest of several strings that match a pattern."""
    chance = random.Random(pattern)  # noqa: S311 - nothing is kept secret
    texts = [*islice(samples.matching(pattern, chance), _MAX_SAMPLES)]
    return distinct([min(texts, key=len), max(texts, key=len)]) if texts else ()


def _largest_set(value: list[Json], node: dict[str, Json]) -> Iterator[list[Json]]:
    """Yield a list with the maximum number of different items, which come from an enum if any."""
    items, most = node.get("items"), node.get("maxItems")
    listed = items.get("enum") if is_object(items) else None
    count = most if isinstance(most, int) else len(listed) if is_array(listed) else 0
    if len(value) < count <= 100:
        options = listed if is_array(listed) else distinct_items(value, count)
        yield options[:count]
