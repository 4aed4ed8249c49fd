"""Calls that may work only once."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan import subjects as plan_subjects
from mcpgen.testing.plan import writes
from mcpgen.testing.plan.subjects import Subject

DESTROYS: Json = {"readOnlyHint": False, "destructiveHint": True}
TOOLS: dict[str, Json] = {
    "list_books": {"readOnlyHint": True},
    "add_book": {"readOnlyHint": False},
    "delete_book": DESTROYS,
    "discard_book": {**DESTROYS, "idempotentHint": True},
}
SCHEMA = Schema({"type": "object", "properties": {"book_id": {}, "reason": {"type": "string"}}})


def subjects_with_books() -> Any:
    known_values = KnownValues()
    for tool, book in (("list_books", "b1"), ("add_book", "b7"), ("add_book", "b8")):
        known_values.learn(tool, {}, Answer({"structuredContent": {"book": {"book_id": book}}}))
    lab = SimpleNamespace(
        tool=lambda name: {"name": name, "annotations": TOOLS[name]}, known_values=known_values
    )
    return SimpleNamespace(
        lab=lab,
        schema=lambda _: SCHEMA,
        is_guessable=lambda *_: True,
        may_be_another=lambda *_: True,
    )


def test_used_up_stock_of_several_entities() -> None:
    subjects = subjects_with_books()
    number: Json = {"type": "integer", "maximum": 50}
    schema = Schema({"type": "object", "properties": {"book_id": {}, "copies": number}})
    subjects.schema = lambda _: schema
    subjects.seed = 0
    subjects.lab.is_destroyed = lambda value: value == "b8"
    subject = Subject("add_book", good=[{"book_id": "b9", "copies": 2}])
    (case,) = writes.used_up(subjects, subject)
    assert case.data["arguments"]["copies"] == 50
    assert {item["book_id"] for item in case.data["others"]} <= {"b1", "b7"}
    assert len(case.data["others"]) > 0


@pytest.mark.parametrize(
    ("tool", "expected"),
    [("delete_book", [{"book_id": ["b7", "b8"]}]), ("discard_book", []), ("list_books", [])],
)
def test_renewals_of_deletions_use_entities_of_the_run(tool: str, expected: list[Json]) -> None:
    subject = Subject(tool, good=[{"book_id": "b1", "reason": "lost"}])
    cases = [*writes.find_renewals(subjects_with_books(), subject)]
    assert [case.data["known"] for case in cases] == expected
    assert all(case.data["free"] == [] for case in cases)


RELATED = Schema(
    {
        "type": "object",
        "properties": {"shelf_id": {}, "book_id": {}},
        "required": ["shelf_id", "book_id"],
    }
)


def subjects_with_shelves(*names: str) -> Any:
    subjects = subjects_with_books()
    subjects.schema = lambda _: RELATED
    subjects.lab.tool = lambda name: {"name": name, "annotations": {"readOnlyHint": False}}
    subjects.lab.is_destroyed = lambda value: value == "b8"
    good: dict[str, Json] = {"shelf_id": "s1", "book_id": "b1"}
    subjects.tested = [Subject(name, good=[good]) for name in names]
    subjects.find = lambda name: next((s for s in subjects.tested if s.name == name), None)
    subjects.creator_of = partial(plan_subjects.Subjects.creator_of, subjects)
    shelves = Subject("list_shelves", good=[{}])
    subjects.readers_of_the_same = lambda _: iter([(shelves, {"shelf_id": "s1"})])
    return subjects


def test_relations_to_undo() -> None:
    subjects = subjects_with_shelves("place", "unplace")
    (case,) = writes.undone(subjects, subjects.tested[1])
    assert case.data["tool"] == "place"
    assert case.data["rows"] == [
        {"shelf_id": "s1", "book_id": "b1"},
        {"shelf_id": "s1", "book_id": "b7"},
    ]
    subjects.lab.tool = lambda name: {"name": name, "annotations": {"readOnlyHint": True}}
    assert [*writes.undone(subjects, subjects.tested[1])] == []


def test_new_entity_to_fill() -> None:
    subjects = subjects_with_shelves("add_book", "place")
    (case,) = writes.crowd(subjects, subjects.tested[1])
    assert case.data["creator"] == "add_book"
    assert case.data["argument"] == "book_id"
    assert case.data["calls"][0] == {"shelf_id": "s1", "book_id": "b1"}
