"""Plans calls that differ from working ones in one position: forbidden ones, and others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.arguments.mutations import TRUE_FOR_A_NUMBER, TYPES
from mcpgen.testing.arguments.value_paths import Path, pattern_of, places, pointer_of, values_at
from mcpgen.testing.arguments.values import Change
from mcpgen.testing.plan.subjects import Subject, Subjects, chance_of, is_reference

_MOST_VIOLATIONS = 120
_MOST_AT_FIRST = 50
_MOST_OTHERS = 40
_USUAL_DEPTH = 3
_TELLING_TYPES = frozenset({"a text", "an object"})
"""The types of other values to try first, because servers accept them most often."""
_LATER = (
    *(kind for _, kind in TYPES if kind not in _TELLING_TYPES),
    *("its text", "twice as long", "another number"),
)
"""Beginnings of less informative violations: often converted, or of the same keyword again."""


_SIDES = ("not of the pattern", "not of the enum: ", "without ")
"""Beginnings of violations that each count, although they break the same keyword."""
_UNIONS = frozenset({"anyOf", "oneOf"})


def violations(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls that violate the schema in one position, each keyword of a position once."""
    return islice(_violations(subjects, subject), _MOST_AT_FIRST)


def more_violations(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield the other violations of a large schema."""
    return islice(_violations(subjects, subject), _MOST_AT_FIRST, _MOST_VIOLATIONS)


def _violations(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    schema = subjects.schema(subject)
    outer: list[Change] = []
    keywords: list[Change] = []
    booleans: list[Change] = []
    nested: list[Change] = []
    retyped: set[Path] = set()
    broken: set[tuple[Path, str]] = set()
    for change in _changes(subjects, subject):
        errors = [] if change.how.startswith(_LATER) else schema.errors(change.arguments)
        place, rule = pattern_of(change.path), _broken_rule(change, errors)
        is_side = change.how.startswith(_SIDES)
        key = place, change.how if is_side or _counts_alone(change) else rule
        if not errors or key in broken:
            continue
        broken |= {key, (place, rule)} if is_side else {key}
        if change.how == TRUE_FOR_A_NUMBER:
            booleans.append(change)
        elif change.how not in _TELLING_TYPES:
            keywords.append(change)
        elif change.path not in retyped:
            retyped.add(change.path)
            (outer if len(change.path) == 1 else nested).append(change)
    keywords.sort(key=lambda change: len(change.path) > _USUAL_DEPTH)
    for change in (*outer, *keywords, *booleans, *nested):
        yield _case(subject, change)


def _counts_alone(change: Change) -> bool:
    """Return True if a change is tried even if another one violates the same keyword."""
    return not change.path or change.how in {*_TELLING_TYPES, TRUE_FOR_A_NUMBER}


def _broken_rule(change: Change, errors: Sequence[Any]) -> str:
    """Return the violated keyword, or the change itself in an alternative of a union."""
    rules = {str(error.validator) for error in errors}
    steps = {step for error in errors for step in (error.validator, *error.absolute_schema_path)}
    if not steps.isdisjoint(_UNIONS):  # each alternative has keywords of its own
        value = next(values_at(change.arguments, change.path), None)
        if isinstance(value, str) and change.is_of_enum:
            return "enum"
        names = sorted(value) if is_object(value) else []
        return f"{change.how} of {' '.join(names)}"
    return " ".join(sorted(rules))


def other_changes(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls that differ from a working one in one position: other types, other values."""
    changes = [*_once_each(_changes(subjects, subject))]
    named = [change for change in changes if change.is_named]
    remaining = [change for change in changes if not change.is_named]
    chance_of(subjects, subject).shuffle(remaining)
    for change in [*named, *remaining][:_MOST_OTHERS]:
        yield _case(subject, change)


def _changes(subjects: Subjects, subject: Subject) -> list[Change]:
    """Return safe changes of the shortest and the fullest call, and of other alternatives."""
    schema = subjects.schema(subject)
    changes = (change for base in _bases(subjects, subject) for change in schema.changes(base))
    return [change for change in changes if subjects.is_safe(subject, change)]


def _bases(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield working calls, and generated calls with other positions."""
    base, schema = subjects.base(subject), subjects.schema(subject)
    if base is None:
        return
    full = max(subject.good, key=_parts, default=base)
    named = {name: full[name] for name in full if is_reference(name)}
    made_up = ({**example, **named} for example in subjects.valid(subject))
    visited: set[Path] = set()
    for arguments in (schema.frugal(base), full, schema.wide(full), *made_up):
        patterns = {pattern_of(path) for path, _, _ in places(schema.schema, arguments)}
        if not patterns <= visited and schema.allows(arguments):
            visited |= patterns
            yield arguments


def _once_each(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield each change of a position once, regardless of the original call and list item."""
    visited: set[tuple[Path, str]] = set()
    for change in changes:
        key = pattern_of(change.path), change.how
        if key not in visited:
            visited.add(key)
            yield change


def _case(subject: Subject, change: Change) -> Case:
    pointer = pointer_of(change.path)
    return subject.call(change.arguments, f"{pointer} {change.how}".strip())


def _parts(value: Json) -> int:
    """Count a JSON value and all values nested in it."""
    inner = value.values() if is_object(value) else value if is_array(value) else ()
    return 1 + sum(map(_parts, inner))
