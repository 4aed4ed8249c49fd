"""Calls that test a tool's claims."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan import states, writes
from mcpgen.testing.plan.subjects import Subject
from mcpgen.testing.plan.subjects import Subjects as PlannedSubjects

SAFE: Json = {"annotations": {"idempotentHint": True, "destructiveHint": False}}
ROOM: Json = {"enum": ["hall", "cellar", "attic"]}
TEXT: Json = {"type": "string"}


class Subjects:
    """The part of the subjects that claims are made from. No tool reads anything."""

    seed = 0

    def __init__(self, **properties: Json) -> None:
        self._schema = Schema({"type": "object", "properties": properties})
        self.lab = SimpleNamespace(
            tool=lambda name: {"name": name, **SAFE},
            known_values=KnownValues(),
            contract=SimpleNamespace(resources=()),
        )

    def schema(self, subject: Subject) -> Schema:
        del subject
        return self._schema

    def every(self) -> list[Subject]:
        return []

    def readers_of_the_same(self, arguments: Json) -> Iterator[tuple[Subject, dict[str, Json]]]:
        del arguments
        yield from ()

    def is_guessable(self, subject: Subject, name: str) -> bool:
        del subject
        return not name.endswith("_id")

    def may_be_another(self, subject: Subject, name: str) -> bool:
        del subject, name
        return True

    relevance: Any = PlannedSubjects.relevance


def test_repeated_calls_with_each_option() -> None:
    subjects: Any = Subjects(vase_id=TEXT, room=ROOM, lit={"type": "boolean"})
    subject = Subject("place", good=[{"vase_id": "v1", "room": "hall"}])
    cases = [*states.claims(subjects, subject)]
    arguments = [case.data["arguments"] for case in cases if case.check == "idempotent"]
    assert {item["room"] for item in arguments} == {"hall", "cellar", "attic"}
    assert {item.get("lit") for item in arguments} >= {True, False}
    assert all(item["vase_id"] == "v1" for item in arguments)


def test_calls_at_limits() -> None:
    reads: Json = [{"method": "resources/read", "params": {"uri": "vase://all"}}]
    subjects: Any = Subjects(vase_id=TEXT, price={"type": "integer", "maximum": 900}, note=TEXT)
    subjects.lab.contract.resources = ("vase://all",)
    subjects.tested = []
    subjects.of_richest_entity = lambda _, arguments: arguments
    subjects.reads_only = lambda _: False
    subjects.is_reader = lambda _: False
    good: dict[str, Json] = {"vase_id": "v1", "price": 5, "note": "n"}
    cases = [*states.claims(subjects, Subject("price", good=[good]))]
    (keeps,) = [case.data for case in cases if case.check == "keeps"]
    assert keeps["reads"] == reads
    assert 900 in [call["price"] for call in keeps["calls"]]


@pytest.mark.parametrize(
    ("name", "part", "expected"),
    [
        ("book_ids", {"type": "array", "items": TEXT}, [["B-2"], ["B-3"], ["B-4"]]),
        ("book_id", TEXT, ["B-2", "B-3", "B-4"]),
        ("tag", TEXT, ["mcpgen a", "mcpgen b", "mcpgen c"]),
        ("room", ROOM, []),
    ],
)
def test_calls_with_other_members(name: str, part: Json, expected: list[Json]) -> None:
    subjects: Any = Subjects(list_id=TEXT, **{name: part})
    books: Json = [{"book_id": f"B-{number}"} for number in range(1, 5)]
    known_values: KnownValues = subjects.lab.known_values
    answer: Any = SimpleNamespace(data=lambda: {"books": books})
    known_values.learn("find_books", {}, answer)
    first: Json = ["B-1"] if name == "book_ids" else "hall" if name == "room" else "B-1"
    good: dict[str, Json] = {"list_id": "L-1", name: first}
    calls = writes.other_members(subjects, Subject("add", good=[good]), good, {"list_id"})
    assert [call[name] for call in calls] == expected
    assert all(call["list_id"] == "L-1" for call in calls)


def test_no_other_members_outside() -> None:
    subjects: Any = Subjects(list_id=TEXT, tag=TEXT)
    good: dict[str, Json] = {"list_id": "L-1", "tag": "t"}
    counts = [
        len(writes.other_members(subjects, Subject(name, good=[good]), good, {"list_id"}))
        for name in ("add_tag", "send_tag")
    ]
    assert counts == [3, 0]


def test_reads_about_the_same_come_first() -> None:
    subjects: Any = Subjects(place=ROOM, text=TEXT, priority={"type": "integer", "maximum": 3})
    readers = [Subject(f"list_a{number}", good=[{}]) for number in range(9)]
    readers.append(Subject("get_notices", good=[{}]))
    subjects.every = lambda: readers
    subjects.tested = []
    subjects.lab.changing = set()
    subjects.lab.last_pages = {}
    subjects.lab.tool = lambda name: {"name": name, "annotations": {"idempotentHint": True}}
    subjects.reads_only = lambda subject: subject.name != "set_notice"
    subjects.with_largest_page = lambda _, arguments: arguments
    subjects.is_reader = lambda _: False
    good: dict[str, Json] = {"place": "hall", "text": "t", "priority": 1}
    cases = [*states.claims(subjects, Subject("set_notice", good=[good]))]
    assert all(case.data["reads"][0]["params"]["name"] == "get_notices" for case in cases)
    assert 3 in [case.data["arguments"]["priority"] for case in cases]
