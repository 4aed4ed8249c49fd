"""Shapes of results: they accept each sample, don't depend on its order, and contain no value."""

from __future__ import annotations

import json
import random
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.contract.observation import shape_format
from mcpgen.contract.observation.maps import without_names
from mcpgen.contract.observation.observe import schema
from mcpgen.contract.observation.shapes import (
    MOST_DEPTH,
    MOST_PLACES,
    Shape,
    limit_positions,
    merge,
    shape,
)
from mcpgen.jsontext import dumps
from mcpgen.schemas.validation import schemas


def merge_shapes(*answers: Any) -> Shape:
    return without_names(reduce(merge, map(shape, answers)))


def merged_schema(*answers: Any) -> dict[str, Any]:
    return schema(merge_shapes(*answers))


def members(*answers: Any) -> Any:
    return merged_schema(*answers)["properties"]


def admits(result: dict[str, Any], value: Any) -> bool:
    assert schemas.problem(result) is None
    return not list(schemas.validator(result).iter_errors(value))


NAMES = st.sampled_from(
    ["id", "note", "n", "rows", "a b", "2", "ab-12", "[]", "{}", "~0/1", "HOME"]
)
SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 2)
    | st.sampled_from(["", "x", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-01T00:00:00Z"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=7))
def test_no_sample_is_refused_by_its_own_schema(answers: list[Any]) -> None:
    result = merged_schema(*answers)
    assert all(admits(result, answer) for answer in answers)


@settings(max_examples=40)
@given(st.lists(VALUES, min_size=1, max_size=6), st.randoms())
def test_the_order_of_answers_changes_nothing(answers: list[Any], order: random.Random) -> None:
    other = answers[:]
    order.shuffle(other)
    first, two = reduce(merge, map(shape, answers)), reduce(merge, map(shape, other))
    assert dumps(schema(first)) == dumps(schema(two))
    assert dumps(shape_format.write(first)) == dumps(shape_format.write(two))


@settings(max_examples=25)
@given(VALUES, VALUES)
def test_merging_is_commutative(one: Any, other: Any) -> None:
    merged, back = merge(shape(one), shape(other)), merge(shape(other), shape(one))
    assert shape_format.write(merged) == shape_format.write(back)


@settings(max_examples=25)
@given(st.lists(VALUES, min_size=1, max_size=5))
def test_shape_statistics_round_trip(answers: list[Any]) -> None:
    result = merge_shapes(*answers)
    again = shape_format.read(json.loads(json.dumps(shape_format.write(result))))
    assert shape_format.write(again) == shape_format.write(result)
    assert schema(again) == schema(result)


@settings(max_examples=25)
@given(st.lists(VALUES, min_size=1, max_size=5))
def test_known_responses_still_widen_the_schema(answers: list[Any]) -> None:
    first = shape(answers[0])
    result = schema(reduce(merge, [first, *(shape(item, 0) for item in answers[1:])]), 1)
    assert all(admits(result, answer) for answer in answers)


def test_members_are_required_from_four_answers_on() -> None:
    pages = [{"rows": [{"id": n, "note": None if n == 2 else "x"}], "n": n} for n in range(4)]
    assert "required" not in merged_schema(*pages[:3])
    result = merged_schema(*pages)
    assert result["required"] == ["n", "rows"]
    rows = result["properties"]["rows"]["items"]
    assert rows["properties"]["note"] == {"type": ["string", "null"]}
    # A hundred rows of one answer are one witness.
    assert (
        "required"
        not in merged_schema({"rows": [{"id": n} for n in range(100)]})["properties"]["rows"][
            "items"
        ]
    )
    assert "required" not in merged_schema(*pages, {"other": 1})


def test_a_number_is_whole_if_all_are() -> None:
    assert members({"n": 1}, {"n": 2}) == {"n": {"type": "integer"}}
    assert members({"n": 1}, {"n": 2}, {"n": 0.5}) == {"n": {"type": "number"}}
    assert members({"n": True}) == {"n": {"type": "boolean"}}


def test_null_alone_says_nothing() -> None:
    assert members({"n": None}, {"n": None}) == {"n": {}}
    assert members({"n": None}, {"n": "x"}) == {"n": {"type": ["string", "null"]}}


def test_contradicted_single_response_has_no_type() -> None:
    cells = [{"cells": [cell]} for cell in (1, "x", 2)]
    assert members(*cells) == {"cells": {"type": "array"}}
    assert members(*cells, {"cells": ["y"]})["cells"]["items"] == {
        "anyOf": [{"type": "integer"}, {"type": "string"}]
    }
    # One answer with both shows that both are possible.
    assert members({"a": [1, "x"]}, {}, {})["a"]["items"] == {
        "anyOf": [{"type": "integer"}, {"type": "string"}]
    }


def test_format_needs_three_matching_strings() -> None:
    days = [{"at": f"2026-01-0{n}T00:00:00Z"} for n in (1, 2, 3)]
    assert members(*days)["at"] == {"type": "string", "format": "date-time"}
    assert members(*days[:2])["at"] == {"type": "string"}
    assert members(days[0], days[0], days[0])["at"] == {"type": "string"}
    assert members(*days, {"at": "yesterday"})["at"] == {"type": "string"}
    dates = [{"at": text} for text in ("2026-01-01", "2026-02-28", "2026-02-29")]
    assert members(*dates)["at"] == {"type": "string"}  # there is no such day


@pytest.mark.parametrize(
    "names",
    [
        ["src/a.py", "b.py"],
        ["1001", "1002"],
        ["ada@example.org", "bob@example.org"],
        ["2026-01-01", "2026-01-02"],
        ["ABC-123", "ABC-124"],
        ["A1", "B2"],
        ["0b1e5d4c9f3a", "deadbeef00"],
        ["First name", "Last name"],
        ["HOME", "PATH", "MY_TOKEN", "lang"],
    ],
)
def test_data_keys_are_not_stored(names: list[str]) -> None:
    result = merged_schema(dict.fromkeys(names, "x"))
    assert result == {"type": "object", "additionalProperties": {"type": "string"}}
    assert not any(
        name in json.dumps(shape_format.write(merge_shapes(dict.fromkeys(names, "x"))))
        for name in names
    )


@pytest.mark.parametrize(
    "names",
    [
        ["id", "name"],
        ["@type", "@id"],
        ["isOpen", "file_name"],
        [f"field{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"],
        ["x-rate", "y-rate"],
        ["sha256", "sha512", "md5"],
    ],
)
def test_names_of_members_are_kept(names: list[str]) -> None:
    assert list(merged_schema(dict.fromkeys(names, "x"))["properties"]) == sorted(names)


def test_constant_keys_are_property_names() -> None:
    assert "additionalProperties" in merged_schema({"p50": 1, "p95": 2})
    assert set(members(*[{"p50": n, "p95": n} for n in range(4)])) == {"p50", "p95"}


def test_rare_keys_of_equal_shapes_form_a_map() -> None:
    answers = [{f"user{letter}": {"n": 1}, f"host{letter}": {"n": 2}} for letter in "abcd"]
    result = merged_schema(*answers)
    assert result["additionalProperties"]["properties"] == {"n": {"type": "integer"}}
    assert "properties" not in result


def test_deep_or_large_values_are_bounded() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = {"deep": deep}
    result = merged_schema(deep, 1)
    assert admits(result, deep)
    assert len(shape_format.write(merge_shapes(deep))) == MOST_DEPTH + 2
    either: Any = 1
    for _ in range(60):  # as deep as a schema gets
        either = [either, {"a": either}] if _ % 20 == 0 else {"a": either}
    assert schemas.problem(merged_schema(either)) is None
    wide = {f"m{n}x": {"a": n, "b": [n]} for n in range(150)}
    many = {f"g{letter}": {**wide, letter: {"c": 1}} for letter in "abcdefghij"}
    small = limit_positions(reduce(merge, [shape({**many, "one": 1})]))
    assert len(shape_format.write(small)) <= MOST_PLACES
    assert admits(schema(small), many)
    table = {f"row{n}x": n for n in range(600)}
    assert merged_schema(table) == {"type": "object", "additionalProperties": {"type": "integer"}}
