"""Numbers and booleans follow JSON Schema."""

from __future__ import annotations

import math
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field
from typed_values import accepts, alike, round_trip, types

BIG = 10**400


NUMBERS: list[Any] = [0, 1, -1, 2.0, 2.5, -0.0, 1e300, 2**53 + 1, 2**64, BIG, -BIG]


NO_NUMBERS: list[Any] = [True, False, "2", None, [], {}, math.nan]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("kind", ["Integer", "Number"])
def test_non_json_numbers_are_rejected(kind: str, value: object) -> None:
    assert not accepts(getattr(types, kind), value)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_a_number_beyond_doubles_is_one_and_no_integer(value: float) -> None:
    assert accepts(types.Number, value)
    assert not accepts(types.Integer, value)
    assert accepts(Annotated[float, Field(ge=0), types.Numeric()], value) == (value > 0)


@pytest.mark.parametrize("value", NUMBERS, ids=lambda v: f"{v!r:.20}")
def test_a_number_stays_the_number_it_was(value: Any) -> None:
    assert alike(round_trip(types.Number, value), value)
    assert type(round_trip(types.Number, value)) is type(value)


@pytest.mark.parametrize("value", NUMBERS, ids=lambda v: f"{v!r:.20}")
def test_integer_follows_json_schema(value: Any) -> None:
    assert accepts(types.Integer, value) == Draft202012Validator({"type": "integer"}).is_valid(
        value
    )


def test_integral_float_stays_a_float() -> None:
    assert type(round_trip(types.Integer, 2.0)) is float
    assert type(round_trip(types.Integer, 2)) is int


def test_only_true_and_false_are_booleans() -> None:
    assert [v for v in (True, False, 0, 1, "true", None, 1.0) if accepts(types.Boolean, v)] == [
        True,
        False,
    ]


BOUNDS: list[dict[str, Any]] = [
    {"minimum": 1},
    {"minimum": -1},
    {"exclusiveMinimum": 0},
    {"maximum": 2},
    {"exclusiveMaximum": 2},
    {"minimum": 2, "maximum": 2},
    {"minimum": 2**53 - 1},
    {"exclusiveMaximum": 2**53 - 1},
    {"minimum": 1 - 2**53, "maximum": -1},
]


FRACTIONS: list[dict[str, Any]] = [
    {"minimum": 0.5},
    {"minimum": -0.5},
    {"exclusiveMinimum": 0.5},
    {"exclusiveMinimum": -0.5},
    {"maximum": 1.5},
    {"maximum": -1.5},
    {"exclusiveMaximum": 1.5},
    {"exclusiveMaximum": -1.5},
    {"minimum": 2.0, "maximum": 2.0},
    {"minimum": 0.1, "exclusiveMaximum": 1e3},
]


FACETS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}


NEAR: list[Any] = [*NUMBERS, 0.5, 1.5, -0.5, -1.5, 2, 3, 2**53, 2**53 + 2, 0.1, 999.9, 1000]


# The generator rounds the bounds of an integer to whole numbers.
@pytest.mark.parametrize("bounds", BOUNDS, ids=repr)
def test_integer_bounds_equal_the_schemas(bounds: dict[str, Any]) -> None:
    typed = Annotated[int, _facets(bounds), types.Whole()]
    law = Draft202012Validator({"type": "integer", **bounds})
    assert [v for v in NEAR if accepts(typed, v)] == [v for v in NEAR if law.is_valid(v)]


@pytest.mark.parametrize("bounds", [*BOUNDS, *FRACTIONS], ids=repr)
def test_number_bounds_equal_the_schemas(bounds: dict[str, Any]) -> None:
    typed = Annotated[float, _facets(bounds), types.Numeric()]
    law = Draft202012Validator({"type": "number", **bounds})
    assert [v for v in NEAR if accepts(typed, v)] == [v for v in NEAR if law.is_valid(v)]


def _facets(bounds: dict[str, Any]) -> Any:
    return Field(**{FACETS[name]: bound for name, bound in bounds.items()})


@pytest.mark.parametrize("step", [1, 2, 5, 10])
def test_integers_are_multiples_of_a_whole_step(step: int) -> None:
    typed = Annotated[int, Field(multiple_of=step), types.Whole()]
    law = Draft202012Validator({"type": "integer", "multipleOf": step})
    for value in [*NEAR, 4, 4.0, 10, 20.0, -10]:
        if not isinstance(value, float) or abs(value) < 1e300:
            assert accepts(typed, value) == law.is_valid(value), value
