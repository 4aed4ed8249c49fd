"""Changes of an entity are arguments, or inside one argument."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan import entities, entity_changes
from mcpgen.testing.plan.subjects import Subject

ID: Json = {"type": "string"}
NAME: Json = {"type": "string", "maxLength": 9}
CHANGES: dict[str, Json] = {
    "type": "object",
    "properties": {"name": NAME, "open": {"type": "boolean"}},
    "additionalProperties": False,
}


def schema(required: list[str], **properties: Json) -> Schema:
    return Schema({"type": "object", "properties": properties, "required": required})


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (schema(["id"], id=ID, name=NAME), ""),
        (schema(["id", "changes"], id=ID, changes=CHANGES), "changes"),
        (schema(["id", "changes"], id=ID, changes={**CHANGES, "required": ["name"]}), None),
        (schema(["id", "name"], id=ID, name=NAME), None),
        (schema(["id", "changes", "by"], id=ID, changes=CHANGES, by=ID), None),
    ],
)
def test_changes_are_arguments_or_inside_one(tool: Schema, expected: str | None) -> None:
    assert entity_changes._container(tool, "id") == expected


class Subjects:
    """The part of the subjects that changes are made from."""

    def __init__(self, tool: Schema) -> None:
        self.tool = tool

    def schema(self, subject: Subject) -> Schema:
        del subject
        return self.tool

    def is_guessable(self, subject: Subject, name: str) -> bool:
        del subject, name
        return True

    def valid(self, subject: Subject) -> Iterator[dict[str, Json]]:
        del subject
        return self.tool.examples(0)


def test_changes_inside_argument() -> None:
    subjects: Any = Subjects(schema(["id", "changes"], id=ID, changes=CHANGES))
    good: list[dict[str, Any]] = [{"id": "a", "changes": {"name": "x"}}]
    subject = Subject("update", good=good)
    assert [*entity_changes._changes(subjects, subject, "id", "changes")] == [
        {"name": "x"},
        {"open": True},
        {"name": ""},
        {"open": False},
    ]


def creators(annotations: Json, arguments: Json, result: Json) -> list[str]:
    """Return the names of the IDs that belong to new entities."""
    definition = {"name": "plan_meal", "annotations": annotations}
    known_values = KnownValues()
    known_values.learn("plan_meal", arguments, Answer({"structuredContent": result}))
    lab = SimpleNamespace(tool=lambda _: definition, known_values=known_values)
    subjects: Any = SimpleNamespace(lab=lab)
    sources = entities._new_ids(subjects, Subject("plan_meal", good=[arguments]))
    return [source.name for source in sources]


def test_creator_by_its_result() -> None:
    result = {"recipe_id": 7, "meal_id": "m1", "day": "2027-03-01"}
    writes: Json = {"readOnlyHint": False}
    assert creators(writes, {"recipe_id": 7}, result) == ["meal_id"]
    assert creators(writes, {"recipe_id": 7, "meal_id": "m1"}, result) == []
    assert creators({"readOnlyHint": True}, {"recipe_id": 7}, result) == []


def test_list_with_an_id_inside_its_entries() -> None:
    known_values = KnownValues()
    players: Json = {"players": [{"player_id": "p1"}]}
    matches: Json = {"matches": [{"match_id": "m1", "scorers": [{"player_id": "p1"}]}]}
    for tool, result in (("list_players", players), ("list_matches", matches)):
        known_values.learn(tool, {}, Answer({"structuredContent": result}))
    reading: Json = {"annotations": {"readOnlyHint": True}}
    lab = SimpleNamespace(tool=lambda _: reading, known_values=known_values)
    subjects: Any = SimpleNamespace(lab=lab, schema=lambda _: schema([]))
    lists = [
        tool
        for tool in ("list_players", "list_matches")
        if entities._lists(subjects, Subject(tool, good=[{}]), "player_id", "p7")
    ]
    assert lists == ["list_players"]


def test_possible_deletion() -> None:
    named = {"tool": "release", "argument": "player_id"}
    inputs: Json = {"properties": {"player_id": ID}, "required": ["player_id"]}
    definition: Json = {"annotations": {"readOnlyHint": False}, "inputSchema": inputs}
    assert [*entities._deletions({**definition, "name": "delete_player"}, named)] == [named]
    released = [*entities._deletions({**definition, "name": "release"}, named)]
    assert released == [{**named, "is_guess": True}]
    assert [*entities._deletions({**definition, "name": "send_home"}, named)] == []


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ("P1001", "P77", True),
        ("P1001", "C1001", False),
        ("f81d4fae7dec11d0a76500a0c91e6bf6", "0c91e6bf6f81d4fae7dec11d0a76500a", True),
        (1, 7, True),
        (1, "7", False),
    ],
)
def test_ids_of_one_kind(first: Json, other: Json, *, expected: bool) -> None:
    assert entities._is_alike(first, other) is expected


def test_last_value_of_enum_first() -> None:
    subjects: Any = Subjects(schema(["id"], id=ID, color={"enum": ["red", "blue", "green"]}))
    subject = Subject("update", good=[{"id": "a"}])
    assert [*entity_changes._changes(subjects, subject, "id", "")] == [
        {"color": "green"},
        {"color": "red"},
    ]


def test_creator_by_the_own_id_of_its_entity() -> None:
    job: Json = {"job": {"job_id": 4, "bike_id": 9}}
    assert creators({"readOnlyHint": False}, {"job_id": 4, "part": "P1"}, job) == []
    assert creators({"readOnlyHint": False}, {"bike_id": 9}, job) == ["job_id"]
    booking: Json = {"target_id": 1, "booking_id": 2}
    assert creators({"readOnlyHint": False}, {"target_id": 1}, booking) == ["booking_id"]


def test_setters_of_entities() -> None:
    tool = schema(["id", "status"], id=ID, status={"enum": ["open", "done"]}, note=NAME)
    subjects: Any = Subjects(tool)
    good: list[dict[str, Any]] = [{"id": "a", "status": "done", "note": "n"}]
    assert [*entity_changes._settings(subjects, Subject("set_status", good=good), "id")] == [
        {"status": "done"},
        {"status": "open"},
    ]


def test_id_alone_sets_something() -> None:
    subjects: Any = Subjects(schema(["id"], id=ID, note=NAME))
    subjects.lab = SimpleNamespace(tool=lambda name: {"name": name})
    changes = {
        tool: [
            item["changes"][-1:]
            for item in entity_changes.changing(
                subjects, Subject(tool, good=[{"id": "a"}]), {"tool": tool, "argument": "id"}
            )
        ]
        for tool in ("check_in", "send_reminder")
    }
    # A tool that acts outside isn't called more often.
    assert changes == {"check_in": [[{"note": ""}], [{}]], "send_reminder": [[{"note": ""}]]}


def test_changes_of_any_property_before_those_of_a_status() -> None:
    lab = SimpleNamespace(tool=lambda name: {"name": name})
    subjects: Any = SimpleNamespace(lab=lab)
    changing: list[Json] = [
        {"tool": f"set_{number}", "changes": [{"status": number}], "is_setter": True}
        for number in range(4)
    ]
    changing += [
        {"tool": "update", "changes": [{"name": "x"}]},
        {"tool": "update", "changes": [{}], "is_setter": True},
    ]
    chosen = [
        (item["tool"], item["changes"])
        for item in entity_changes.select_changes(subjects, changing)
    ]
    assert [tool for tool, _ in chosen] == ["update", "set_0", "set_1", "set_2", "update"]
    assert chosen[-1] == ("update", [{}])


def test_another_object_than_the_working_one() -> None:
    guardian: Json = {"type": "object", "properties": {"name": ID, "phone": ID}}
    subjects: Any = Subjects(schema(["id"], id=ID, guardian=guardian))
    good: dict[str, Json] = {"id": "s1", "guardian": {"name": "Ada"}}
    changes = [*entity_changes._changes(subjects, Subject("update", good=[good]), "id", "")]
    assert changes[0]["guardian"] != good["guardian"]
    assert {*changes[0]["guardian"]} == {"name", "phone"}
