"""The cases of a run in their order: what says most about most tools comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

from mcpgen.testing.failure import Case
from mcpgen.testing.plan import calls, chains, changes, offers, states, texts, together, walks
from mcpgen.testing.plan.subjects import Subject, Subjects

OfTool: TypeAlias = Callable[[Subjects, Subject], Iterator[Case]]


def cases(subjects: Subjects, *, is_from_file: bool) -> Iterator[Case]:
    """Yield the cases, each made when it is its turn: later ones rest on what earlier showed."""
    every, tested = subjects.every(), subjects.tested
    if is_from_file:
        yield from offers.offered(subjects.lab.contract)
    for each in (calls.plain, calls.short, calls.chained, calls.chained):  # twice, of what it shows
        yield from _in_turn(each, subjects, every)
    yield from offers.of_server(subjects)
    for each in (chains.chains, walks.walks, changes.changed, changes.pairs):
        yield from _in_turn(each, subjects, tested)
    yield from chains.links(subjects.lab)
    yield from states.quiet(subjects)
    for each in (states.claims, texts.texts):
        yield from _in_turn(each, subjects, tested)
    yield from together.together(subjects)


def _in_turn(of_tool: OfTool, subjects: Subjects, several: Sequence[Subject]) -> Iterator[Case]:
    """Yield the first case of each tool, then the second of each, and so on."""
    for row in zip_longest(*(of_tool(subjects, each) for each in several)):
        yield from (case for case in row if case is not None)
