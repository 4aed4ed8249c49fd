"""Calls that claim not to destroy anything, between reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks import overwriting, side_effects

READ: Json = {"method": "tools/call", "params": {"name": "list_comments", "arguments": {}}}


class Lab:
    """A server with comments. Editing ``loses`` deletes one; with ``fades``, each read does."""

    def __init__(self, *, fades: bool = False) -> None:
        self.comments: list[int] = [1, 2, 3, 4, 5, 6] if fades else [1, 2]
        self.fades = fades

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object"})

    def tool(self, name: str) -> dict[str, Json]:
        return {"name": name}

    def ask(self, method: str, params: Any) -> Answer:
        del method, params
        listed_comments: list[Json] = [{"id": number, "text": "t"} for number in self.comments]
        if self.fades:
            self.comments = self.comments[:-1]
        return Answer({"content": [], "structuredContent": {"comments": listed_comments}})

    def call(self, name: str, arguments: Any) -> Answer:
        del name
        if arguments.get("loses"):
            self.comments.pop()
        return Answer({"content": [], "structuredContent": {}})

    def call_again(self, name: str, arguments: Any) -> Answer:
        if name == "add_comment":
            self.comments.append(len(self.comments) + 1)
        return self.call(name, arguments)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_effects, "_PAUSE", 0)


def verdicts_of(lab: Lab, **data: Json) -> list[tuple[str, str]]:
    context: Any = lab
    verdicts = side_effects.run(context, Case("keeps", "tool edit", {"reads": [READ], **data}))
    return [(verdict.judge, verdict.detail) for verdict in verdicts]


def test_losing_call_is_named() -> None:
    calls: list[Json] = [{"id": "a"}, {"id": "a", "loses": True}, {"id": "b"}]
    assert verdicts_of(Lab(), calls=calls) == [
        ("C404", '2 is gone after {"id": "a", "loses": true}')
    ]


def test_calls_without_losses() -> None:
    assert verdicts_of(Lab(), calls=[{"id": "a"}, {"id": "b"}]) == []


def test_case_of_earlier_file() -> None:
    assert [judge for judge, _ in verdicts_of(Lab(), arguments={"loses": True})] == ["C404"]


def test_addition_before_loss() -> None:
    lab = Lab()
    lab.comments = []
    additions: list[Json] = [{"name": "add_comment", "arguments": {}}]
    verdicts = verdicts_of(lab, additions=additions, calls=[{"loses": True}])
    assert verdicts == [("C404", '1 is gone after {"loses": true}')]


def test_entities_with_expiry() -> None:
    assert verdicts_of(Lab(fades=True), calls=[{"id": "a"}]) == []


def test_lengths_of_lists() -> None:
    data: Json = {"ratings": [{"stars": 1}] * 3, "page": {"tags": ["a"]}, "notes": [{"id": 1}]}
    data["book"] = {"id": 3, "genres": ["b"]}
    assert side_effects._lengths(data) == {"/ratings": 3, "/page/tags": 1}


@pytest.mark.parametrize(("after", "details"), [(2, ["/ratings has 2 of 3 entries"]), (4, [])])
def test_shorter_list_without_ids(after: int, details: list[str]) -> None:
    states = [{"read": ({}, {"/ratings": length})} for length in (3, after)]
    assert [detail for detail, _ in side_effects._losses(*states, {})] == details
    changed: Json = {"changes": {"ratings": []}}
    assert [*side_effects._losses(*states, changed)] == []


def test_entity_with_fewest_empty_properties() -> None:
    plants: Json = [{"id": 1, "note": None}, {"id": 2, "note": "n"}, {"id": 3, "note": ""}]
    state: Json = {"list": (side_effects.by_id({"plants": plants}), {})}
    calls = [*side_effects._of_fuller_entities(state, {"plant_id": 1, "liters": 2})]
    assert calls == [{"plant_id": 2, "liters": 2}]
    assert [*side_effects._of_fuller_entities(state, {"plant_id": 2, "liters": 1})] == []
    assert [*side_effects._of_fuller_entities(state, {"plant_id": 9})] == []


OLD: Json = {"item": "rice", "amount": 1}
NEW: Json = {"item": "rice", "amount": 5}


@pytest.mark.parametrize(
    ("after", "is_loss"),
    [([NEW], True), ([OLD, NEW], False), ([{"item": "rice", "amount": 6}], False), ([], False)],
    ids=["replaced", "added", "merged", "emptied"],
)
def test_replaced_entry_of_a_list(after: list[Json], *, is_loss: bool) -> None:
    identity = ("id items", "id", 1)
    states = [{"list": ({identity: {"id": 1, "items": items}}, {})} for items in ([OLD], after)]
    call: Json = {"order_id": 1, **NEW}
    losses = [*side_effects._replacements(*states, call, adds=True)]
    assert [*side_effects._replacements(*states, call, adds=False)] == []
    expected = [(f"items of 1 has lost {json.dumps(OLD)}", "items replaced")]
    assert losses == (expected if is_loss else [])


def test_entries_lost_by_an_addition() -> None:
    identity = ("id items", "id", 1)
    entries: list[Json] = [OLD, {"item": "beans", "amount": 2}]
    states = [{"list": ({identity: {"id": 1, "items": items}}, {})} for items in (entries, [NEW])]
    losses = side_effects._replacements(*states, {"order_id": 1, **NEW}, adds=False)
    assert [pointer for _, pointer in losses] == ["items replaced"]


@pytest.mark.parametrize(
    ("after", "is_loss"),
    [(["c"], True), (["b", "c"], True), (["a", "b", "c"], False), (["a", "b"], False)],
    ids=["replaced", "one lost", "added", "unchanged"],
)
@pytest.mark.parametrize("tags_of_call", [["c"], None], ids=["named", "unnamed"])
def test_replaced_texts_of_a_list(after: list[str], tags_of_call: Json, *, is_loss: bool) -> None:
    identity = ("id tags", "id", 1)
    states = [{"list": ({identity: {"id": 1, "tags": tags}}, {})} for tags in (["a", "b"], after)]
    call: Json = {"id": 1, "tags": tags_of_call}
    losses = [*side_effects._replacements(*states, call, adds=True)]
    assert [*side_effects._replacements(*states, call, adds=False)] == []
    assert losses == (
        [("tags of 1 has lost 'a'", "tags replaced")] if is_loss and tags_of_call else []
    )


class Archive(Lab):
    """Comments that a call moves to the last of many lists, or ``loses``."""

    def __init__(self) -> None:
        super().__init__()
        self.archived: list[int] = []

    def ask(self, method: str, params: Any) -> Answer:
        del method
        numbers = self.archived if params["name"] == "list_archive" else self.comments
        listed_comments: list[Json] = [{"id": number, "text": "t"} for number in numbers]
        return Answer({"content": [], "structuredContent": {"comments": listed_comments}})

    def call(self, name: str, arguments: Any) -> Answer:
        if arguments.get("moves"):
            self.archived.append(self.comments.pop())
        return super().call(name, arguments)


@pytest.mark.parametrize(("last", "judges"), [({"moves": True}, []), ({"loses": True}, ["C404"])])
def test_entity_moved_to_another_list(last: Json, judges: list[str]) -> None:
    names = [*(f"list_{number}" for number in range(5)), "list_archive"]
    reads: list[Json] = [
        {"method": "tools/call", "params": {"name": name, "arguments": {}}} for name in names
    ]
    verdicts = verdicts_of(Archive(), reads=reads, calls=[{"id": "a"}, last])
    assert [judge for judge, _ in verdicts] == judges


FLIGHTS: Json = [
    {"flight_id": 1, "gate": "A1", "to": "Nice"},
    {"flight_id": 2, "gate": "A2", "to": "Oslo"},
    {"flight_id": 3, "gate": "A3", "to": "Oslo"},
]


def test_text_of_a_single_other_entity() -> None:
    state: Json = {"list": (side_effects.by_id({"flights": FLIGHTS}), {})}
    call: Json = {"flight_id": 1, "gate": "B9", "to": "Rome"}
    calls = [*side_effects._with_taken_values(state, call)]
    assert calls == [{**call, "gate": "A2"}]


@pytest.mark.parametrize(("flight_id", "is_loss"), [(2, False), (1, True)])
def test_named_property_of_another_entity(flight_id: int, *, is_loss: bool) -> None:
    after = [{"flight_id": 2, "to": "Oslo"} if item == FLIGHTS[1] else item for item in FLIGHTS]
    states: Any = [{"list": (side_effects.by_id({"f": part}), {})} for part in (FLIGHTS, after)]
    call: Json = {"flight_id": flight_id, "gate": "A2"}
    losses = [detail for detail, _ in side_effects._losses(*states, call)]
    assert losses == (["gate of 2 was 'A2' and is empty"] if is_loss else [])


class Marks:
    """A server of marks. A new mark of a pupil may ``replace`` the earlier ones."""

    def __init__(self, *, replaces: bool) -> None:
        self.marks: list[Json] = []
        self.replaces = replaces

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object", "properties": {"points": {"type": "integer"}}})

    def tool(self, name: str) -> dict[str, Json]:
        return {"name": name, "annotations": {"destructiveHint": False}}

    def call(self, name: str, arguments: Json) -> Answer:
        del name, arguments
        return Answer({"content": [], "structuredContent": {"marks": [*self.marks]}})

    def call_again(self, name: str, arguments: Json) -> Answer:
        del name
        self.marks = [arguments] if self.replaces else [*self.marks, arguments]
        return Answer({"content": [], "structuredContent": arguments})


@pytest.mark.parametrize(
    ("tool", "replaces", "judges"),
    [("record_mark", True, ["C404"]), ("record_mark", False, []), ("set_mark", True, [])],
)
def test_overwritten_record(tool: str, *, replaces: bool, judges: list[str]) -> None:
    lab: Any = Marks(replaces=replaces)
    case = Case("adds", f"tool {tool}", {"arguments": {"pupil_id": 1, "points": 3}})
    reads: list[Json] = [{"name": "list_marks", "arguments": {}}]
    assert [verdict.judge for verdict in overwriting.overwritten(lab, case, reads)] == judges


@pytest.mark.parametrize(
    ("after", "lost"), [([4, 6, 7], [3]), ([3, 4, 6, 7], []), ([4, 6], []), ([4, 6, 8], [])]
)
def test_values_pushed_out_of_a_list(after: list[Json], lost: list[Json]) -> None:
    assert side_effects._pushed_out([3, 4, 6], after, {"kilograms": 7}) == lost
