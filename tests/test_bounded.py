"""Values judged in bounded time, whatever a stranger's schema asks: by mcpgen, and in packages."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from mcpgen import law, places
from mcpgen.jsontext import Json

LEVELS = 40
Link = Callable[[Json], Json]


def chain(link: Link, end: Json) -> Json:
    """Return a schema whose definitions each lead to the next one, as often as ``link`` says."""
    links = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(LEVELS)}
    return {"$ref": "#/$defs/d0", "$defs": {**links, f"d{LEVELS}": end}}


def nested(levels: int, wrap: Link, inner: Json) -> Json:
    for _ in range(levels):
        inner = wrap(inner)
    return inner


def member(schema: Json) -> Json:
    return {"properties": {"a": schema}}


DEEP = nested(LEVELS, lambda value: {"a": value}, 1)
WRONG = nested(LEVELS, lambda value: {"a": value}, "x")
ITSELF: Json = {"$ref": "#"}
INTEGER: Json = {"type": "integer"}
TWICE: dict[str, Link] = {
    "allOf": lambda s: {"allOf": [s, s]},
    "anyOf": lambda s: {"anyOf": [s, s]},
    "oneOf": lambda s: {"oneOf": [s, {"allOf": [s, False]}]},
    "not": lambda s: {"not": {"not": s}, "if": s, "then": s},
    "members": lambda s: {"allOf": [member(s), member(s)]},
}
RECURSIVE: dict[str, Json] = {
    "members": {"type": ["object", "integer"], "allOf": [member(ITSELF), member(ITSELF)]},
    "any members": {"anyOf": [INTEGER, {"type": "object", "required": ["a"], **member(ITSELF)}]},
    "what was not evaluated": {
        "type": ["object", "integer"],
        "additionalProperties": ITSELF,
        "unevaluatedProperties": False,
    },
}


def judged(schema: Json, value: Any) -> bool:
    """Judge a value; a hundred times longer than is measured is too long on any machine."""
    started = time.process_time()
    verdict = law.Law(schema).allows(value)
    assert time.process_time() - started < 5
    return verdict


@pytest.mark.parametrize("way", TWICE)
def test_references_that_double_at_each_level_are_followed_once_for_a_value(way: str) -> None:
    schema = chain(TWICE[way], INTEGER)
    value, wrong = (DEEP, WRONG) if way == "members" else (1, "x")
    assert judged(schema, value)
    assert judged(schema, wrong) is False


@pytest.mark.parametrize("way", RECURSIVE)
def test_a_schema_that_refers_to_itself_twice_judges_a_deep_value(way: str) -> None:
    assert judged(RECURSIVE[way], DEEP)
    assert judged(RECURSIVE[way], WRONG) is False


ENDLESS: dict[str, Json] = {
    "itself": {"$ref": "#"},
    "all of itself": {"allOf": [{}, {"$ref": "#"}]},
    "two in turn": {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}},
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "required": ["a"],
    },
    "any of itself": {"anyOf": [{"type": "boolean"}, ITSELF]},
    "what leads to itself": {"$dynamicAnchor": "n", "$dynamicRef": "#n"},
    "what leads to its root": {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "if": {"$recursiveRef": "#"},
        "then": {"unevaluatedProperties": False},
    },
}


@pytest.mark.parametrize("way", ENDLESS)
def test_of_what_is_defined_as_itself_nothing_is_said(way: str) -> None:
    assert law.problem(ENDLESS[way]) is None
    assert judged(ENDLESS[way], DEEP)
    beside = {"$defs": {"x": {"$ref": "#/$defs/x"}}, "maxProperties": 0, "$ref": "#/$defs/x"}
    assert judged(beside, {})
    assert judged(beside, DEEP) is False


@pytest.mark.parametrize("way", ["itself", "all of itself", "two in turn"])
def test_what_was_not_evaluated_cannot_be_asked_of_what_is_defined_as_itself(way: str) -> None:
    problem = law.problem({"unevaluatedProperties": False, **ENDLESS[way]})
    assert problem is not None
    assert "defined as itself" in problem.reason


@pytest.mark.parametrize("target", [None, "x", 1, []])
def test_a_reference_leads_to_a_schema(target: Json) -> None:
    for more in ({}, {"$id": "http://example.org/a"}):
        problem = law.problem({"$ref": "#/default", "default": target, **more})
        assert problem is not None
        assert problem.pointer == "/$ref"
    assert (
        law.problem({"$ref": "#/default", "default": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}})
        is None
    )


def test_a_value_that_is_too_deep_is_refused_before_anything_breaks() -> None:
    checked = law.Law({"anyOf": [INTEGER, member(ITSELF)]})
    assert checked.allows(nested(60, lambda value: {"a": value}, 1))
    for levels in range(60, 900, 7):
        with contextlib.suppress(RecursionError):
            assert checked.allows(nested(levels, lambda value: {"a": value}, 1))
    with pytest.raises(RecursionError):
        checked.allows(nested(900, lambda value: {"a": value}, 1))


def test_what_is_wrong_is_said_where_it_is_however_often_it_is_found() -> None:
    schema = {
        "$defs": {"i": INTEGER},
        "items": {"$ref": "#/$defs/i"},
        "allOf": [{"$ref": "#/$defs/t"}],
    }
    schema["$defs"]["t"] = {"items": {"$ref": "#/$defs/i"}}
    wrong = "x"
    found = law.Law(schema).errors([1, wrong, 2, wrong])
    assert [places.pointer(error.absolute_path) for error in found] == ["/1", "/3", "/1", "/3"]
    assert {error.message for error in found} == {"'x' is not of type 'integer'"}


def test_of_dynamic_references_without_end_nothing_is_said() -> None:
    links = {
        f"d{i}": {"$dynamicAnchor": f"d{i}", "allOf": [{"$dynamicRef": f"#d{i + 1}"}] * 2}
        for i in range(LEVELS)
    }
    end = {"$dynamicAnchor": f"d{LEVELS}", "type": "integer"}
    schema = {"$dynamicRef": "#d0", "$defs": {**links, "end": end}}
    assert judged(schema, 1)
    assert judged({**schema, "maximum": 5}, 6) is False


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
        {
            "allOf": [{"patternProperties": {"^(a|a)*$": {}}}],
            "unevaluatedProperties": False,
        },
        nested(
            60,
            lambda s: {"anyOf": [member(s)], "unevaluatedProperties": False},
            {"type": "integer"},
        ),
    ],
)
def test_what_was_not_evaluated_takes_no_longer_either(schema: Json) -> None:
    assert judged(schema, {"a" * 5_000 + "!": 1}) in (True, False)
    assert judged(schema, nested(60, lambda value: {"a": value}, 1))


def test_members_that_were_not_evaluated_are_found_where_that_is_quick() -> None:
    schema = {"patternProperties": {"^x-": {}}, "unevaluatedProperties": False}
    assert judged(schema, {"x-a": 1})
    assert judged(schema, {"a": 1}) is False
