"""Calls of a tool that differ from good ones: in one place, or by two values together."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.plan.subjects import Subject, Subjects
from mcpgen.testing.value_paths import Path, pointer_of
from mcpgen.testing.values import Change

_MOST_CHANGES = 45
_MOST_PAIRS = 16


def changed_calls(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls that differ from a working one in one position, valid or not."""
    base, schema = subjects.base(subject), subjects.schema(subject)
    if base is None:
        return
    full = max(subject.good, key=_parts, default=base)
    changes = [
        change
        for arguments in (schema.frugal(base), full, schema.wide(full))
        for change in schema.changes(arguments)
        if subjects.is_safe(subject, change)
    ]
    first = sorted(_once_each(filter(_is_first, changes)), key=lambda item: not _is_forbidden(item))
    later = [item for item in changes if not _is_first(item)]
    telling = {(other.path, other.how): other for other in reversed(later) if _is_telling(other)}
    _chance(subjects, subject).shuffle(later)
    visited: set[str] = set()
    for change in [*telling.values(), *first, *later]:
        key = json.dumps(change.arguments, sort_keys=True)
        if key in visited or len(visited) >= _MOST_CHANGES + len(telling):
            continue
        visited.add(key)
        yield _case(subject, change)


def _once_each(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield each change of a place once, whichever call it was made from, or item of a list."""
    visited: set[tuple[Path, str]] = set()
    for change in changes:
        pattern = tuple("*" if isinstance(step, int) else step for step in change.path)
        if (pattern, change.how) not in visited:
            visited.add((pattern, change.how))
            yield change


def _case(subject: Subject, change: Change) -> Case:
    pointer = pointer_of(change.path)
    return subject.call(change.arguments, f"{pointer} {change.how}".strip())


def _chance(subjects: Subjects, subject: Subject) -> random.Random:
    return random.Random(f"{subjects.seed} {subject.name}")  # noqa: S311 - nothing secret


def _is_first(change: Change) -> bool:
    """Return True if the schema itself names the change."""
    return change.is_named or _is_forbidden(change)


def _is_forbidden(change: Change) -> bool:
    return change.how.startswith(_FORBIDDEN)


_FORBIDDEN = (
    *("without", "beyond", "not ", "against", "longer", "shorter", "more", "fewer", "null"),
    "exclusive",
)
"""Beginnings of change descriptions that violate a keyword."""


def _is_telling(change: Change) -> bool:
    """Return True if the change gives an argument another type, the most frequent oversight."""
    return len(change.path) == 1 and change.how in ("a text", "an object")


def _parts(value: Json) -> int:
    """Return how many values there are in one."""
    inner = value.values() if is_object(value) else value if is_array(value) else ()
    return 1 + sum(map(_parts, inner))
