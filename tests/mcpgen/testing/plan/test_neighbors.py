"""Neighbors of the values in a successful call."""

from __future__ import annotations

from typing import Any

import pytest
from planned_subjects import COLOR, TEXT, Subjects

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.neighbors import GROUPS_OF_SIGNS
from mcpgen.testing.plan import neighbors
from mcpgen.testing.plan.subjects import Subject


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


def test_days_near_and_far() -> None:
    values = values_of(Subjects({"due": TEXT}, ["due"]), {"due": "2026-03-02T09:30Z"})
    days = ["1999-12-31", "2099-01-01", "2028-02-29", "2027-01-31"]
    assert values["due"][:4] == [f"{day}T09:30Z" for day in days]


def test_integer_with_a_fraction_of_zero() -> None:
    values = values_of(Subjects({"count": {"type": "integer"}}, []), {"count": 7})
    assert "7.0" in map(str, values["count"])


def test_longest_text_beyond_ascii() -> None:
    subjects = Subjects({"name": {"type": "string", "maxLength": 9}}, ["name"])
    assert "\u00eb" * 9 in values_of(subjects, {"name": "a"})["name"]
    code: Json = {"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"}
    values = values_of(Subjects({"name": code}, ["name"]), {"name": "b"})
    assert "b" + "x" * 8 in values["name"]
    assert all(str(value).isascii() for value in values["name"])


def test_text_with_a_format_keeps_its_length() -> None:
    address: Json = {"type": "string", "format": "uri", "minLength": 1, "maxLength": 90}
    values = values_of(Subjects({"url": address}, ["url"]), {"url": "https://example.org/"})
    assert not {"h", "https://example.org/".ljust(90, "x")} & {*map(str, values["url"])}
    subjects: Any = Subjects({"url": address, "note": TEXT}, ["url"])
    good: dict[str, Json] = {"url": "https://example.org/", "note": "n"}
    cases = [case.data for case in neighbors.neighbors(subjects, Subject("find", good=[good]))]
    formats = {data["path"][0]: data["has_format"] for data in cases if data["path"]}
    assert formats == {"url": True, "note": False}


def test_empty_list_alone() -> None:
    rule: Json = {"type": "object", "properties": {"open": {"type": "boolean"}, "all": {}}}
    good: dict[str, Json] = {"rule": {"open": True, "all": [1]}}
    assert {"all": []} in values_of(Subjects({"rule": rule}, []), good)["rule"]


def plan_of(subjects: Any, tool: str, good: dict[str, Json]) -> tuple[list[Json], set[str]]:
    """Return the calls with several other values, and the places with single values left."""
    called: list[Json] = []
    subjects.lab.is_good = lambda _tool, arguments: arguments in called
    cases: list[Case] = []
    for case in neighbors.neighbors(subjects, Subject(tool, good=[good])):
        cases.append(case)
        called.append(case.data["arguments"])
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


def test_shortest_and_longest_match_of_a_pattern() -> None:
    gate: Json = {"type": "string", "pattern": "^[A-D][0-9]{1,2}$"}
    values = values_of(Subjects({"gate": gate}, []), {"gate": "B7"})["gate"]
    assert {len(value) for value in values} == {2, 3}


@pytest.mark.parametrize(
    ("part", "value", "expected"),
    [
        ({"items": COLOR}, ["red"], COLOR["enum"]),
        ({"items": COLOR, "maxItems": 3}, ["red"], COLOR["enum"][:3]),
        ({"items": TEXT, "maxItems": 3}, ["one"], ["one", "o00", "o01"]),
    ],
)
def test_largest_set(part: Json, value: Json, expected: Json) -> None:
    colors: Json = {"type": "array", "uniqueItems": True, **part}
    assert expected in values_of(Subjects({"colors": colors}, []), {"colors": value})["colors"]


def test_longest_list_of_known_ids() -> None:
    ids: Json = {"type": "array", "items": TEXT, "uniqueItems": True, "maxItems": 3}
    subjects: Any = Subjects({"dog_ids": ids}, [])
    subjects.may_be_another = lambda *_: True
    dogs: Json = [{"dog_id": f"d{number}"} for number in range(5)]
    answer = Answer({"structuredContent": {"dogs": dogs}})
    subjects.lab.known_values.learn("list_dogs", {}, answer)
    assert ["d0", "d1", "d2"] in values_of(subjects, {"dog_ids": ["d4"]})["dog_ids"]


def test_equal_items_and_empty_alternatives() -> None:
    part: Json = {"type": "object", "properties": {"size": {"type": "integer"}}}
    every: Json = {"type": "object", "properties": {"all": {"type": "array", "items": {}}}}
    schema: Json = {"parts": {"type": "array", "items": part}, "rule": {"oneOf": [part, every]}}
    for node in (part, every):
        node |= {"required": [*node["properties"]], "additionalProperties": False}
    values = values_of(Subjects(schema, []), {"parts": [{"size": 1}], "rule": {"size": 2}})
    assert [{"size": 1}, {"size": 1}] in values["parts"]
    assert {"all": []} in values["rule"]
