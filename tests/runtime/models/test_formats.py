"""The types in the runtime of generated packages preserve JSON."""

from __future__ import annotations

import copy
import json
import math
import pickle
from datetime import date, datetime, timedelta, timezone
from typing import Annotated, Any
from uuid import UUID

import mcpgen_runtime
import pytest
from jsonschema import Draft202012Validator
from mcpgen_runtime import models
from mcpgen_runtime.models import raw
from pydantic import AnyUrl, Field, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from runtime.packages import import_client, package, part

from mcpgen.codegen.plan import Style
from runtime import contracts

types = models
BIG = 10**400


def accepts(kind: Any, value: object) -> bool:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def round_trip(kind: Any, value: object) -> object:
    """Parse and dump a value."""
    adapter = TypeAdapter(kind)
    parsed = adapter.validate_python(value, by_alias=True, by_name=False)
    return adapter.dump_python(parsed, mode="json", by_alias=True, exclude_unset=True)


def alike(first: object, other: object) -> bool:
    """Compare as JSON text does: 2 is not 2.0."""
    return json.dumps(first, sort_keys=True) == json.dumps(other, sort_keys=True)


# Numbers

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


# Members that may be absent, and values that cannot be


def test_absent_property_differs_from_null() -> None:
    typed: Any = package().OrderOutput
    item = {"id": "A", "price": 1}
    assert TypeAdapter(typed).validate_python({"item": item}).from_ is None
    assert not accepts(typed, {"item": item, "from": None})
    assert not accepts(types.Maybe[int], None)


def test_nullable_property_accepts_null() -> None:
    assert round_trip(package().OrderOutput, {"item": {"id": "A", "price": 1, "note": None}})


@pytest.mark.parametrize("value", [None, 1, "a", [], {}, {"canary": 1}], ids=repr)
def test_nothing_type_accepts_no_value(value: object) -> None:
    assert not accepts(types.Nothing, value)


def test_refusing_a_value_does_not_repeat_it() -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(types.Nothing).validate_python({"canary-5ecret": 1})
    errors = refused.value.errors(include_url=False, include_input=False, include_context=False)
    assert "5ecret" not in str(errors)


# Formats

FORMATS = {
    "DateOrText": (
        date,
        ["2026-11-21"],
        ["2026-11-21T00:00:00", "21.11.2026", "1", "", "2026-1-1"],
    ),
    "DateTimeOrText": (
        datetime,
        ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00.120000Z"],
        ["2026-11-21 10:00", "2026-11-21", "1700000000", "2026-11-21t10:00:00z", "now", ""],
    ),
    "UuidOrText": (
        UUID,
        ["0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11"],
        ["0B8E2D1C-7F7E-4D53-9A53-0D1A3C1F3C11", "{0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11}", "x", ""],
    ),
    "Uri": (
        AnyUrl,
        ["https://example.org/", "urn:isbn:0451450523"],
        ["https://example.org", "HTTPS://EXAMPLE.org/", "/here", "not one", "", "http://["],
    ),
}


@pytest.mark.parametrize("kind", FORMATS)
def test_string_is_parsed_only_if_dumping_restores_it(kind: str) -> None:
    python, faithful, other = FORMATS[kind]
    for text in faithful:
        assert isinstance(TypeAdapter(getattr(types, kind)).validate_python(text), python)
    for text in other:
        assert TypeAdapter(getattr(types, kind)).validate_python(text) == text
    for text in (*faithful, *other):
        for around in (getattr(types, kind), getattr(types, kind) | None):
            assert round_trip(around, text) == text
            assert round_trip(list[around], [text, text]) == [text, text]
            assert round_trip(dict[str, around], {text: text}) == {text: text}


PARSED = {
    "2026-11-21T10:00:00Z": datetime(2026, 11, 21, 10, tzinfo=timezone.utc),
    "2026-11-21T10:00:00.000Z": datetime(2026, 11, 21, 10, tzinfo=timezone.utc),
    "2026-11-21T10:00:00+00:00": datetime(2026, 11, 21, 10, tzinfo=timezone.utc),
    "2026-11-21t10:00:00.5z": datetime(2026, 11, 21, 10, 0, 0, 500_000, timezone.utc),
    "2026-11-21T10:00:00.123456789Z": datetime(2026, 11, 21, 10, 0, 0, 123_457, timezone.utc),
    "2026-11-21T10:00:00.9999999Z": datetime(2026, 11, 21, 10, 0, 1, tzinfo=timezone.utc),
    "2026-12-31T23:59:60Z": datetime(2027, 1, 1, tzinfo=timezone.utc),
    "2026-11-21 10:00:00": datetime(2026, 11, 21, 10),  # noqa: DTZ001 - it has no offset
    "2026-11-21 10:00": datetime(2026, 11, 21, 10),  # noqa: DTZ001 - it has no offset
    "2026-11-21T10:00:00-0530": datetime(
        2026, 11, 21, 10, tzinfo=timezone(-timedelta(hours=5, minutes=30))
    ),
    "2026-11-21T10:00:00+02": datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=2))),
}


@pytest.mark.parametrize(("text", "moment"), PARSED.items())
def test_date_time_of_a_result_dumps_its_original_text(text: str, moment: datetime) -> None:
    adapter: TypeAdapter[datetime] = TypeAdapter(types.DateTime)
    parsed = adapter.validate_python(text)
    assert isinstance(parsed, datetime)
    assert parsed == moment
    assert parsed.tzinfo == moment.tzinfo
    for item in (parsed, copy.copy(parsed), copy.deepcopy(parsed)):
        assert adapter.dump_python(item, mode="json") == text
        assert mcpgen_runtime.raw_json(item) == text
    assert pickle.loads(pickle.dumps(parsed)) == moment
    later = parsed + timedelta(days=1)
    assert adapter.dump_python(later, mode="json") == to_jsonable_python(moment + timedelta(days=1))
    assert round_trip(list[types.DateTime | None], [text, None]) == [text, None]


@pytest.mark.parametrize(
    "text",
    "|now|2026-11-21|0000-01-01T00:00:00Z|2026-13-01T00:00:00Z|1700000000|9999-12-31T23:59:60Z"
    "|2026-11-21T10:00:61Z|2026-11-21T10:00:00+25:00|٢٠٢٦-11-21T10:00:00Z"
    "|2026-11-21T10:00:00Z ".split("|"),
)
def test_invalid_date_time_string_is_rejected(text: str) -> None:
    assert not accepts(types.DateTime, text)
    assert round_trip(types.DateTime | str, text) == text


def test_date_and_uuid_of_results_dump_their_text() -> None:
    assert TypeAdapter(types.Date).validate_python("2026-11-21") == date(2026, 11, 21)
    for text in ("2026-11-21T00:00:00", "21.11.2026", "2026-1-1", "0000-01-01", ""):
        assert not accepts(types.Date, text)
    for text in ("0B8E2D1C-7F7E-4D53-9A53-0D1A3C1F3C11", "0b8e2d1c7f7e4d539a530d1a3c1f3c11"):
        parsed = TypeAdapter(types.Uuid).validate_python(text)
        assert parsed == UUID(text)
        assert pickle.loads(pickle.dumps(parsed)) == UUID(text)
        assert round_trip(types.Uuid, text) == text
    assert not accepts(types.Uuid, "x")


@pytest.mark.parametrize("kind", [*FORMATS, "Date", "DateTime", "Uuid"])
@pytest.mark.parametrize("value", [1, 1.5, None, True, b"2026-11-21", [], {}], ids=repr)
def test_a_format_is_of_texts_alone(kind: str, value: object) -> None:
    assert not accepts(getattr(types, kind), value)
    assert accepts(getattr(types, kind) | None, value) == (value is None)
    assert accepts(getattr(types, kind) | list[str], value) == (value == [])


def test_python_values_of_a_format_can_be_given() -> None:
    arguments = {
        "Date": date(2026, 11, 21),
        "DateTime": datetime(2026, 11, 21, 10, tzinfo=timezone.utc),
        "Uuid": UUID("0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11"),
        "Uri": AnyUrl("https://example.org/"),
    }
    for kind, value in arguments.items():
        formatted = FORMATS.get(kind) or FORMATS[f"{kind}OrText"]
        assert round_trip(getattr(types, kind), value) == formatted[1][0]


def test_a_date_is_not_taken_for_a_time() -> None:
    assert not accepts(types.Date, datetime(2026, 11, 21, tzinfo=timezone.utc))
    assert not accepts(types.DateTime, date(2026, 11, 21))


OBJECTS: list[Style] = ["dataclass", "basemodel"]

# Objects: unknown members, and the JSON that a result was made of

WHOLE: dict[str, Any] = {
    "item": {
        "id": "A",
        "price": 2,
        "made-on": "2026-11-21",
        "parts": [{"id": "B", "price": 2.0, "note": "n", "x-vendor": {"a": [1, None]}}],
        "unknown": None,
        "note": None,
    },
    "due": {"any": ["thing", 1.0]},
    "further": [1, 2],
}


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_members_are_kept_at_every_depth(style: Style) -> None:
    assert alike(round_trip(package(style).OrderOutput, WHOLE), WHOLE)


@pytest.mark.parametrize("style", OBJECTS)
def test_absent_non_nullable_property_is_not_written(style: Style) -> None:
    payload = {"item": {"id": "A", "price": 1, "note": None}, "due": None}
    assert round_trip(package(style).OrderOutput, payload) == payload


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_members_survive_copies(style: Style) -> None:
    typed = TypeAdapter(package(style).OrderOutput)
    value = typed.validate_python(WHOLE, by_alias=True, by_name=False)
    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert again == value
        assert typed.dump_python(again, mode="json", by_alias=True, exclude_unset=True) == WHOLE
        assert package(style).extras(again) == {"further": [1, 2]}
        assert package(style).extras(again.item.parts[0]) == {"x-vendor": {"a": [1, None]}}


@pytest.mark.parametrize("style", OBJECTS)
def test_objects_with_other_unknown_members_differ(style: Style) -> None:
    typed = TypeAdapter(package(style).OrderOutput)
    first = typed.validate_python({**WHOLE, "further": [1, 2, 3]}, by_alias=True)
    other = typed.validate_python(WHOLE, by_alias=True)
    assert first != other
    assert first == typed.validate_python({**WHOLE, "further": [1, 2, 3]}, by_alias=True)


@pytest.mark.parametrize("style", OBJECTS)
def test_a_closed_object_refuses_unknown_members(style: Style) -> None:
    assert accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1}})
    assert not accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1}, "more": 1})
    assert not accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1, "more": 1}})


HOSTILE = """
__class__ __dict__ __slots__ __init__ __eq__ __repr__ __hash__ __getattribute__ __reduce_ex__
__deepcopy__ __copy__ __pydantic_serializer__ __pydantic_validator__ __pydantic_fields__
__pydantic_core_schema__ __pydantic_decorators__ __pydantic_config__ __pydantic_complete__
__pydantic_extra__ __pydantic_fields_set__ __pydantic_private__ __pydantic_post_init__
__post_init__ __dataclass_fields__ __dataclass_params__ __match_args__ __setattr__ __weakref__
__getstate__ __setstate__ __iter__ __len__ __bool__ __str__ _raw _extras
_drop_absent __pydantic_validator__ __signature__
self cls made_on model_extra model_fields model_config model_dump item_ from_ extras a.b 1 $ref
"""


def _harm(style: Style, name: str, member: Any) -> object:
    """Return the effect of an unknown property with that name, or None without an effect."""
    kind = package(style).OrderOutput
    payload = {
        "item": {"id": "A", "price": 1, "note": None, name: member},
        "due": None,
        name: member,
    }
    typed = TypeAdapter(kind)
    value = typed.validate_python(payload, by_alias=True, by_name=False)
    raw.remember(value, payload)
    assert type(value) is kind
    assert value == value  # noqa: PLR0124 - its own comparison is tested
    assert repr(value).startswith("OrderOutput(item=FindOutputItem(id='A'")
    assert (value.from_, value.due, value.item.note) == (None, None, None)
    assert mcpgen_runtime.raw_json(value) == payload
    assert mcpgen_runtime.extras(value) == {name: member}
    assert mcpgen_runtime.extras(value.item) == {name: member}
    for same in (value, copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(same) is kind
        assert same == value
        dumped = typed.dump_python(same, mode="json", by_alias=True, exclude_unset=True)
        assert mcpgen_runtime.raw_json(same) == payload
        assert dumped == payload
        text = typed.dump_json(same, by_alias=True, exclude_unset=True)
        assert alike(json.loads(text), dumped)


@pytest.mark.parametrize("style", OBJECTS)
def test_no_name_of_an_unknown_member_does_harm(style: Style) -> None:
    harmful: dict[str, object] = {}
    for name in (*HOSTILE.split(), "", " ", "\u202e", "\x00"):
        for member in ("text", {"a": 1}, None, 7):
            try:
                _harm(style, name, member)
            except Exception as error:
                harmful[name] = error
    assert not harmful


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_property_named_like_a_field_stays_separate(style: Style) -> None:
    payload = {"item": {"id": "A", "price": 1}, "from_": "unknown", "from": "known"}
    typed = TypeAdapter(package(style).OrderOutput)
    value = typed.validate_python(payload, by_alias=True, by_name=False)
    assert value.from_ == "known"
    assert package(style).extras(value) == {"from_": "unknown"}


@pytest.mark.parametrize("style", OBJECTS)
def test_constructor_accepts_field_wire_and_unknown_names(style: Style) -> None:
    kind = part(package(style), "models.order").OrderInputItem
    result = kind(id="A", price=1, made_on="2026-11-21", **{"x-vendor": 1})
    assert result == kind(**{"id": "A", "price": 1, "made-on": "2026-11-21", "x-vendor": 1})
    assert result.made_on == date(2026, 11, 21)
    assert package(style).extras(result) == {"x-vendor": 1}
    assert to_jsonable_python(result, by_alias=True) == {
        "id": "A",
        "price": 1,
        "made-on": "2026-11-21",
        "x-vendor": 1,
    }


def test_nested_objects_accept_only_wire_names() -> None:
    kind = part(package(), "models.order").OrderOutput
    payload = {"id": "A", "price": 1, "made_on": "2026-11-21"}
    result = kind(item=payload, from_="f", **{"from": "g"})
    assert result.from_ == "g"
    assert package().extras(result) == {}
    assert package().extras(result.item) == {"made_on": "2026-11-21"}
    assert TypeAdapter(kind).validate_python({"item": payload, "from_": "f"}).from_ is None


def test_assigned_fields_are_written_and_unset_ones_are_not() -> None:
    result = part(package(), "models.order").OrderOutputItem(id="A", price=1)
    adapter = TypeAdapter(type(result))
    assert adapter.dump_python(result, by_alias=True, exclude_unset=True) == {"id": "A", "price": 1}
    result.note = "n"
    assert adapter.dump_python(result, by_alias=True, exclude_unset=True)["note"] == "n"


def test_recursive_class_can_be_used_before_parsing() -> None:
    fresh = import_client(contracts.SHOP, "fresh_shop")
    kind = part(fresh, "models.order").OrderOutputItem
    inner = kind(id="B", price=2, **{"x-vendor": 1})
    result = kind(id="A", price=1, parts=[inner])
    assert result.parts[0] is inner
    assert to_jsonable_python(result, by_alias=True)["parts"] == [
        {"id": "B", "price": 2, "x-vendor": 1}
    ]


def test_unknown_members_are_read_by_extras_alone() -> None:
    with pytest.raises(TypeError, match="isn't an object of this package"):
        mcpgen_runtime.extras({"a": 1})
    with pytest.raises(TypeError, match="isn't an object of this package"):
        mcpgen_runtime.extras(package().OrderOutput)


def test_the_json_of_a_result_is_at_hand() -> None:
    value = TypeAdapter(package().OrderOutput).validate_python(WHOLE, by_alias=True)
    raw.remember(value, WHOLE)
    assert mcpgen_runtime.raw_json(value) is WHOLE
    assert mcpgen_runtime.raw_json(value.item) is WHOLE["item"]
    assert mcpgen_runtime.raw_json(value.item.parts) == WHOLE["item"]["parts"]
    assert mcpgen_runtime.raw_json(value.item.parts[0]) is WHOLE["item"]["parts"][0]
    assert mcpgen_runtime.raw_json(copy.deepcopy(value)) == WHOLE
    assert mcpgen_runtime.raw_json(pickle.loads(pickle.dumps(value))) == WHOLE


def test_raw_json_of_containers_holds_raw_items() -> None:
    items = [{"id": "A", "price": 1}, {"id": "B", "price": 2.0, "x": 1}]
    kind = package().OrderOutputItem if hasattr(package(), "OrderOutputItem") else None
    kind = kind or part(package(), "models.order").OrderOutputItem
    values = TypeAdapter(list[kind]).validate_python(items)
    raw.remember(values, items)
    assert alike(mcpgen_runtime.raw_json(values), items)
    assert alike(mcpgen_runtime.raw_json(values[1]), items[1])
    by_name = {"b": values[1]}
    assert alike(mcpgen_runtime.raw_json(by_name), {"b": items[1]})
    assert mcpgen_runtime.raw_json([1, "a", None, date(2026, 1, 1)]) == [1, "a", None, "2026-01-01"]


def test_raw_json_of_a_constructed_object_is_its_content() -> None:
    item = part(package(), "models.order").OrderOutputItem(id="A", price=1)
    assert mcpgen_runtime.raw_json(item) == {"id": "A", "price": 1}
    assert mcpgen_runtime.raw_json([item])[0]["id"] == "A"


def test_a_recursive_type_reads_as_deep_as_json_goes() -> None:
    payload: Any = {"id": "leaf", "price": 1, "note": "n"}
    for _ in range(50):
        payload = {"id": "node", "price": 1, "note": "n", "parts": [payload], "x": 1}
    assert round_trip(package().OrderOutput, {"item": payload, "due": 1}) == {
        "item": payload,
        "due": 1,
    }
