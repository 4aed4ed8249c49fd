"""Tools that claim to be read-only and write once, found on a second process of the server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from mcpgen.errors import UnreachableError
from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.checks import states

LIST: Json = {"method": "tools/call", "params": {"name": "list_books", "arguments": {}}}


class Answer:
    is_success = True
    fault = None

    def __init__(self, text: str) -> None:
        self.text = text

    def comparison_key(self) -> str:
        return self.text


class Lab:
    """A server whose tool ``show`` marks a book, once in each of its processes."""

    def __init__(self, *, starts_twice: bool = True, marks: str = "b") -> None:
        self.session = self
        self.starts_twice, self.marks = starts_twice, marks
        self.marked: set[str] = {marks}
        self.processes = 1
        self.follow_ups: list[Case] = []
        self.suspects: set[str] = set()

    @contextlib.contextmanager
    def new_process(self) -> Iterator[None]:
        if not self.starts_twice:
            raise UnreachableError("the port is in use")
        earlier, self.marked = self.marked, set()
        self.processes += 1
        yield
        self.marked = earlier

    def ask(self, method: str, params: Any) -> Answer:
        del method, params
        return Answer(f"marked: {sorted(self.marked)}")

    def call(self, name: str, arguments: Any) -> Answer:
        if name == "show" and arguments["id"] == self.marks:
            self.marked.add(self.marks)
        return self.ask("tools/call", {})


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_PAUSE", 0)


def first_calls(lab: Lab) -> list[Case]:
    calls = {"show": [{"id": "a"}, {"id": "c"}, {"id": "b"}], "list_books": [{}]}
    context: Any = lab
    case = Case("first-calls", "server", {"calls": calls, "reads": [LIST]})
    assert states.first_calls(context, case) == []
    return lab.follow_ups


def test_call_writing_once() -> None:
    lab = Lab()
    (case,) = first_calls(lab)
    assert (case.check, case.name, case.data["arguments"]) == ("writes-once", "show", {"id": "b"})
    context: Any = lab
    (verdict,) = states.writes_once(context, case)
    assert (verdict.judge, verdict.detail) == ("C401", "list_books shows something else after it")


def test_present_process_keeps_its_state() -> None:
    lab = Lab()
    first_calls(lab)
    assert lab.marked == {"b"}


def test_first_call_of_a_tool_may_load_something() -> None:
    assert first_calls(Lab(marks="a")) == []


def test_correct_server_is_started_once_more() -> None:
    lab = Lab(marks="nothing")
    assert first_calls(lab) == []
    assert lab.processes == 2


def test_server_with_a_single_process() -> None:
    lab = Lab(starts_twice=False, marks="d")
    assert first_calls(lab) == []
    assert lab.processes == 1


class Switching(Lab):
    """A server whose tool ``show`` switches a mark on and off."""

    def call(self, name: str, arguments: Any) -> Answer:
        if name == "show" and arguments["id"] == self.marks:
            self.marked ^= {self.marks}
        return self.ask("tools/call", {})


def test_value_switched_twice() -> None:
    calls: dict[str, list[Json]] = {"show": [{"id": "b"}, {"id": "a"}, {"id": "a"}, {"id": "b"}]}
    lab: Any = Switching()
    assert states._change_anything(lab, calls, [LIST])


class SwitchedByReads(Lab):
    """A server whose list switches a mark on and off at each call."""

    def ask(self, method: str, params: Any) -> Answer:
        del method, params
        self.marked ^= {self.marks}
        return Answer(f"marked: {sorted(self.marked)}")


def test_value_switched_by_reads() -> None:
    lab: Any = SwitchedByReads()
    assert states._change_anything(lab, {"show": [{"id": "a"}, {"id": "a"}]}, [LIST])
