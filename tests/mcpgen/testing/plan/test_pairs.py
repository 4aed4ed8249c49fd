"""Pairs of the values in a successful call."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

from planned_subjects import COLOR, TEXT, Subjects

from mcpgen.jsontext import Json
from mcpgen.testing.plan import pairs
from mcpgen.testing.plan.subjects import Subject


def untried_subjects(properties: Json, required: list[str]) -> Any:
    """Return the subjects of a tool for which no other call has worked yet."""
    subjects = Subjects(properties, required)
    subjects.lab.is_good = lambda _tool, _arguments: False
    return subjects


def test_pairs_with_absent_arguments() -> None:
    properties: Json = {"color": COLOR, "matt": {"type": "boolean"}, "name": TEXT}
    subjects: Any = untried_subjects(properties, ["color"])
    good: dict[str, Json] = {"color": "red", "matt": True, "name": "a"}
    rows = [case.data["arguments"] for case in pairs.rows(subjects, Subject("p", good=[good]))]
    matt_values: tuple[Json, ...] = (True, False, "absent")
    combined = {(row["color"], row.get("matt", "absent")) for row in rows}
    assert combined == {*product(COLOR["enum"], matt_values)}
    assert any("name" not in row for row in rows)
    assert any(not str(row.get("name", "")).isascii() for row in rows)


def test_pairs_of_refused_optional_arguments() -> None:
    properties: Json = {"name": TEXT, "matt": {"type": "boolean"}, "gloss": {"type": "boolean"}}
    subjects: Any = untried_subjects(properties, ["name"])
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


def test_equal_values() -> None:
    tooth: Json = {"type": "integer", "minimum": 9}
    subjects: Any = Subjects({"front": tooth, "back": tooth, "matt": {"type": "boolean"}}, [])
    good: dict[str, Json] = {"front": 42, "back": 11, "matt": True}
    cases = pairs.equal(subjects, Subject("gear", good=[good]))
    assert [case.data["arguments"] for case in cases] == [{**good, "back": 42}]


def test_text_in_a_list() -> None:
    cities: Json = {"type": "array", "items": TEXT}
    subjects: Any = Subjects({"to": TEXT, "stops": cities}, [])
    good: dict[str, Json] = {"to": "Porto", "stops": ["Nice"]}
    (case,) = pairs.equal(subjects, Subject("fly", good=[good]))
    assert case.data["arguments"] == {"to": "Porto", "stops": ["Porto"]}


def test_signs_with_each_option() -> None:
    match: Json = {"enum": ["part", "start", "word"]}
    subjects: Any = Subjects({"text": TEXT, "match": match, "limit": {"type": "integer"}}, [])
    good: dict[str, Json] = {"text": "a", "match": "part", "limit": 3}
    calls = [case.data["arguments"] for case in pairs.signs(subjects, Subject("f", good=[good]))]
    assert [call["match"] for call in calls] == ["word", "start"]
    assert all("(" in call["text"] and "'" in call["text"] for call in calls)


def test_rows_that_differ_most_come_first() -> None:
    copies: Json = {"type": "integer", "minimum": 1, "maximum": 5}
    subjects: Any = untried_subjects({"color": COLOR, "copies": copies}, ["color", "copies"])
    good: dict[str, Json] = {"color": "red", "copies": 3}
    rows = [case.data["arguments"] for case in pairs.rows(subjects, Subject("p", good=[good]))]
    differences = [sum(row[name] != good[name] for name in good) for row in rows]
    assert differences == sorted(differences, reverse=True)
    assert differences[0] == len(good)
