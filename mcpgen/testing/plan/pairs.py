"""Plans calls with pairs of values: enum values, flags, limits, omitted ones, and equal ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, islice, permutations, zip_longest
from typing import TypeAlias

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array
from mcpgen.testing.arguments.value_paths import alternatives
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.neighbors import GROUPS_OF_LETTERS
from mcpgen.testing.plan.full_calls import base_of, with_optional
from mcpgen.testing.plan.neighbors import at_limits, has_enum
from mcpgen.testing.plan.subjects import Subject, Subjects, chance_of, is_reference

_MAX_ROWS = 32
_MAX_FIRST = 5
_MAX_OPTIONS = 8
_MAX_EQUAL = 4
_MAX_SIGNS = 3
_SIGNS = "'\"%s {} {0 *(a[b\\"
Values: TypeAlias = dict[str, list[Json]]
_ABSENT: Json = object()
"""Marks an omitted optional argument."""


def rows(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls in which each pair of values of two arguments occurs at least once."""
    base = base_of(subject)
    if base is None:
        return
    schema = subjects.schema(subject)
    needed = schema.required_names()
    values: Values = {}
    # Optional arguments are included even if the server refuses all of them together.
    for name, example in {**with_optional(subjects, subject), **base}.items():
        options = _options(schema, name, example, is_reader=subjects.is_reader(subject.name))
        options = [value for value in options if schema.allows({**base, name: value})]
        nodes = alternatives(schema.schema, schema.members().get(name))
        is_id = name in needed and is_reference(name) and not has_enum(nodes)
        if subjects.is_guessable(subject, name) and not is_id:
            values[name] = options if name in needed else [*options, _ABSENT]
    values = {name: options for name, options in values.items() if len(options) > 1}
    chance = chance_of(subjects, subject)
    ordered_rows = sorted(covering(values, chance), key=lambda row: -_count_changes(base, row))
    for row in ordered_rows[:_MAX_ROWS]:
        arguments: dict[str, Json] = {**base, **row}
        arguments = {name: value for name, value in arguments.items() if value is not _ABSENT}
        if schema.allows(arguments) and not subjects.lab.is_good(subject.name, arguments):
            yield subject.case("pairs", base=base, arguments=arguments)


def _count_changes(base: dict[str, Json], row: dict[str, Json]) -> int:
    """Return how many values differ from a working call."""
    return sum(value != base.get(name) for name, value in row.items())


def first_rows(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield the rows with the most untried pairs."""
    return islice(rows(subjects, subject), _MAX_FIRST)


def equal(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls in which two numbers or texts are equal, or a text is an item of a list."""
    base, schema, count = base_of(subject) or {}, subjects.schema(subject), 0
    for text, listed in permutations(base, 2):
        if not isinstance(base[text], str) or not is_array(base[listed]):
            continue
        changed = {**base, listed: [base[text]]}
        is_free = subjects.is_guessable(subject, listed)
        if is_free and schema.allows(changed) and count < _MAX_EQUAL:
            count += 1
            yield subject.call(changed, f"valid, {text} is in {listed}")
    for first, other in combinations(base, 2):
        if type(base[first]) is not type(base[other]) or not isinstance(base[first], int | str):
            continue
        if isinstance(base[first], bool) or base[first] == base[other]:
            continue
        if not all(subjects.is_guessable(subject, name) for name in (first, other)):
            continue
        for changed in ({other: base[first]}, {first: base[other]}):
            if schema.allows({**base, **changed}) and count < _MAX_EQUAL:
                count += 1
                yield subject.case("pairs", base=base, arguments={**base, **changed})
                break


def signs(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with special characters in a string, together with each flag and enum value."""
    base, schema, count = base_of(subject) or {}, subjects.schema(subject), 0
    texts = [
        name
        for name, value in base.items()
        if isinstance(value, str)
        and not is_reference(name)
        and subjects.is_guessable(subject, name)
        and schema.allows({**base, name: _SIGNS})
    ]
    options = schema.options() if texts else {}
    rows = [[(name, value) for value in reversed(values)] for name, values in options.items()]
    # The first value is often the default, so the last one of each argument comes first.
    for name, value in [pair for row in zip_longest(*rows) for pair in row if pair is not None]:
        changed = {**base, **dict.fromkeys(texts, _SIGNS), name: value}
        is_other = value != base.get(name) and subjects.is_guessable(subject, name)
        if is_other and schema.allows(changed) and count < _MAX_SIGNS:
            count += 1
            yield subject.call(changed, f"valid, with signs and {name}")


def _options(schema: Schema, name: str, value: Json, *, is_reader: bool) -> list[Json]:
    """Return some values of an argument: those of an enum, limits, or a string of other letters.

    A tool that reads may search for the string, and a short one finds something.
    """
    limits: list[Json] = []
    nodes = alternatives(schema.schema, schema.members().get(name))
    for node in nodes:
        listed = node.get("enum")
        if is_array(listed):
            return listed[:_MAX_OPTIONS]
        if node.get("type") == "boolean":
            return [True, False]
        limits += [limit for limit in at_limits(value, node) if limit not in limits]
    other_values = [item for item in limits if item != value][:2]
    if isinstance(value, str) and not any("format" in node or "pattern" in node for node in nodes):
        other_values = [GROUPS_OF_LETTERS[0], *(["a"] if is_reader else other_values[-1:])]
    return [value, *other_values]


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
