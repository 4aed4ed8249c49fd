"""Finds the fullest call that works: with all optional arguments, or with one more at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, distinct, is_array
from mcpgen.testing.arguments.fresh_arguments import DAY, LATE_DAY
from mcpgen.testing.plan.calls import values_of_results
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference

_MAX_OPTIONAL = 8
_MAX_TRIES = 3
_MAX_EXAMPLES = 6


def wide(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield the largest working call with all optional arguments, then each reference made up."""
    if not subject.good:
        return
    full, schema = _fullest(subject), subjects.schema(subject)
    safe = with_optional(subjects, subject)
    yield subject.call(safe, "valid, with all arguments")
    if subjects.lab.is_good(subject.name, safe):
        subject.widest = safe
    else:
        yield from _one_by_one(subjects, subject, safe)
    base = base_of(subject) or full
    for name, value in schema.wide(base).items():
        if name not in base and is_reference(name) and subjects.is_guessable(subject, name):
            yield subject.call({**base, name: value}, f"valid, with an unknown {name}")


def _one_by_one(subjects: Subjects, subject: Subject, full: dict[str, Json]) -> Iterator[Case]:
    """Yield the largest working call with one more optional argument at a time.

    If the server refuses a value, such as a day of the past, others are tried.
    """
    schema, largest = subjects.schema(subject), _fullest(subject)
    examples = _examples(subjects, subject)
    for name in [name for name in full if name not in largest][:_MAX_OPTIONAL]:
        matching = subjects.lab.known_values.matching(subject.name, name)
        options = [full[name], *(values[0] for _, values, _ in islice(matching, 1) if values)]
        options += [full[name][:1]] if is_array(full[name]) else []
        options += [example[name] for example in examples if name in example]
        if isinstance(full[name], str) and DAY.match(full[name]):  # an end is a late day
            options.insert(1, LATE_DAY + full[name][len(LATE_DAY) :])
        for value in distinct(options)[:_MAX_TRIES]:
            arguments = {**largest, name: value}
            if arguments != full and schema.allows(arguments):
                yield subject.call(arguments, f"valid, with {name}")
                if subjects.lab.is_good(subject.name, arguments):
                    largest = subject.widest = arguments
                    break


def _examples(subjects: Subjects, subject: Subject) -> list[dict[str, Json]]:
    return [*islice(subjects.valid(subject), _MAX_EXAMPLES)]


def base_of(subject: Subject) -> dict[str, Json] | None:
    """Return the largest working call: with all optional arguments, if that works."""
    if not subject.good:
        return None
    return subject.widest or _fullest(subject)


def _fullest(subject: Subject) -> dict[str, Json]:
    return max(subject.good, key=lambda arguments: len(json.dumps(arguments)))


def with_optional(subjects: Subjects, subject: Subject) -> dict[str, Json]:
    """Return the largest working call with the optional arguments that may be made up."""
    full, schema = _fullest(subject), subjects.schema(subject)
    safe = {
        name: value
        for name, value in schema.wide(full).items()
        if name in full or (not is_reference(name) and subjects.is_guessable(subject, name))
    }
    safe = schema.fill_known(safe, lambda name: values_of_results(subjects, subject, name))
    if subjects.is_reader(subject.name):  # a search term with results shows more
        richest = {name: subjects.lab.richest(name) for name in schema.required_names()}
        safe |= {name: value for name, value in richest.items() if value is not None}
    nulls = [name for name, value in safe.items() if value is None and not is_reference(name)]
    examples = _examples(subjects, subject) if nulls else []
    for name in nulls:  # null has no neighbors
        options = (item[name] for item in examples if item.get(name) is not None)
        safe[name] = next(options, None)
    return safe if schema.allows(safe) else full
