"""Refusals of single values, of strings in a group, and of pairs of values."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import INVALID_PARAMS, Answer, is_about_arguments
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks import neighbors
from mcpgen.testing.checks.neighbors import GROUPS_OF_LETTERS, GROUPS_OF_SIGNS


def tool_error(text: str) -> Answer:
    return Answer({"isError": True, "content": [{"type": "text", "text": text}]})


@pytest.mark.parametrize(
    "answer",
    [
        tool_error("limit must be at most 50"),
        tool_error("Search query cannot be empty"),
        Answer(code=INVALID_PARAMS, message="bad request"),
    ],
)
def test_refusal_of_a_value_is_about_arguments(answer: Answer) -> None:
    assert is_about_arguments(answer)


@pytest.mark.parametrize(
    "text",
    [
        "there is already a target with that name",
        "Error: ENAMETOOLONG: name too long, stat '/srv/x'",
        "[Errno 36] File name too long: invalid path",
        "permission denied, a token is required",
    ],
)
def test_refusal_of_state_or_file_name(text: str) -> None:
    assert not is_about_arguments(tool_error(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gate: a letter and a digit", True),
        ("gate: taken by flight 7", False),
        ("a letter and a digit", False),
    ],
)
def test_refusal_with_name_of_argument(text: str, *, expected: bool) -> None:
    assert is_about_arguments(tool_error(text), "gate") is expected
    assert not is_about_arguments(tool_error(text))


@pytest.mark.parametrize("refuses_signs", [True, False])
def test_refused_letters_of_a_free_text(*, refuses_signs: bool) -> None:
    texts = [*GROUPS_OF_LETTERS, *GROUPS_OF_SIGNS]

    def refuses(arguments: Json) -> str:
        is_odd = refuses_signs and arguments["note"] in GROUPS_OF_SIGNS
        return "note: another form" if is_odd or not arguments["note"].isascii() else ""

    lab: Any = Lab(refuses, note={"type": "string"})
    data: Json = {"arguments": {"note": "a"}, "path": ["note"], "values": texts}
    neighbors.vary(lab, Case("neighbors", "tool paint", data))
    refused = {case.data["value"] for case in lab.follow_ups}
    assert not any(map(str.isascii, refused))
    assert ({"Zo\u00eb", *GROUPS_OF_LETTERS} <= refused) is not refuses_signs
    assert bool(refused) is not refuses_signs
    for case in lab.follow_ups:
        assert [verdict.judge for verdict in neighbors.check_refusal(lab, case)] == ["C104"]


def test_known_call_of_a_reading_tool() -> None:
    lab: Any = Lab(lambda _: "", note={"type": "string"})
    lab.definition = {"annotations": {"readOnlyHint": True}}
    data: Json = {"arguments": {"note": "a"}, "path": ["note"], "values": ["b", "c"]}
    neighbors.vary(lab, Case("neighbors", "tool paint", data))
    assert lab.calls == []


class Lab:
    """A server that refuses arguments by a function. It keeps the calls it got."""

    def __init__(self, refuses: Any, **properties: Json) -> None:
        self.refuses = refuses
        self.schema = Schema({"type": "object", "properties": properties})
        self.definition: dict[str, Json] = {"description": "Paint a wall."}
        self.calls: list[Json] = []
        self.known_values = KnownValues()
        self.refuses_integral = False
        self.follow_ups: list[Case] = []
        self.crashes: list[Json] = []

    def input(self, tool: str) -> Schema:
        del tool
        return self.schema

    def tool(self, name: str) -> dict[str, Json]:
        del name
        return self.definition

    def is_good(self, tool: str, arguments: Json) -> bool:
        del tool, arguments
        return True

    def call(self, tool: str, arguments: Json) -> Answer:
        del tool
        self.calls.append(arguments)
        message = self.refuses(arguments)
        return tool_error(message) if message else Answer({"content": [], "structuredContent": {}})

    def follow_up(self, tool: str, arguments: Json) -> None:
        del tool
        self.crashes.append(arguments)


TEXT: Json = {"type": "string"}


def follow_ups_of_values(lab: Lab, values: list[Json], **more: Json) -> list[Json]:
    context: Any = lab
    data: Json = {"arguments": {"name": "a"}, "path": ["name"], "values": values, **more}
    assert neighbors.vary(context, Case("neighbors", "tool paint", data)) == []
    return [case.data["value"] for case in lab.follow_ups]


def test_refused_text_of_group() -> None:
    lab = Lab(lambda arguments: "name is invalid" if "%" in arguments["name"] else "", name=TEXT)
    values = follow_ups_of_values(lab, ["a", "b", *GROUPS_OF_SIGNS])
    assert {"100%", "%s"} <= {*values}
    assert "it's" not in values


def test_accepted_group_needs_no_single_texts() -> None:
    lab = Lab(lambda _: "", name=TEXT)
    assert follow_ups_of_values(lab, [*GROUPS_OF_SIGNS]) == []
    assert len(lab.calls) == len(GROUPS_OF_SIGNS)


def test_values_accepted_before() -> None:
    lab = Lab(lambda arguments: "invalid" if arguments["name"] in ("b", "c") else "", name=TEXT)
    assert follow_ups_of_values(lab, ["b", "c"]) == []
    assert follow_ups_of_values(lab, ["b", "c"], passing=["d"]) == ["b", "c"]


@pytest.mark.parametrize(
    ("has_format", "expected"), [(True, ["12:00"]), (False, ["Zo\u00eb", "12:00"])]
)
def test_texts_without_the_format(*, has_format: bool, expected: list[str]) -> None:
    lab = Lab(lambda arguments: "" if arguments["name"] in "abc" else "invalid", name=TEXT)
    values: list[Json] = ["b", "c", "Zo\u00eb", "12:00"]
    assert follow_ups_of_values(lab, values, has_format=has_format) == expected


def test_value_accepted_for_another_entity() -> None:
    lab: Any = Lab(
        lambda arguments: "only one is allowed" if arguments["poll_id"] != "many" else "",
        poll_id=TEXT,
        choices={"type": "array"},
    )
    data: Json = {"arguments": {"poll_id": "one", "choices": []}, "path": ["choices"]}
    case = Case("neighbor", "tool vote", {**data, "passing": [], "value": [0, 1]})
    assert [verdict.judge for verdict in neighbors.check_refusal(lab, case)] == ["C104"]
    polls = [{"poll_id": "one"}, {"poll_id": "many"}]
    lab.known_values.learn("list_polls", {}, Answer({"structuredContent": {"polls": polls}}))
    assert neighbors.check_refusal(lab, case) == []
    lab.definition = {"name": "delete_votes", "annotations": {"destructiveHint": True}}
    lab.calls.clear()
    assert neighbors.check_refusal(lab, case) != []
    assert {call["poll_id"] for call in lab.calls} == {"one"}


def test_integers_with_a_fraction_of_zero_are_reported_once() -> None:
    number: Json = {"type": "integer"}
    lab = Lab(lambda call: "invalid" if isinstance(call["name"], float) else "", name=number)
    assert follow_ups_of_values(lab, [1, 2, 7.0]) == [7.0]
    assert follow_ups_of_values(lab, [1, 2, 9.0]) == [7.0]


def test_crash_known_by_its_text() -> None:
    lab = Lab(lambda _: "ZeroDivisionError: division by zero", name=TEXT)
    assert follow_ups_of_values(lab, ["", "b"]) == []
    assert lab.crashes == [{"name": ""}, {"name": "b"}]


def follow_ups_of_pair(lab: Lab, base: Json, arguments: Json) -> list[Json]:
    context: Any = lab
    case = Case("pairs", "tool paint", {"base": base, "arguments": arguments})
    assert neighbors.pairs(context, case) == []
    for follow_up in lab.follow_ups:
        assert [item.judge for item in neighbors.check_refusal(context, follow_up)] == ["C104"]
    return [case.data["value"] for case in lab.follow_ups]


BASE: Json = {"color": "red", "matt": False, "name": "a"}


def refuses_matt_gold(arguments: Json) -> str:
    is_matt_gold = arguments.get("matt") and arguments.get("color") == "gold"
    return "invalid color: gold is not allowed" if is_matt_gold else ""


def test_fewest_values_refused_together() -> None:
    lab = Lab(refuses_matt_gold, color=TEXT, matt={"type": "boolean"}, name=TEXT)
    refused: Json = {"color": "gold", "matt": True, "name": "b"}
    assert follow_ups_of_pair(lab, BASE, refused) == [{"color": "gold", "matt": True, "name": "a"}]


def test_single_refused_value() -> None:
    lab = Lab(lambda arguments: "invalid" if arguments["name"] == "b" else "", name=TEXT)
    context: Any = lab
    case = Case("pairs", "tool paint", {"base": BASE, "arguments": {**BASE, "name": "b"}})
    assert neighbors.pairs(context, case) == []
    (alone,) = lab.follow_ups  # it is compared with other values of the same argument
    assert (alone.check, alone.data["values"]) == ("neighbors", ["b"])
    lab.follow_ups.clear()
    neighbors.vary(context, alone)
    assert [item.data["value"] for item in lab.follow_ups] == ["b"]


def test_pair_excluded_by_description() -> None:
    lab = Lab(refuses_matt_gold, color=TEXT, matt={"type": "boolean"}, name=TEXT)
    lab.definition = {"description": "Paint a wall, either matt or gold."}
    assert follow_ups_of_pair(lab, BASE, {"color": "gold", "matt": True, "name": "a"}) == []


def test_limits_in_wrong_order() -> None:
    number: Json = {"type": "integer"}
    lab = Lab(
        lambda item: "min must be less than max" if item["min"] > item["max"] else "",
        min=number,
        max=number,
    )
    assert follow_ups_of_pair(lab, {"min": 1, "max": 5}, {"min": 4, "max": 2}) == []


@pytest.mark.parametrize(
    ("text", "judges"),
    [("last must not be before first", []), ("last must not be after 2030", ["C104"])],
    ids=["order of two days", "one day"],
)
def test_order_of_two_days(text: str, judges: list[str]) -> None:
    lab: Any = Lab(lambda arguments: text if arguments["last"] < "2020" else "", last=TEXT)
    arguments: Json = {"first": "2027-06-01", "last": "2027-06-09"}
    data: Json = {"path": ["last"], "passing": ["2028-02-29"], "value": "1999-12-31"}
    case = Case("neighbor", "tool count", {"arguments": arguments, **data})
    assert [verdict.judge for verdict in neighbors.check_refusal(lab, case)] == judges
    del arguments["last"]  # a smaller case
    assert neighbors.check_refusal(lab, case) == []


def test_crash_in_a_refusal_that_begins_with_the_argument() -> None:
    lab: Any = Lab(lambda _: "size: 'int' object has no attribute 'x'", size={})
    followed: list[Json] = []
    lab.follow_up = lambda _tool, arguments: followed.append(arguments)
    data: Json = {"arguments": {"size": 1}, "path": ["size"], "values": [2]}
    neighbors.vary(lab, Case("neighbors", "tool paint", data))
    assert followed == [{"size": 2}]


def test_kept_case_of_an_argument_with_a_pattern() -> None:
    """Files of earlier versions don't name the argument."""
    refuses = {"B12": "gate: a letter and a digit"}.get
    lab: Any = Lab(lambda arguments: refuses(arguments["gate"]), gate={"pattern": "^[A-D][0-9]+$"})
    data: Json = {"arguments": {"gate": "A1"}, "path": ["gate"], "passing": ["B2"], "value": "B12"}
    (verdict,) = neighbors.check_refusal(lab, Case("neighbor", "tool paint", data))
    assert verdict.judge == "C104"
