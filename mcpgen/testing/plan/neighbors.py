"""Varies calls that work: one value at a time within the schema, and pairs of values."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing import safety
from mcpgen.testing.plan.subjects import Subject, Subjects
from mcpgen.testing.value_paths import Path, alternatives, places, with_value
from mcpgen.testing.values import Schema

_REFERENCES = frozenset("cursor token continuation id ids uuid guid slug ref handle key".split())
_MAX_PLACES = 12
_MAX_VALUES = 28
_MAX_ROWS = 24
_LONG = 65_536
_SHORT_TEXTS = ("", " ", "a", "Zo\u00eb", "\u4f60\u597d", "\U0001f389")
_EDGE_TEXTS = (
    "it's",
    'say "a"',
    "100%",
    "%s",
    "{}",
    "{0}",
    "a\\b",
    "a(b",
    "a[b",
    "a*b",
    "a;b",
    "a\0b",
    "a\r\nb",
    "\u05e9\u200f\u05dc",
    f"{'a' * 30}!",
)
Values: TypeAlias = dict[str, list[Json]]


def neighbors(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield for each place of a call that works the values that the schema allows there."""
    schema = subjects.schema(subject)
    for base in _bases(subjects, subject):
        for number, (path, value, nodes) in enumerate(places(schema.schema, base)):
            if number > _MAX_PLACES:
                break
            name = str(path[0]) if path else ""
            if path and not subjects.is_guessable(subject, name):
                continue
            values = [
                item
                for item in _edge_values(value, nodes)
                if is_object(changed := with_value(base, path, item)) and schema.allows(changed)
            ]
            if values:
                data: Json = {"path": list(path), "values": values[:_MAX_VALUES]}
                yield subject.case("neighbors", arguments=base, **data)


def _bases(subjects: Subjects, subject: Subject) -> list[dict[str, Json]]:
    """Return the largest working call, with all optional arguments."""
    if not subject.good:
        return []
    schema = subjects.schema(subject)
    full = max(subject.good, key=lambda arguments: len(json.dumps(arguments)))
    wide = schema.wide(full)
    safe = {
        name: value
        for name, value in wide.items()
        if name in full or not (_is_reference(name) or safety.is_path(name, schema))
    }
    return [safe if schema.allows(safe) else full]


def _is_reference(name: str) -> bool:
    """Return True for an argument whose value must come from the server, such as a cursor."""
    tokens = {token.lower() for token in words_of(name)}
    return safety.is_secret(name) or bool(tokens & _REFERENCES)


def _edge_values(value: Json, nodes: list[dict[str, Json]]) -> Iterator[Json]:
    for node in nodes:
        listed = node.get("enum")
        if is_array(listed):
            yield from listed[:8]
            return
        yield from _at_limits(value, node)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from _SHORT_TEXTS
        if not any("format" in node or "pattern" in node for node in nodes):
            yield from _EDGE_TEXTS
            yield "x" * _LONG
    elif is_number(value):
        yield from (0, 1, -1, 2, -0.5, 1_000_000)
    elif is_array(value):
        yield from ([], value[:1])
    elif is_object(value):
        yield from ({key: item for key, item in value.items() if key != name} for name in value)
        yield from ({name: value[name]} for name in value)
        yield {}
    yield None


def _at_limits(value: Json, node: dict[str, Json]) -> Iterator[Json]:
    if is_number(value):
        low, high = node.get("minimum"), node.get("maximum")
        yield from (item for item in (low, high) if is_number(item))
        if is_number(limit := node.get("exclusiveMinimum")):
            yield limit + (1 if isinstance(value, int) else 0.5)
    if isinstance(value, str):
        for keyword in ("minLength", "maxLength"):
            length = node.get(keyword)
            if isinstance(length, int) and 0 < length <= _LONG:
                yield (value or "x")[:length].ljust(length, "x")
    if is_array(value) and value:
        most = node.get("maxItems")
        if isinstance(most, int) and len(value) < most <= 100 and "uniqueItems" not in node:
            yield (value * most)[:most]


def rows(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls in which each pair of values of two arguments occurs at least once."""
    base = next(iter(_bases(subjects, subject)), None)
    if base is None:
        return
    schema = subjects.schema(subject)
    values = {
        name: options
        for name in base
        if subjects.is_guessable(subject, name)
        and len(options := _options(schema, name, base[name])) > 1
    }
    chance = random.Random(f"{subjects.seed} {subject.name}")  # noqa: S311 - nothing secret
    for row in covering(values, chance)[:_MAX_ROWS]:
        arguments = {**base, **row}
        if schema.allows(arguments):
            yield subject.call(arguments, "valid, pairs of values")


def extremes(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with all values at their lowest limits, and at their highest, at any depth."""
    for base in _bases(subjects, subject):
        for is_low, name in ((True, "lowest"), (False, "highest")):
            arguments = _at_extremes(subjects, subject, base, is_low=is_low)
            if arguments != base:
                yield subject.call(arguments, f"valid, all values at their {name} limits")


def _at_extremes(
    subjects: Subjects, subject: Subject, base: dict[str, Json], *, is_low: bool
) -> dict[str, Json]:
    schema = subjects.schema(subject)
    arguments = base
    for is_of_lists in (True, False):
        for path, _, nodes in [*places(schema.schema, arguments)]:
            if not path or not subjects.is_guessable(subject, str(path[0])):
                continue
            try:
                value = _value_at(arguments, path)
            except IndexError:
                continue  # a list around it is shorter now
            if is_array(value) != is_of_lists:
                continue
            for option in _extreme_values(value, nodes, is_low=is_low):
                changed = with_value(arguments, path, option)
                if is_object(changed) and schema.allows(changed):
                    arguments = changed
                    break
    return arguments


def _value_at(arguments: Json, path: Path) -> Json:
    for step in path:
        arguments = arguments[step]
    return arguments


def _extreme_values(value: Json, nodes: list[dict[str, Json]], *, is_low: bool) -> list[Json]:
    """Return the limits of a value in one direction, the farthest first."""
    limits = [limit for node in nodes for limit in _at_limits(value, node)]
    if is_number(value):
        return sorted((item for item in limits if (item < value) == is_low), reverse=not is_low)
    if is_array(value):
        return [value[:1]] if is_low else limits
    return sorted(limits, key=lambda text: len(str(text)), reverse=not is_low)


def _options(schema: Schema, name: str, value: Json) -> list[Json]:
    calls: list[Json] = []
    for node in alternatives(schema.schema, schema.members().get(name)):
        listed = node.get("enum")
        if is_array(listed):
            return listed[:4]
        if node.get("type") == "boolean":
            return [True, False]
        calls += [limit for limit in _at_limits(value, node) if limit not in calls]
    return [value, *(item for item in calls if item != value)][:3]


def covering(values: Values, chance: random.Random) -> list[dict[str, Json]]:
    """Return rows that hold each pair of values of two names (a covering array of strength 2)."""
    pairs: set[tuple[str, int, str, int]] = {
        (first, a, other, b)
        for first, other in combinations(sorted(values), 2)
        for a in range(len(values[first]))
        for b in range(len(values[other]))
    }
    result: list[dict[str, Json]] = []
    while pairs and len(result) < _MAX_ROWS:
        best: dict[str, int] = {}
        most = -1
        for _ in range(20):
            first, a, other, b = min(pairs)
            row = {name: chance.randrange(len(options)) for name, options in values.items()}
            row |= {first: a, other: b}
            count = sum(_holds(row, pair) for pair in pairs)
            if count > most:
                best, most = row, count
        pairs = {pair for pair in pairs if not _holds(best, pair)}
        result.append({name: values[name][at] for name, at in best.items()})
    return result


def _holds(row: dict[str, int], pair: tuple[str, int, str, int]) -> bool:
    first, a, other, b = pair
    return row[first] == a and row[other] == b


def deep(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield recursive values of 5, 20 and 60 levels, if the schema allows them."""
    schema = subjects.schema(subject)
    for base in subject.good[:1]:
        for path, value, nodes in places(schema.schema, base):
            inner = _nest(schema, base, path, value, nodes)
            for levels in (5, 20, 60) if inner is not None else ():
                changed: Json = base
                for _ in range(levels):
                    changed = inner(changed) if inner else changed
                if is_object(changed) and schema.allows(changed):
                    yield subject.call(changed, f"{levels} levels deep")
            if inner is not None:
                return


def _nest(
    schema: Schema, base: dict[str, Json], path: Path, value: Json, nodes: list[dict[str, Json]]
) -> _Wrap | None:
    """Return a function that nests a value again, if the schema is recursive there."""
    if not path or not is_object(value):
        return None
    for node in nodes:
        properties = node.get("properties")
        for name in properties if is_object(properties) else ():
            for wrapped in ({name: value}, {name: [value]}, {**value, name: [value]}):
                for more in (wrapped, *_complete(wrapped, node)):
                    changed = with_value(base, path, more)
                    if is_object(changed) and schema.allows(changed) and more != value:
                        return _Wrap(path, name, more, value)
    return None


def _complete(wrapped: dict[str, Json], node: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield an object with a value for the single missing property."""
    required, properties = node.get("required"), node.get("properties")
    missing = [name for name in required or () if name not in wrapped] if required else []
    if len(missing) == 1 and is_object(properties):
        part = properties.get(missing[0])
        listed = part.get("enum") if is_object(part) else None
        if is_object(part) and "const" in part:
            yield {**wrapped, missing[0]: part["const"]}
        for value in listed[:3] if is_array(listed) else ():
            yield {**wrapped, missing[0]: value}


class _Wrap:
    """Puts the value at a path into another one of the same kind."""

    def __init__(self, path: Path, name: str, example: dict[str, Json], value: Json) -> None:
        self._path, self._name, self._example = path, name, example
        self._is_list = is_array(example[name]) and not is_array(value)

    def __call__(self, arguments: Json) -> Json:
        changed = arguments
        for step in self._path:
            changed = changed[step]
        inner = [changed] if self._is_list else changed
        return with_value(arguments, self._path, {**self._example, self._name: inner})
