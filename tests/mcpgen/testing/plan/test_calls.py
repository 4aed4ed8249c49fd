"""Generated calls: made-up IDs are tried once, and later replaced by known ones."""

from __future__ import annotations

from typing import Any

from planned_subjects import COLOR, TEXT, Subjects

from mcpgen.jsontext import Json
from mcpgen.testing.plan import calls
from mcpgen.testing.plan.subjects import Subject

PROPERTIES: Json = {"wall_id": TEXT, "color": COLOR, "coats": {"type": "integer"}}


def test_made_up_ids() -> None:
    subjects: Any = Subjects(PROPERTIES, ["wall_id", "color"])
    planned = [*calls.plain(subjects, Subject("paint"))]
    assert [case.data["how"] for case in planned] == [
        "valid",
        "valid, with required arguments only",
    ]


def test_other_members_with_a_known_id() -> None:
    subjects: Any = Subjects(PROPERTIES, ["wall_id", "color"])
    subjects.lab.is_good = lambda _tool, _arguments: False
    good: dict[str, Json] = {"wall_id": "w7", "color": "red"}
    planned = [*calls.with_known_ids(subjects, Subject("paint", good=[good]))]
    called = [case.data["arguments"] for case in planned]
    assert called
    assert {call["wall_id"] for call in called} == {"w7"}
    assert any(call["color"] != "red" for call in called)
