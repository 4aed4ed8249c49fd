"""Neighbors and pairs of the values in a successful call."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks.neighbors import GROUPS_OF_SIGNS
from mcpgen.testing.known_values import KnownValues
from mcpgen.testing.plan import extremes, full_calls, neighbors, pairs
from mcpgen.testing.plan.subjects import Subject
from mcpgen.testing.values import Schema


class Subjects:
    """The part of the subjects that neighbors are made from. Each call of ``refused`` fails."""

    seed = 0

    def __init__(self, properties: Json, required: list[str], refused: Json = None) -> None:
        self._schema = Schema({"type": "object", "properties": properties, "required": required})
        self.lab = SimpleNamespace(
            is_good=lambda _tool, arguments: arguments != refused,
            richest={}.get,
            known_values=KnownValues(),
        )

    def schema(self, subject: Subject) -> Schema:
        del subject
        return self._schema

    def is_reader(self, tool: str) -> bool:
        return tool == "find"

    def is_guessable(self, subject: Subject, name: str) -> bool:
        del subject, name
        return True

    def valid(self, subject: Subject) -> Iterator[dict[str, Json]]:
        del subject
        return self._schema.examples(self.seed)


TEXT: Json = {"type": "string"}
COLOR: Json = {"enum": ["red", "green", "blue", "black", "white", "pink", "gold"]}


def values_of(subjects: Any, good: dict[str, Json]) -> dict[str, list[Json]]:
    varied = neighbors.varied_places(subjects, Subject("paint", good=[good]))
    return {"/".join(map(str, path)): values for path, values in varied.items()}


def test_neighbors_of_id() -> None:
    subjects = Subjects({"wall_id": TEXT, "note": TEXT}, ["wall_id"])
    values = values_of(subjects, {"wall_id": "w1", "note": "n"})
    assert values["wall_id"] == ["", "a", *GROUPS_OF_SIGNS]
    assert len(values["note"]) > len(values["wall_id"])


def test_neighbors_of_id_with_enum() -> None:
    values = values_of(Subjects({"color_id": COLOR}, ["color_id"]), {"color_id": "red"})
    assert values["color_id"] == COLOR["enum"][1:]


def test_items_of_array_varied_once() -> None:
    tags: Json = {"type": "array", "items": TEXT}
    values = values_of(Subjects({"tags": tags}, []), {"tags": ["a", "b"]})
    assert {"tags", "tags/0"} <= values.keys()
    assert "tags/1" not in values


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


def test_pairs_with_absent_arguments() -> None:
    properties: Json = {"color": COLOR, "matt": {"type": "boolean"}, "name": TEXT}
    subjects: Any = Subjects(properties, ["color"])
    good: dict[str, Json] = {"color": "red", "matt": True, "name": "a"}
    rows = [case.data["arguments"] for case in pairs.rows(subjects, Subject("p", good=[good]))]
    matt_values: tuple[Json, ...] = (True, False, "absent")
    combined = {(row["color"], row.get("matt", "absent")) for row in rows}
    assert combined == {*product(COLOR["enum"], matt_values)}
    assert any("name" not in row for row in rows)
    assert any(not str(row.get("name", "")).isascii() for row in rows)


def test_pairs_of_refused_optional_arguments() -> None:
    properties: Json = {"name": TEXT, "matt": {"type": "boolean"}, "gloss": {"type": "boolean"}}
    wide: Json = next(Schema({"type": "object", "properties": properties}).examples(0))
    subjects: Any = Subjects(properties, ["name"], refused={**wide, "name": "a"})
    cases = pairs.rows(subjects, Subject("paint", good=[{"name": "a"}]))
    rows = [case.data for case in cases]
    assert {(row["arguments"].get("matt"), row["arguments"].get("gloss")) for row in rows} == {
        *product((True, False, None), repeat=2)
    }
    assert all(row["base"] == {"name": "a"} for row in rows)


def test_covering_rows() -> None:
    values: dict[str, list[Json]] = {"a": [1, 2, 3], "b": [True, False], "c": ["x", "y"]}
    rows = pairs.covering(values, random.Random(1))
    for first, other in (("a", "b"), ("a", "c"), ("b", "c")):
        expected = {*product(values[first], values[other])}
        assert {(row[first], row[other]) for row in rows} == expected


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


def test_three_items() -> None:
    names: Json = {"type": "array", "items": TEXT, "uniqueItems": True}
    values = values_of(Subjects({"names": names}, []), {"names": ["a"]})["names"]
    assert ["a", "a 1", "a 2"] in values


def test_properties_instead_of_others() -> None:
    number: Json = {"type": "integer", "minimum": 1}
    subjects: Any = Subjects({"days": number, "months": number, "name": TEXT}, ["name"])
    one_of: Json = [{"required": ["days"]}, {"required": ["months"]}]
    subjects._schema = Schema({**subjects._schema.schema, "oneOf": one_of})
    changed = values_of(subjects, {"name": "a", "days": 3})[""]
    (months,) = [item for item in changed if "months" in item]
    assert months.keys() == {"name", "months"}


def test_other_kinds_of_a_nested_value() -> None:
    rule: Json = {"type": "object", "properties": {"open": {"type": "boolean"}, "not": {}}}
    rule["properties"]["not"] = {"$ref": "#/$defs/rule"}
    subjects: Any = Subjects({"rule": {"$ref": "#/$defs/rule"}}, [])
    subjects._schema = Schema({**subjects._schema.schema, "$defs": {"rule": rule}})
    values = values_of(subjects, {"rule": {"not": {"open": True}}})
    assert any("not" in item for item in values["rule/not"])
    assert any("open" in item for item in values["rule"])


class Refusing(Subjects):
    """Subjects with a tool that refuses one value of an argument."""

    def __init__(self, refused: int) -> None:
        part: Json = {"type": "integer", "minimum": 1, "maximum": 6}
        super().__init__({"dog_id": TEXT, "times": part}, ["dog_id", "times"])
        self.refused = refused
        self.may_be_another = lambda *_: True
        dogs = Answer({"structuredContent": {"dogs": [{"dog_id": "d1"}]}})
        self.lab.known_values.learn("list_dogs", {}, dogs)


def test_other_values_than_a_refused_one() -> None:
    subjects: Any = Refusing(refused=6)
    subject = Subject("prescribe")
    calls: list[Json] = []
    for case in extremes.unlike_refused(subjects, subject):
        arguments = case.data["arguments"]
        calls.append(arguments)
        if arguments["times"] != subjects.refused:
            subject.good.append(arguments)
    assert {call["dog_id"] for call in calls} == {"d1"}
    assert len(subject.good) == 1


def test_ids_at_limits() -> None:
    length: Json = {"type": "string", "minLength": 1, "maxLength": 9}
    subjects: Any = Subjects({"dog_id": length, "note": length}, [])
    good: dict[str, Json] = {"dog_id": "d17", "note": "abc"}
    calls = extremes.extremes(subjects, Subject("note", good=[good]))
    assert [call.data["arguments"] for call in calls] == [
        {"dog_id": "d17", "note": "a"},
        {"dog_id": "d17", "note": "abcxxxxxx"},
    ]


def test_days_near_and_far() -> None:
    values = values_of(Subjects({"due": TEXT}, ["due"]), {"due": "2026-03-02T09:30Z"})
    assert values["due"][:3] == ["1999-12-31T09:30Z", "2099-01-01T09:30Z", "2028-02-29T09:30Z"]


def test_text_with_a_format_keeps_its_length() -> None:
    address: Json = {"type": "string", "format": "uri", "minLength": 1, "maxLength": 90}
    values = values_of(Subjects({"url": address}, ["url"]), {"url": "https://example.org/"})
    assert not {"h", "https://example.org/".ljust(90, "x")} & {*map(str, values["url"])}
    subjects: Any = Subjects({"url": address, "note": TEXT}, ["url"])
    good: dict[str, Json] = {"url": "https://example.org/", "note": "n"}
    cases = [case.data for case in neighbors.neighbors(subjects, Subject("find", good=[good]))]
    formats = {data["path"][0]: data["has_format"] for data in cases if data["path"]}
    assert formats == {"url": True, "note": False}


def test_equal_values() -> None:
    tooth: Json = {"type": "integer", "minimum": 9}
    subjects: Any = Subjects({"front": tooth, "back": tooth, "matt": {"type": "boolean"}}, [])
    good: dict[str, Json] = {"front": 42, "back": 11, "matt": True}
    cases = pairs.equal(subjects, Subject("gear", good=[good]))
    assert [case.data["arguments"] for case in cases] == [{**good, "back": 42}]


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


def test_empty_list_alone() -> None:
    rule: Json = {"type": "object", "properties": {"open": {"type": "boolean"}, "all": {}}}
    good: dict[str, Json] = {"rule": {"open": True, "all": [1]}}
    assert {"all": []} in values_of(Subjects({"rule": rule}, []), good)["rule"]


def plan_of(subjects: Any, tool: str, good: dict[str, Json]) -> tuple[list[Json], set[str]]:
    """Return the calls with several other values, and the places with single values left."""
    cases = [*neighbors.neighbors(subjects, Subject(tool, good=[good]))]
    calls: list[Json] = [case.data["arguments"] for case in cases if case.check == "call"]
    pointers = {
        "/".join(map(str, case.data["path"])) for case in cases if case.check == "neighbors"
    }
    return calls, pointers


def test_values_of_all_places_at_once() -> None:
    properties: Json = {"wall_id": TEXT, "note": TEXT, "title": TEXT, "color": COLOR}
    good: dict[str, Json] = {"wall_id": "w", "note": "n", "title": "t", "color": "red"}
    subjects = Subjects(properties, ["wall_id"])
    calls, pointers = plan_of(subjects, "paint", good)
    assert {"wall_id": "w", "note": "", "title": " ", "color": "black"} in calls
    assert {call["wall_id"] for call in calls} == {"w"}
    assert pointers == {"", "wall_id"}
    assert plan_of(subjects, "find", good) == ([], {"", *properties})


def test_refused_values_of_all_places() -> None:
    good: dict[str, Json] = {"note": "n", "title": "t"}
    subjects = Subjects({"note": TEXT, "title": TEXT}, [], refused={"note": "", "title": " "})
    cases = neighbors.neighbors(subjects, Subject("paint", good=[good]))
    alone = {case.data["path"][0]: case.data["values"] for case in cases if case.data.get("path")}
    assert alone == {"note": [""], "title": [" "]}
