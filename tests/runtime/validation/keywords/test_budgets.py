"""Validation takes bounded time for any schema, both in mcpgen and in generated packages."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from guards import ending

from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas

LEVELS = 40
Link = Callable[[Json], Json]


def chain(link: Link, end: Json) -> Json:
    """Return a schema whose definitions each refer to the next one, as `link` builds them."""
    links = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(LEVELS)}
    return {"$ref": "#/$defs/d0", "$defs": {**links, f"d{LEVELS}": end}}


def nest(levels: int, wrap: Link, inner: Json) -> Json:
    for _ in range(levels):
        inner = wrap(inner)
    return inner


def member(schema: Json) -> Json:
    return {"properties": {"a": schema}}


DEEP = nest(LEVELS, lambda value: {"a": value}, 1)
WRONG = nest(LEVELS, lambda value: {"a": value}, "x")
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
    with ending():
        return schemas.SchemaValidator(schema).allows(value)


@pytest.mark.parametrize("way", TWICE)
def test_doubling_references_are_followed_once_per_value(way: str) -> None:
    schema = chain(TWICE[way], INTEGER)
    value, wrong = (DEEP, WRONG) if way == "members" else (1, "x")
    assert judged(schema, value)
    assert judged(schema, wrong) is False


@pytest.mark.parametrize("way", RECURSIVE)
def test_doubly_recursive_schema_validates_a_deep_value(way: str) -> None:
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
def test_self_defined_schema_accepts_everything(way: str) -> None:
    assert schemas.problem(ENDLESS[way]) is None
    assert judged(ENDLESS[way], DEEP)
    beside = {"$defs": {"x": {"$ref": "#/$defs/x"}}, "maxProperties": 0, "$ref": "#/$defs/x"}
    assert judged(beside, {})
    assert judged(beside, DEEP) is False


@pytest.mark.parametrize("way", ["itself", "all of itself", "two in turn"])
def test_unevaluated_keyword_on_self_defined_schema_is_a_problem(way: str) -> None:
    problem = schemas.problem({"unevaluatedProperties": False, **ENDLESS[way]})
    assert problem is not None
    assert "defined as itself" in problem.reason


@pytest.mark.parametrize("target", [None, "x", 1, []])
def test_a_reference_leads_to_a_schema(target: Json) -> None:
    for more in ({}, {"$id": "http://example.org/a"}):
        problem = schemas.problem({"$ref": "#/default", "default": target, **more})
        assert problem is not None
        assert problem.pointer == "/$ref"
    assert (
        schemas.problem({"$ref": "#/default", "default": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}})
        is None
    )


@pytest.mark.slow
def test_too_deep_value_is_rejected_safely() -> None:
    checked = schemas.SchemaValidator({"anyOf": [INTEGER, member(ITSELF)]})
    assert checked.allows(nest(60, lambda value: {"a": value}, 1))
    for levels in range(60, 900, 7):
        with contextlib.suppress(RecursionError):
            assert checked.allows(nest(levels, lambda value: {"a": value}, 1))
    with pytest.raises(RecursionError):
        checked.allows(nest(900, lambda value: {"a": value}, 1))


def test_repeated_problem_is_reported_at_its_pointer() -> None:
    schema = {
        "$defs": {"i": INTEGER},
        "items": {"$ref": "#/$defs/i"},
        "allOf": [{"$ref": "#/$defs/t"}],
    }
    schema["$defs"]["t"] = {"items": {"$ref": "#/$defs/i"}}
    wrong = "x"
    validation_errors = schemas.SchemaValidator(schema).errors([1, wrong, 2, wrong])
    assert [pointer(error.absolute_path) for error in validation_errors] == ["/1", "/3", "/1", "/3"]
    assert {error.message for error in validation_errors} == {"'x' is not of type 'integer'"}


@pytest.mark.slow
def test_endless_dynamic_references_accept_everything() -> None:
    links = {
        f"d{i}": {"$dynamicAnchor": f"d{i}", "allOf": [{"$dynamicRef": f"#d{i + 1}"}] * 2}
        for i in range(LEVELS)
    }
    end = {"$dynamicAnchor": f"d{LEVELS}", "type": "integer"}
    schema = {"$dynamicRef": "#d0", "$defs": {**links, "end": end}}
    assert schemas.SchemaValidator(schema).allows(1)
    assert schemas.SchemaValidator({**schema, "maximum": 5}).allows(6) is False


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
        {
            "allOf": [{"patternProperties": {"^(a|a)*$": {}}}],
            "unevaluatedProperties": False,
        },
        nest(
            60,
            lambda s: {"anyOf": [member(s)], "unevaluatedProperties": False},
            {"type": "integer"},
        ),
    ],
)
def test_unevaluated_keywords_take_bounded_time(schema: Json) -> None:
    assert judged(schema, {"a" * 5_000 + "!": 1}) in (True, False)
    assert judged(schema, nest(60, lambda value: {"a": value}, 1))


def test_cheap_unevaluated_properties_are_found() -> None:
    schema = {"patternProperties": {"^x-": {}}, "unevaluatedProperties": False}
    assert judged(schema, {"x-a": 1})
    assert judged(schema, {"a": 1}) is False


OLD = "http://json-schema.org/draft-07/schema#"
NEW = "https://json-schema.org/draft/2019-09/schema"
TEXTS: Json = {"type": "string"}

# Schemas with accepted and rejected values.
EXACT: dict[str, tuple[Json, list[Json], list[Json]]] = {
    "additional members were evaluated": (
        {"$schema": NEW, "additionalProperties": TEXTS, "unevaluatedProperties": False},
        [{"foo": "foo"}, {}],
        [{"foo": 1}],
    ),
    "so were those of any unevaluated part": (
        {"$schema": NEW, "allOf": [{"unevaluatedProperties": {}}], "unevaluatedProperties": False},
        [{"foo": "foo"}],
        [],
    ),
    "items of one schema, which is true": (
        {"$schema": NEW, "items": True, "unevaluatedItems": False},
        [[1], []],
        [],
    ),
    "what contains found is not evaluated in 2019-09": (
        {"$schema": NEW, "contains": {"const": 1}, "unevaluatedItems": False},
        [],
        [[1]],
    ),
    "and is since 2020-12": (
        {"contains": {"const": 1}, "unevaluatedItems": False},
        [[1], [1, 1]],
        [[1, 2]],
    ),
    "items that were not evaluated have a schema": (
        {"$schema": NEW, "items": [{}], "unevaluatedItems": TEXTS},
        [[1, "a"]],
        [[1, 2]],
    ),
    "a dependent schema counts where it is asked": (
        {
            "dependentSchemas": {"a": {"properties": {"b": {}}}},
            "properties": {"a": {}},
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1}],
        [{"b": 1}],
    ),
    "patterns are those of ECMA-262": (
        {"patternProperties": {r"^\W$": {}}, "unevaluatedProperties": False},
        [{"\u00e9": 1}],
        [{"a": 1}],
    ),
    "multiples are of decimal numbers": (
        {"multipleOf": 0.1},
        [0.3, 0.7, 1, 19.9, 1e300, 10**30],
        [0.35, 1e-7],
    ),
    "multiples of a tiny number": ({"multipleOf": 1e-8}, [12391239123, 1.00000001], [1e-9]),
    "one is not true": (
        {"uniqueItems": True},
        [[1, True], [[1], [True]], [{"a": 0}, {"a": False}]],
        [],
    ),
    "one is one": ({"uniqueItems": True}, [[1, "1"]], [[1, 1.0], [{"a": [1]}, {"a": [1.0]}]]),
    "a list is no truth": ({"uniqueItems": True}, [[True, [1], [True], ["truth", True]]], []),
    "there are no additional items where items is no list": (
        {"$schema": OLD, "items": True, "additionalItems": False},
        [[1, 2]],
        [],
    ),
    "a part has the address that it gives itself": (
        {
            "$id": "http://example.org/a/",
            "if": {"$id": "b/", "$ref": "c"},
            "then": False,
            "$defs": {"c": {"$id": "http://example.org/a/b/c", "const": 1}},
        },
        [2],
        [1],
    ),
    "and so in not and contains": (
        {
            "$id": "http://example.org/a/",
            "not": {"$id": "b/", "$ref": "c"},
            "contains": {"$id": "b/", "$ref": "c"},
            "$defs": {"c": {"$id": "http://example.org/a/b/c", "const": 1}},
        },
        [2, [1]],
        [1, [2]],
    ),
}


@pytest.mark.parametrize("what", EXACT)
def test_verdicts_follow_the_dialect(what: str) -> None:
    schema, allowed, forbidden = EXACT[what]
    assert schemas.problem(schema) is None
    for value in (*allowed, *forbidden):
        assert judged(schema, value) is (value in allowed), value


def test_subschema_with_its_own_dialect_is_bounded() -> None:
    inner = {"$schema": OLD, "$id": "http://example.org/b", "type": "string", "pattern": "^(a+)+$"}
    assert judged({"properties": {"a": inner}}, {"a": "a" * 100 + "!"}) is False
    by_name = {"$schema": OLD, "$id": "http://example.org/b", "patternProperties": {r"^\W$": False}}
    assert judged({"properties": {"a": by_name}}, {"a": {"\u00e9": 1}}) is False


def test_unique_objects_are_compared_in_linear_time() -> None:
    many = [{"a": number} for number in range(5_000)]
    assert judged({"uniqueItems": True}, many)
    assert judged({"uniqueItems": True}, [*many, {"a": 4_999.0}]) is False


def test_many_slow_patterns_share_the_time_of_one_value() -> None:
    slow = {f"^(?=a)(a|aa)+{number}$": {} for number in range(50)}
    assert judged({"patternProperties": slow}, {"a" * 2_000: 1})
