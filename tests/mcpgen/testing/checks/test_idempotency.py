"""Repeated calls of a tool that claims to be idempotent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import idempotency, states

READ: Json = {"method": "tools/call", "params": {"name": "get_poll", "arguments": {}}}


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_PAUSE", 0)


class Lab:
    """A server with a tool ``vote``. Its results are functions of the number of calls."""

    def __init__(self, result: Callable[[int], Json], read: Callable[[int], Json]) -> None:
        self.result, self.read = result, read
        self.calls = self.reads = 0

    def ask(self, method: str, params: Json) -> Answer:
        del method, params
        self.reads += 1
        return Answer({"content": [], "structuredContent": {"state": self.read(self.calls)}})

    def call(self, name: str, arguments: Json) -> Answer:
        del name, arguments
        self.calls += 1
        return Answer({"content": [], "structuredContent": self.result(self.calls)})


def judges(lab: Lab) -> list[str]:
    context: Any = lab
    case = Case("idempotent", "tool vote", {"arguments": {}, "reads": [READ]})
    return [verdict.judge for verdict in idempotency.idempotent(context, case)]


@pytest.mark.parametrize(("most", "expected"), [(99, ["C402"]), (2, []), (1, [])])
def test_further_change_each_time(most: int, expected: list[str]) -> None:
    assert judges(Lab(lambda _: {}, lambda calls: min(calls, most))) == expected


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("voters", lambda calls: calls, "C402"),
        ("voters", lambda calls: min(calls, 2), "C403"),
        ("voters", lambda calls: calls * calls, "C403"),
        ("elapsed_ms", lambda calls: calls, "C403"),
        ("voters", lambda _: 1, None),
    ],
    ids=["each", "twice", "unevenly", "time", "never"],
)
def test_growing_number_in_results(
    name: str, count: Callable[[int], int], expected: str | None
) -> None:
    lab = Lab(lambda calls: {"poll": {name: count(calls)}}, lambda _: "a poll")
    assert judges(lab) == [rule for rule in [expected] if rule]


def test_changing_read() -> None:
    lab = Lab(lambda _: {}, lambda _: lab.reads)
    assert judges(lab) == []


def test_another_call_if_the_first_no_longer_works() -> None:
    lab: Any = Lab(lambda _: {}, lambda _: 0)
    lab.follow_ups = []
    lab.call = lambda *_: Answer(code=-32000, message="seat 1A is taken")
    data: Json = {"arguments": {"seat": 1}, "reads": [READ], "others": [{"seat": 2}, {"seat": 3}]}
    assert idempotency.idempotent(lab, Case("idempotent", "tool vote", data)) == []
    (case,) = lab.follow_ups
    assert case.data["arguments"] == {"seat": 2}
    assert case.data["others"] == [{"seat": 3}]
