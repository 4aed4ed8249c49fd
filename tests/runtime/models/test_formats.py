"""The types in the runtime of generated packages preserve JSON."""

from __future__ import annotations

import copy
import pickle
from datetime import date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import mcpgen_runtime
import pytest
from pydantic import AnyUrl, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from runtime.packages import package
from typed_values import accepts, round_trip, types


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


def test_a_recursive_type_reads_as_deep_as_json_goes() -> None:
    payload: Any = {"id": "leaf", "price": 1, "note": "n"}
    for _ in range(50):
        payload = {"id": "node", "price": 1, "note": "n", "parts": [payload], "x": 1}
    assert round_trip(package().OrderOutput, {"item": payload, "due": 1}) == {
        "item": payload,
        "due": 1,
    }
