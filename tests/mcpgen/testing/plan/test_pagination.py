"""Walks through pages with filters, and calls on entities that were just created."""

from __future__ import annotations

from functools import partial
from typing import Any

from planned_subjects import COLOR, TEXT, Subjects

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.plan import pagination
from mcpgen.testing.plan import subjects as plan_subjects
from mcpgen.testing.plan.subjects import Subject

NUMBER: Json = {"type": "integer", "minimum": 0}


def test_each_filter_has_a_turn() -> None:
    order: Json = {"enum": ["oldest", "title"]}
    properties: Json = {"color": COLOR, "kind": COLOR, "sort": order, "offset": NUMBER}
    subjects: Any = Subjects(properties, [])
    filters = [*pagination._filters(subjects, Subject("list"), {}, {"offset"})]
    assert [name for name, _ in filters] == ["color", "kind", "sort", "color", "kind", "sort"]
    assert ["sort", "title"] in filters


def test_least_values_on_a_new_entity() -> None:
    choices: Json = {"type": "array", "items": NUMBER}
    properties: Json = {"poll_id": TEXT, "choices": choices, "weight": NUMBER, "note": TEXT}
    subjects: Any = Subjects(properties, ["poll_id", "choices"])
    subjects.may_be_another = lambda *_: True
    subjects.lab.tool = lambda name: {"name": name}
    polls: dict[str, Subject] = {
        "create_poll": Subject("create_poll", good=[{"note": "a"}], widest={"note": "b"}),
    }
    subjects.find = polls.get
    subjects.creator_of = partial(plan_subjects.Subjects.creator_of, subjects)
    for tool in ("list_polls", "create_poll"):
        answer = Answer({"structuredContent": {"poll": {"poll_id": "p1"}}})
        subjects.lab.known_values.learn(tool, {}, answer)
    vote: dict[str, Json] = {"poll_id": "p1", "choices": [1], "weight": 3, "note": "n"}
    (case,) = pagination.new_entities(subjects, Subject("vote", good=[vote]))
    assert case.check == "chain"
    assert case.data["source"]["tool"] == "create_poll"
    assert case.data["source"]["arguments"] == {"note": "b"}
    assert case.data["arguments"] == {"choices": [], "weight": 0, "note": ""}


def test_cursor_beyond_the_last_page() -> None:
    subjects: Any = Subjects({"cursor": TEXT, "limit": NUMBER}, [])
    subjects.lab.with_cursor = {"list": {"limit": 3, "cursor": "b12"}}
    (case,) = pagination.beyond(subjects, Subject("list"))
    assert case.data["arguments"] == {"limit": 3, "cursor": "b99999"}
    assert [*pagination.beyond(subjects, Subject("search"))] == []
