"""Observed types of results: merged, counted once, dropped when the definition changes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from mcpgen.contract.observation import report
from mcpgen.contract.observation.document import Observed, as_json, read
from mcpgen.contract.observation.observe import MOST_COUNTED, Call, Definition, Observation, observe
from mcpgen.contract.observation.places import drift, expired_entries, places
from mcpgen.errors import ContractError

HASH, OTHER = "0" * 16, "1" * 16
KNOWN = {name: Definition(HASH, tells=False) for name in ("a", "b")} | {
    "told": Definition(HASH, tells=True)
}
NOTHING = Observed()


def call(value: Any, tool: str = "a", definition: str = HASH) -> Call:
    text = value if isinstance(value, str) else json.dumps(value)
    return Call(tool, {"content": [{"type": "text", "text": text}]}, definition)


def observe_values(*values: Any, before: Observed = NOTHING, tool: str = "a") -> Observation:
    return observe([call(value, tool) for value in values], KNOWN, before)


def schema_of(observation: Observation, tool: str = "a") -> Any:
    return observation.observed.tools[tool].schema


def test_no_value_of_an_answer_is_kept() -> None:
    secret = {"token": "hunter2hunter2", "n": 4711, "rows": [{"who": "ada@example.org"}]}
    by_id = {"users": {"4d2c9f10aa": {"mail": "eve@example.org"}, "5d2c9f10ab": {"mail": ""}}}
    text = observe_values(secret, by_id).observed.text()
    for token in ("hunter2", "4711", "ada", "eve", "4d2c9f10aa"):
        assert token not in text
    assert '"token"' in text


def test_the_order_of_calls_changes_no_byte() -> None:
    values = [{"n": n, "at": f"2026-01-0{n}", "by": {f"id-{n}{n}": [n, None]}} for n in range(1, 8)]
    texts = set[str]()
    for seed in range(6):
        random.Random(seed).shuffle(values)
        calls = [call(value, tool) for value in values for tool in ("b", "a")]
        texts.add(observe(calls, KNOWN, NOTHING).observed.text())
    assert len(texts) == 1


def test_incremental_observation_equals_a_single_one() -> None:
    values = [{"n": n, **({"note": "x"} if n % 2 else {}), "rows": [{"a": n}]} for n in range(6)]
    once = observe_values(*values)
    both = observe_values(*values[3:], before=observe_values(*values[:3]).observed)
    assert both.observed.text() == once.observed.text()
    again = read(json.loads(once.observed.text()))
    assert observe_values(*values[2:4], before=again).observed.text() == once.observed.text()


def test_an_answer_counts_once_however_often_it_was_given() -> None:
    first = observe_values({"a": 1}, {"a": 1}, {"a": 2})
    assert first.observed.tools["a"].answers == 2
    twice = observe_values({"a": 1}, {"a": 2}, before=first.observed)
    assert twice.observed.text() == first.observed.text()
    third = observe_values({"a": 3, "b": None}, before=first.observed)
    assert third.observed.tools["a"].answers == 3
    (outcome,) = third.outcomes
    assert outcome.changes == ("b: new, anything, optional",)
    many = observe_values(*({"a": n} for n in range(MOST_COUNTED + 90)))
    assert many.observed.tools["a"].answers <= MOST_COUNTED


def test_widened_types_are_reported() -> None:
    first = observe_values(*({"a": n, "b": "x", "rows": [{"c": n}]} for n in range(4)))
    values: list[Any] = [{"a": 0.5, "rows": [{"c": None}]}, {"a": 1, "b": None, "rows": []}]
    (outcome,) = observe_values(*values, before=first.observed).outcomes
    assert outcome.changes == (
        "a: number, before integer",
        "b: string or null, optional, before string",
        "rows[].c: integer or null, before integer",
    )
    second = observe_values(*values, before=first.observed).observed
    rests = "(6 results, before 4)"
    assert drift(first.observed, second) == [f"a: {change} {rests}" for change in outcome.changes]
    assert drift(first.observed, NOTHING) == ["a: no longer observed"]
    assert drift(NOTHING, first.observed) == ["a: observed now, 4 results"]
    assert drift(second, second) == []


def test_one_text_response_turns_a_tool_to_text() -> None:
    data = observe_values({"a": 1}, {"a": 2}).observed
    text = observe_values("not found", before=data)
    assert text.outcomes[0].changes == ("text, before json",)
    after = observe_values({"a": 3}, {"a": 4}, before=text.observed).observed.tools["a"]
    assert (after.source, after.schema, after.answers) == ("text", None, 5)


def test_mixed_response_kinds_end_observation() -> None:
    data = observe_values({"a": 1}, {"a": 2}).observed
    structured = Call("a", {"structuredContent": {"a": 1}}, HASH)
    observation = observe([structured], KNOWN, data)
    assert observation.observed == NOTHING
    assert observation.outcomes[0].reason == "no common form: structured now, json before"


def test_blocks_and_one_block_are_one_list() -> None:
    def blocks(*values: Any) -> Call:
        content = [{"type": "text", "text": json.dumps(value)} for value in values]
        return Call("a", {"content": content}, HASH)

    once = observe([blocks({"n": 1}), blocks({"n": 2}, {"n": 3})], KNOWN, NOTHING).observed
    tool = once.tools["a"]
    assert (tool.source, places(tool.schema or {})["[].n"]) == ("json blocks", "integer, optional")
    first = observe([blocks({"n": 1})], KNOWN, NOTHING).observed
    assert first.tools["a"].source == "json"
    listed = observe([blocks({"n": 2}, {"n": 3})], KNOWN, first)
    result = {"the answer": "list", "[]": "object", "[].n": "integer, optional"}
    assert places(schema_of(listed)) == result
    assert observe([blocks({"n": 4})], KNOWN, once).observed.tools["a"].answers == 3


def test_errors_are_counted_but_not_sampled() -> None:
    error = Call("a", {"content": [], "isError": True}, HASH)
    calls = [call({"n": 1}), call({"success": False, "x": 1}), error, Call("a", None, HASH)]
    (outcome,) = observe(calls, KNOWN, NOTHING).outcomes
    assert (outcome.answers, outcome.errors, outcome.soft_errors) == (1, 2, 1)
    assert schema_of(observe(calls, KNOWN, NOTHING))["properties"] == {"n": {"type": "integer"}}
    output = report.text(observe(calls, KNOWN, NOTHING))
    assert "2 errors; an error in the data" in output


def test_informative_and_outdated_tools_are_skipped() -> None:
    calls = [call({"n": 1}, "told"), call({"n": 1}, "a", OTHER), call({"n": 1}, "gone")]
    observation = observe(calls, KNOWN, NOTHING)
    assert observation.observed == NOTHING
    assert {message.name: message.reason for message in observation.outcomes} == {
        "a": "all responses have another definition than the contract",
        "gone": "the contract has no such tool",
        "told": "the output schema describes the result",
    }


def test_observation_lapses_with_its_definition_only() -> None:
    before = observe([call({"n": 1}), call({"n": 1}, "b")], KNOWN, NOTHING).observed
    now = {"a": Definition(OTHER, tells=False), "b": KNOWN["b"]}
    after = observe([], now, before).observed
    assert list(after.tools) == ["b"]
    (text,) = expired_entries(before, {"a": OTHER, "b": HASH})
    assert text.startswith("a: its definition changed, so its observations from 1 result expire")
    (text,) = expired_entries(before, {"a": HASH})
    assert text.startswith("b: the tool was removed")


def test_answers_without_members_say_nothing() -> None:
    empty = Call("a", {"structuredContent": {}}, HASH)
    assert (
        observe([empty], KNOWN, NOTHING).outcomes[0].reason.startswith("results of several types")
    )
    kinds: list[Any] = [1, "x", [], None]
    mixed = [Call("a", {"structuredContent": {"result": x}}, HASH) for x in kinds]
    assert observe(mixed, KNOWN, NOTHING).observed == NOTHING


def test_redacted_values_have_no_type() -> None:
    result = {"structuredContent": {"token": "***", "rows": [{"n": "***", "m": 1}]}}
    locations = ("/structuredContent/token", "/structuredContent/rows/0/n")
    observation = observe([Call("a", result, HASH, locations)], KNOWN, NOTHING)
    assert places(schema_of(observation)) == {
        "the answer": "object",
        "rows": "list, optional",
        "rows[]": "object",
        "rows[].m": "integer, optional",
        "rows[].n": "anything, optional",
        "token": "anything, optional",
    }
    text = Call("a", {"content": [{"type": "text", "text": "***"}]}, HASH, ("/content/0/text",))
    assert observe([text], KNOWN, NOTHING).outcomes[0].unread == 1


@pytest.mark.parametrize(
    ("statistics", "at"),
    [
        ({"": "object one"}, ""),
        ({"": "object 1", "/a": 4}, "/a"),
        ({"/a": "string 1"}, ""),
        ({"": "object 1", "/a/b": "string 1"}, "/a/b"),
        ({"": "guess 1"}, ""),
    ],
)
def test_invalid_statistics_error_has_a_pointer(statistics: Any, at: str) -> None:
    before = as_json(observe_values({"a": 1}, {"a": 2}).observed)
    before["tools"]["a"]["seen"] = statistics
    with pytest.raises(ContractError) as caught:
        observe_values({"a": 3}, before=read(before))
    assert caught.value.where == "/tools/a/seen/" + at.replace("/", "~1")


def test_missing_statistics_start_again() -> None:
    before = as_json(observe_values({"a": 1}, {"a": 2}).observed)
    del before["tools"]["a"]["seen"]
    assert observe_values({"a": "x"}, before=read(before)).observed.tools["a"].answers == 1


COLUMNS = [["id", "title"], ["title", "year"], ["year"], ["id", "author", "year"]]


def test_listed_property_names_make_a_map() -> None:
    tables = [
        {"columns": names, "types": {name: {"type": "text"} for name in names}} for names in COLUMNS
    ]
    assert observed_type(tables, "types")["additionalProperties"]


@pytest.mark.parametrize(
    "tables",
    [
        [{"columns": names, "types": {n: {n: 1} for n in names}} for names in COLUMNS],
        [{"columns": names[1:], "types": dict.fromkeys(names, "text")} for names in COLUMNS],
        [{"columns": COLUMNS[0], "types": dict.fromkeys(COLUMNS[0], str(n))} for n in range(4)],
    ],
    ids=["unequal values", "a name that is not listed", "always the same names"],
)
def test_other_property_names_stay_properties(tables: list[Any]) -> None:
    assert "properties" in observed_type(tables, "types")


def observed_type(answers: list[Any], name: str) -> Any:
    calls = [Call("t", {"content": [], "structuredContent": answer}) for answer in answers]
    tool = observe(calls, {"t": Definition("h", tells=False)}, Observed()).observed.tools["t"]
    schema: Any = tool.schema
    return schema["properties"][name]
