"""Time, results and resources of equal calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import growth

Count = Callable[[int], int]


class Lab:
    """A server whose measurements are functions of the number of calls."""

    def __init__(self, **counts: Count) -> None:
        self.session, self.counts = self, counts
        self.times: dict[str, list[float]] = {}
        self.calls = 0

    def _count(self, name: str, usual: int) -> int:
        return self.counts[name](self.calls) if name in self.counts else usual

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool, arguments
        self.calls += 1
        text = "x" * self._count("size", 10)
        seconds = self._count("milliseconds", 5) / 1000
        return Answer({"content": [{"type": "text", "text": text}]}, seconds=seconds)

    def memory(self) -> int:
        return self._count("megabytes", 90) * 2**20

    def handles(self) -> int:
        return self._count("handles", 12)


GROWING: dict[str, dict[str, Count]] = {
    "time": {"milliseconds": lambda calls: 5 + 3 * calls},
    "size": {"size": lambda calls: 100 * calls},
    "memory": {"megabytes": lambda calls: 90 + calls},
    "open": {"handles": lambda calls: 12 + calls},
}
STABLE: dict[str, dict[str, Count]] = {
    "nothing": {},
    "noise": {"milliseconds": lambda calls: 5 + calls * 37 % 11},
    "pool of threads": {"handles": lambda calls: 12 + min(calls, 30)},
    "cache": {"megabytes": lambda calls: 90 + min(calls, 20)},
    "unknown": {"megabytes": lambda _: 0, "handles": lambda _: 0},
}


def grown(lab: Any) -> list[str]:
    verdicts = growth.run(lab, Case("growth", "tool show", {"arguments": {}}))
    assert {verdict.judge for verdict in verdicts} <= {"C909"}
    return [verdict.pointer for verdict in verdicts]


@pytest.mark.parametrize("name", GROWING)
def test_growth_with_each_call(name: str) -> None:
    assert grown(Lab(**GROWING[name])) == [name]


@pytest.mark.parametrize("name", STABLE)
def test_temporary_growth(name: str) -> None:
    assert grown(Lab(**STABLE[name])) == []
