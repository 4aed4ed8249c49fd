from __future__ import annotations

from typing import Any

import pytest
from tested import run_of

from mcpgen.jsontext import Json, canonical
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.arguments.fresh_arguments import Renewal
from mcpgen.testing.arguments.values import Schema


def schema_of(**properties: Any) -> Schema:
    return Schema({"type": "object", "properties": properties})


@pytest.mark.parametrize(
    ("text", "part", "is_kept"),
    [
        ("B-12", {"pattern": "^[A-Z]-[0-9]{2}$"}, "-"),
        ("ada@example.org", {"format": "email"}, "@example.org"),
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", {"format": "uuid"}, "-"),
    ],
)
def test_fresh_string_keeps_its_format(text: str, part: dict[str, Any], is_kept: str) -> None:
    schema = schema_of(it={"type": "string", **part})
    texts = {
        renewed["it"]
        for number in range(8)
        if (
            renewed := fresh_arguments.renew_argument(
                schema, {"it": text, "other": 1}, "it", number
            )
        )
        and renewed["other"] == 1
    }
    assert len(texts) > 4
    assert text not in texts
    assert all(is_kept in item and len(item) == len(text) for item in texts)


def test_sensitive_and_fixed_arguments_stay_unchanged() -> None:
    string = {"type": "string"}
    members = {"name": string, "password": string, "path": string, "order": {"enum": ["title"]}}
    arguments = dict.fromkeys(members, "title") | {"limit": 3, "empty": ""}
    assert fresh_arguments.names(schema_of(**members), arguments) == ["name"]


@pytest.mark.slow
def test_tool_creating_missing_items_is_found() -> None:
    with run_of("creates", named=("get_book",), judges=("C401",)) as run:
        run.explore()
    (failure,) = run.failures.values()
    assert failure.verdict.judge == "C401"
    assert (failure.case.check, failure.case.name) == ("writes-once", "get_book")


DAY: dict[str, Any] = {"type": "string", "format": "date"}
ROOM: dict[str, Any] = {"enum": ["r1", "r2", "r3"]}
BOOKING: dict[str, Any] = {"day": "2027-06-01", "room": "r1"}


def test_only_taken_values_are_renewed() -> None:
    renewal, schema = Renewal("day", days=7), schema_of(day=DAY, room=ROOM)
    assert renewal.renew(schema, BOOKING) == BOOKING
    renewal.note(BOOKING, has_worked=True)
    assert renewal.renew(schema, BOOKING) == {**BOOKING, "day": "2027-06-08"}
    assert renewal.renew(schema, BOOKING) == {**BOOKING, "day": "2027-06-15"}
    other = {**BOOKING, "day": "1999-12-31"}
    assert renewal.renew(schema, other) == other
    renewal.note({"room": "r1"}, has_worked=True)
    assert renewal.renew(schema, {"room": "r1"}) == {"room": "r1"}


@pytest.mark.parametrize(
    ("renewal", "arguments", "expected"),
    [
        (Renewal("day", days=32), {"day": "2027-06-01T08:00Z"}, {"day": "2027-07-03T08:00Z"}),
        (Renewal("day", days=32), {"day": "9999-12-31"}, None),
        (Renewal("day", days=32), {"day": "soon"}, None),
        (
            Renewal("room", values=["r1", "r2"], used={b'"r1"'}),
            {"room": "r1"},
            {"room": "r2"},
        ),
        (Renewal("room", values=["r1"], used={b'"r1"'}), {"room": "r1"}, None),
        (Renewal("seat"), {"seat": 4}, {"seat": 5}),
    ],
)
def test_next_value(renewal: Renewal, arguments: Any, expected: Any) -> None:
    assert renewal.advance(schema_of(), arguments) == expected


def test_next_numbers_within_limits() -> None:
    renewal = Renewal("seat")
    schema = schema_of(seat={"type": "integer", "minimum": 1, "maximum": 20})
    seats = [renewal.advance(schema, {"seat": 4}) for _ in range(19)]
    assert sorted(seat["seat"] for seat in seats if seat) == [1, 2, 3, *range(5, 21)]


def test_ways_to_renew_a_call() -> None:
    schema = schema_of(day=DAY, room=ROOM, note={"type": "string"}, seat={"type": "integer"})
    arguments: dict[str, Any] = {**BOOKING, "note": "window", "seat": 4}
    values_by_name: dict[str, Any] = {"room": ["r1", "r2"]}
    ways = fresh_arguments.renewals(schema, arguments, [*arguments], values_by_name)
    assert [(item.name, item.days) for item in ways] == [
        *(("day", 32), ("day", 7), ("day", 1)),
        *(("seat", 0), ("note", 0), ("room", 0)),
    ]
    ways = fresh_arguments.renewals(schema, arguments, ["seat"], {})
    assert [item.name for item in ways] == ["seat"]


def test_refused_renewals_end() -> None:
    renewal, schema = Renewal("seat"), schema_of(seat={"type": "integer"})
    renewal.note({"seat": 4}, has_worked=True)
    for _ in range(fresh_arguments._MAX_REFUSALS):
        assert renewal.renew(schema, {"seat": 4}) != {"seat": 4}
        renewal.note({"seat": 9}, has_worked=False)
    assert renewal.renew(schema, {"seat": 4}) == {"seat": 4}


def test_stored_renewal() -> None:
    renewal = Renewal("room", values=["r1", "r2"])
    assert Renewal.from_data(renewal.to_data()) == renewal
    assert Renewal.from_data({"name": 3}) is None


def test_free_slot_for_a_forbidden_call() -> None:
    """A forbidden name tells nothing if the number is taken."""
    number: Json = {"type": "integer", "minimum": 1, "maximum": 99}
    properties: Json = {"number": number, "name": {"type": "string", "minLength": 1}}
    schema = Schema({"type": "object", "properties": properties})
    renewal = Renewal("number", used={canonical(7)})
    renewed = renewal.renew(schema, {"number": 7, "name": ""})
    assert renewed["name"] == ""
    assert renewed["number"] != 7
    assert schema.allows({**renewed, "name": "Ada"})
