"""The fullest call that works."""

from __future__ import annotations

from typing import Any

import pytest
from planned_subjects import TEXT, Subjects

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.plan import full_calls
from mcpgen.testing.plan.subjects import Subject


def test_all_arguments_only_if_accepted() -> None:
    properties: Json = {"name": TEXT, "note": {"const": "n"}}
    wide: Json = {"name": "a", "note": "n"}
    subject = Subject("paint", good=[{"name": "a"}])
    refusing: Any = Subjects(properties, ["name"], refused=wide)
    assert [case.data["arguments"] for case in full_calls.wide(refusing, subject)] == [wide]
    assert full_calls.base_of(subject) == {"name": "a"}
    working: Any = Subjects(properties, ["name"])
    assert [case.data["arguments"] for case in full_calls.wide(working, subject)] == [wide]
    assert full_calls.base_of(subject) == wide


def test_search_with_results_as_basis() -> None:
    subjects: Any = Subjects({"query": TEXT, "note": {"const": "n"}}, ["query"])
    subjects.lab.richest = {"query": "wall"}.get
    (case,) = full_calls.wide(subjects, Subject("find", good=[{"query": "night ferry"}]))
    assert case.data["arguments"] == {"query": "wall", "note": "n"}


def test_unknown_reference() -> None:
    subjects: Any = Subjects({"text": TEXT, "parent_id": {"type": "integer"}}, ["text"])
    calls = [
        case.data for case in full_calls.wide(subjects, Subject("reply", good=[{"text": "a"}]))
    ]
    assert [call["how"] for call in calls] == [
        "valid, with all arguments",
        "valid, with an unknown parent_id",
    ]
    assert calls[0]["arguments"] == {"text": "a"}
    assert calls[1]["arguments"].keys() == {"text", "parent_id"}


def test_optional_arguments_one_by_one() -> None:
    properties: Json = {
        "name": TEXT,
        "day": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "matt": {"type": "boolean"},
    }
    subjects: Any = Subjects(properties, ["name"])
    past = next(subjects.valid(None))["day"]
    subjects.lab.is_good = lambda _tool, arguments: arguments.get("day") != past
    subject = Subject("paint", good=[{"name": "a"}])
    assert [*full_calls.wide(subjects, subject)]
    base = full_calls.base_of(subject)
    assert base is not None
    assert base.keys() == {"name", "day", "matt"}
    assert base["day"] != past


def test_known_ids_inside_optional_arguments() -> None:
    scorers: Json = {
        "type": "array",
        "minItems": 1,
        "items": {"properties": {"player_id": TEXT}, "required": ["player_id"]},
    }
    subjects: Any = Subjects({"name": TEXT, "scorers": scorers}, ["name"])
    subjects.may_be_another = lambda *_: True
    players = Answer({"structuredContent": {"players": [{"player_id": "pl1"}]}})
    subjects.lab.known_values.learn("list_players", {}, players)
    calls = [*full_calls.wide(subjects, Subject("record", good=[{"name": "a"}]))]
    named = [scorer["player_id"] for scorer in calls[0].data["arguments"]["scorers"]]
    assert {*named} == {"pl1"}


def test_text_instead_of_null() -> None:
    subjects: Any = Subjects({"name": TEXT, "note": {"type": ["string", "null"]}}, ["name"])
    subject = Subject("paint", good=[{"name": "a", "note": None}])
    assert [*full_calls.wide(subjects, subject)]
    base = full_calls.base_of(subject)
    assert base is not None
    assert isinstance(base["note"], str)


def test_process_is_never_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    subjects: Any = Subjects({"text": TEXT, "pid": {"type": "integer"}}, ["text"])
    monkeypatch.setattr(subjects, "is_guessable", lambda _, name: name != "pid")
    cases = [*full_calls.wide(subjects, Subject("stop", good=[{"text": "a"}]))]
    assert [case.data["arguments"] for case in cases] == [{"text": "a"}]
