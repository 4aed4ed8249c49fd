"""Changes of an entity are arguments, or inside one argument."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.plan import entities
from mcpgen.testing.plan.subjects import Subject
from mcpgen.testing.values import Schema

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
    assert entities._container(tool, "id") == expected


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


def test_changes_inside_an_argument_are_single_members_falsy_ones_first() -> None:
    subjects: Any = Subjects(schema(["id", "changes"], id=ID, changes=CHANGES))
    good: list[dict[str, Any]] = [{"id": "a", "changes": {"name": "x"}}]
    subject = Subject("update", good=good)
    assert [*entities._changes(subjects, subject, "id", "changes")] == [
        {"name": ""},
        {"name": "x"},
        {"open": False},
        {"open": True},
    ]
