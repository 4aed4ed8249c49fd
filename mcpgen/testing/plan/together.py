"""Calls at the same time: of one tool with other arguments, and of all tools that only read."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.plan.subjects import Subject, Subjects

_MOST_OF_A_TOOL = 4
_MOST = 8


def unique(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield each argument of a call that works which may be any text."""
    schema = subjects.schema(subject)
    for base in subject.good[:1]:
        for name in schema.names():
            is_text = schema.allows({**base, name: "mcpgen a"}) and not schema.allows(
                {**base, name: 12345}
            )
            if is_text and subjects.is_guessable(subject, name):
                yield subject.case("unique", arguments=base, argument=name)


def together(subjects: Subjects) -> Iterator[Case]:
    """Yield good calls of each tool that only reads, then of all of them."""
    every: list[Json] = []
    for subject in subjects.every():
        if not subjects.reads_only(subject):
            continue
        calls: list[Json] = [
            {"name": subject.name, "arguments": good} for good in subject.good[:_MOST_OF_A_TOOL]
        ]
        every += calls[:2]
        if len(calls) > 1:
            yield subject.case("together", calls=calls)
    if len(every) > 1:
        yield Case("together", "server", {"calls": every[:_MOST]})
