"""Plans calls with all values at their limits, and other calls if none has worked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, distinct, is_array, is_number, is_object
from mcpgen.testing.arguments.fresh_arguments import DAY
from mcpgen.testing.arguments.value_paths import places, values_at, with_value
from mcpgen.testing.plan.calls import values_of_results
from mcpgen.testing.plan.full_calls import base_of
from mcpgen.testing.plan.neighbors import at_limits, has_enum
from mcpgen.testing.plan.subjects import Subject, Subjects, chance_of, is_reference

_ENDS_OF_THE_CALENDAR = ("9999-12-31", "0001-01-01")
_CLOCK_TIME = re.compile(r"[Tt]\d\d:\d\d:\d\d")
_MAX_IDS = 8
_MAX_ROWS = 24


def unlike_refused(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with known IDs and other values, if none has worked so far.

    A server may wrongly reject a value, and so every call with it.
    """
    examples = [*subjects.valid(subject)]
    rows = _rows_of_known_ids(subjects, subject)
    for number in range(max(len(examples), len(rows)) if examples else 0):
        if subject.good:
            return
        base = {**examples[number % len(examples)], **rows[number % len(rows)]}
        if not subjects.schema(subject).allows(base):
            continue
        yield subject.call(base, "valid, with known IDs")
        for is_low in (True, False) if number < len(examples) else ():
            arguments = _at_extremes(subjects, subject, base, is_low=is_low)
            if not subject.good and arguments != base:
                yield subject.call(arguments, "valid, with known IDs, other values at their limits")


def _rows_of_known_ids(subjects: Subjects, subject: Subject) -> list[dict[str, Json]]:
    """Return combinations of IDs from other results, for the IDs that a call needs.

    The order of two or more is random: a server may only accept entities that match.
    """
    names = sorted(filter(is_reference, subjects.schema(subject).required_names()))
    related = _rows_of_other_tools(subjects, subject, names) if len(names) > 1 else []
    values = {name: values_of_results(subjects, subject, name, _MAX_IDS) for name in names}
    values = {name: ids for name, ids in values.items() if ids}
    rows = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
    chance = chance_of(subjects, subject)
    if len(values) > 1:
        rows = [row for row in rows if len(distinct(row.values())) == len(row)] or rows
        rows = [*rows[:1], *chance.sample(rows[1:], len(rows) - 1)]
    return [*related, *rows][:_MAX_ROWS]


def _rows_of_other_tools(
    subjects: Subjects, subject: Subject, names: list[str]
) -> list[dict[str, Json]]:
    """Return combinations of IDs that other tools accepted, the latest first.

    For example, only an enrolled student can be withdrawn from a course.
    """
    rows = [
        {name: good[name] for name in names}
        for other in subjects.every()
        for good in reversed(other.good)
        if other is not subject and {*names} <= good.keys()
    ]
    return rows[:_MAX_IDS]


def extremes(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with all values at their lowest limits, and at their highest, at any depth."""
    base = base_of(subject)
    if base is None:
        return
    calls = at_limits_everywhere(subjects, subject)
    for name, arguments in zip(("lowest", "highest"), calls, strict=True):
        if arguments == base:
            continue
        yield subject.call(arguments, f"valid, all values at their {name} limits")
        if not subjects.lab.is_good(subject.name, arguments):  # find the value that is refused
            yield subject.case("pairs", base=base, arguments=arguments)


def days(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with the first and the last day that a calendar has, instead of each day."""
    base, schema = base_of(subject) or {}, subjects.schema(subject)
    for name, value in base.items():
        if not isinstance(value, str) or not DAY.match(value):
            continue
        for day in _ENDS_OF_THE_CALENDAR if subjects.is_guessable(subject, name) else ():
            changed = {**base, name: day + _CLOCK_TIME.sub("T23:59:59", value[len(day) :])}
            if schema.allows(changed):
                yield subject.call(changed, f"valid, {name} at an end of the calendar")


def at_limits_everywhere(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield a call with all values at their lowest limits, and one at their highest."""
    base = base_of(subject)
    if base is not None:
        yield from (
            _at_extremes(subjects, subject, base, is_low=is_low) for is_low in (True, False)
        )


def _at_extremes(
    subjects: Subjects, subject: Subject, base: dict[str, Json], *, is_low: bool
) -> dict[str, Json]:
    schema = subjects.schema(subject)
    arguments = base
    for is_of_lists in (True, False):
        for path, _, nodes in [*places(schema.schema, arguments)]:
            if not path or not subjects.is_guessable(subject, str(path[0])):
                continue
            if is_reference(str(path[-1])) and not has_enum(nodes):
                continue  # the server creates IDs
            value = next(values_at(arguments, path), None)  # missing in a shorter list
            if value is None or is_array(value) != is_of_lists:
                continue
            for option in _extreme_values(value, nodes, is_low=is_low):
                changed = with_value(arguments, path, option)
                if is_object(changed) and schema.allows(changed):
                    arguments = changed
                    break
    return arguments


def _extreme_values(value: Json, nodes: list[dict[str, Json]], *, is_low: bool) -> list[Json]:
    """Return the limits of a value in one direction, the farthest first."""
    limits = [limit for node in nodes for limit in at_limits(value, node)]
    if is_number(value):
        return sorted((item for item in limits if (item < value) == is_low), reverse=not is_low)
    if is_array(value):
        return [value[:1]] if is_low else limits
    return sorted(limits, key=lambda text: len(str(text)), reverse=not is_low)
