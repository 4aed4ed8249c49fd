"""Orders the cases of a run. The most informative cases for most tools come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TypeAlias

from mcpgen.findings.contract_tests import Case
from mcpgen.testing.arguments.entities import ORDER, Role, deletes, role_of
from mcpgen.testing.plan import (
    calls,
    changes,
    depth,
    entities,
    extremes,
    full_calls,
    neighbors,
    offers,
    pagination,
    pairs,
    states,
    writes,
)
from mcpgen.testing.plan.subjects import Subject, Subjects

OfTool: TypeAlias = Callable[[Subjects, Subject], Iterator[Case]]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a run. Its cases depend on earlier ones, so they are planned when their turn comes.

    ``share`` is its weight when calls are scarce, compared with the stages after it. A stage
    without a share gets the calls that others don't need.
    """

    name: str
    share: int
    cases: Iterator[Case]


def stages(subjects: Subjects, *, is_from_file: bool) -> Iterator[Stage]:
    """Yield the parts of a run in their order: first a call of each tool that works."""
    every = sorted(
        subjects.every(), key=lambda tested_subject: ORDER[_role(subjects, tested_subject)]
    )
    tested = [subject for subject in every if subject in subjects.tested]
    destroying = [subject for subject in tested if _role(subjects, subject) == "destroy"]
    lasting = [subject for subject in tested if subject not in destroying]
    # A deletion removes parts of the entity, too, and those can't be cancelled afterwards.
    destroying.sort(key=lambda subject: deletes(subjects.lab.tool(subject.name)))

    def turns(several: Sequence[Subject], *of_tools: OfTool) -> Iterator[Case]:
        for of_tool in of_tools:
            yield from _in_turn(of_tool, subjects, several)

    if is_from_file:
        yield Stage("definitions of the contract", 30, offers.offered_cases(subjects.lab.contract))
    readers = [subject for subject in every if subject not in tested]
    first = chain(
        turns(readers, *_FIRST[:2]), turns(lasting, *_FIRST, writes.find_renewals, full_calls.wide)
    )
    yield Stage("calls that work", 30, first)
    yield Stage("lists, prompts and resources", 5, offers.of_server(subjects))
    yield Stage("request IDs", 1, offers.request_ids(subjects))
    yield Stage("growth", 14, turns(lasting, growth))
    pages = chain(
        turns(lasting, writes.crowd),
        turns(lasting, pagination.chains, pagination.walks, pagination.new_entities),
        turns(lasting, pagination.beyond),
        pagination.links(subjects.lab),
    )
    yield Stage("IDs, pages and links", 15, pages)
    yield Stage("arguments that the schema forbids", 16, turns(lasting, changes.violations))
    yield Stage("entities", 14, turns(lasting, entities.entities))
    writing = [subject for subject in lasting if not subjects.is_reader(subject.name)]
    reading = [subject for subject in lasting if subject not in writing]
    yield Stage("annotations of tools that write", 17, turns(writing, states.claims))
    of_readers = chain(states.quiet(subjects), turns(reading, states.claims))
    yield Stage("annotations of tools that read", 14, of_readers)
    together = chain(turns(lasting, calls.unique, writes.additive), calls.together(subjects))
    yield Stage("calls at the same time", 14, together)
    allowed = (
        *(calls.with_known_ids, depth.deep, extremes.extremes, extremes.days, pairs.signs),
        *(pairs.first_rows, neighbors.neighbors, pairs.equal, pairs.rows),
    )
    yield Stage(
        "arguments that the schema allows",
        24,
        turns(lasting, *allowed, writes.used_up),
    )
    destroyed = chain(
        _refill(subjects, lasting if destroying else []),
        turns(
            destroying,
            *_FIRST,
            writes.again,
            writes.undone,
            writes.find_renewals,
            full_calls.wide,
            pagination.chains,
            states.claims,
            extremes.extremes,
            neighbors.neighbors,
            changes.violations,
            writes.after_destruction,
        ),
    )
    yield Stage("tools that destroy", 4, destroyed)
    yield Stage("returned strings", 2, turns(lasting, calls.texts))
    others = turns([*lasting, *destroying], changes.more_violations, changes.other_changes)
    yield Stage("other changes", 0, others)


_FIRST = (
    *(calls.plain, calls.short, calls.found),
    *(calls.with_known_values, calls.with_known_values),
    extremes.unlike_refused,
)
"""Known values come twice, because the first calls reveal values for the second ones."""
_REFILLS = 6


def _refill(subjects: Subjects, several: Sequence[Subject]) -> Iterator[Case]:
    """Create entities for the tools that destroy them."""
    for subject in several:
        if _role(subjects, subject) == "create" and subject.good:
            subjects.lab.known_values.forget(subject.name)
            for number in range(_REFILLS):
                how = f"valid, for destructive tools, {number + 1}"
                yield subject.call(subject.good[0], how)


def _role(subjects: Subjects, subject: Subject) -> Role:
    return role_of(subjects.lab.tool(subject.name))


def growth(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a case that repeats the same call of a tool that only reads."""
    if subjects.reads_only(subject):
        yield subject.case("growth", arguments=subject.good[0])


def _in_turn(of_tool: OfTool, subjects: Subjects, several: Sequence[Subject]) -> Iterator[Case]:
    """Yield the first case of each tool, then the second of each, and so on."""
    for row in zip_longest(*(of_tool(subjects, subject) for subject in several)):
        yield from (case for case in row if case is not None)
