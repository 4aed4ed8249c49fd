"""A tool that undoes another one, and entities filled to their limit."""

from __future__ import annotations

from typing import Any

import pytest
from tested import BOOKS, run_case, run_of

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import calls, chains

READ: Json = {"method": "tools/call", "params": {"name": "get_course", "arguments": {}}}


class Lab:
    """A course and its students. If it ``counts`` upwards only, a withdrawal isn't visible."""

    def __init__(self, *, counts: bool = False) -> None:
        self.students, self.counts, self.ever = [1], counts, 1
        self.noted: list[Json] = []

    def ask(self, method: str, params: Json) -> Answer:
        del method, params
        count = self.ever if self.counts else len(self.students)
        return Answer({"content": [], "structuredContent": {"enrolled": count}})

    def call_again(self, tool: str, arguments: Json) -> Answer:
        self.noted.append(arguments)
        if tool == "create_course":
            return Answer({"content": [], "structuredContent": {"course_id": "c7"}})
        student = arguments["student_id"]
        if (student in self.students) == (tool == "enroll"):
            return Answer({"content": [], "isError": True})
        if tool == "enroll":
            self.students.append(student)
            self.ever += 1
        else:
            self.students.remove(student)
        return Answer({"content": []})


@pytest.mark.parametrize(("counts", "judges"), [(True, ["C908"]), (False, [])])
def test_removed_relation(
    monkeypatch: pytest.MonkeyPatch, *, counts: bool, judges: list[str]
) -> None:
    monkeypatch.setattr(chains, "_PAUSE", 0)
    lab: Any = Lab(counts=counts)
    rows: Json = [{"student_id": 1}, {"student_id": 2}]
    case = Case("undo", "tool withdraw", {"tool": "enroll", "rows": rows, "reads": [READ]})
    assert [verdict.judge for verdict in chains.undone(lab, case)] == judges
    assert lab.students == [1]


def test_full_entity() -> None:
    lab: Any = Lab()
    data: Json = {"creator": "create_course", "least": {"capacity": 1}, "argument": "course_id"}
    data["calls"] = [{"student_id": number, "course_id": "c1"} for number in (2, 3)]
    assert calls.crowd(lab, Case("crowd", "tool enroll", data)) == []
    assert lab.noted[0] == {"capacity": 1}
    assert lab.noted[1:] == [{"student_id": number, "course_id": "c7"} for number in (2, 3)]


def test_known_results() -> None:
    """A call that reads isn't repeated, unless its earlier result leads to a finding."""
    with run_of() as run:
        for arguments in ({"query": ""}, {"query": "winter"}):
            run.lab.call("search_books", arguments)
        earlier = run.lab.calls
        assert (
            run_case(run, "chain", "tool get_book", source=BOOKS, argument="id", arguments={}) == []
        )
        tried = run.lab.calls - earlier
        assert tried
        assert (
            run_case(run, "chain", "tool get_book", source=BOOKS, argument="id", arguments={}) == []
        )
        assert run.lab.calls == earlier + tried
