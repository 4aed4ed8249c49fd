"""Results of real servers: in which form they contain data, and when a tool has a single form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpgen.contract.observation.samples import MOST_BYTES, Answer, Samples, one_form, read
from mcpgen.contract.observation.schema_detail import tells


def text(*texts: str, **members: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": item} for item in texts], **members}


def form(*results: dict[str, Any]) -> Samples | str:
    actual = [read(result) for result in results]
    return one_form([answer for answer in actual if answer is not None])


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (text("no", isError=True), Answer("error")),
        (text('{"a": 1}', isError=True, structuredContent={"a": 1}), Answer("error")),
        (text("words", structuredContent={"a": 1}), Answer("structured", {"a": 1})),
        (text("[1]", structuredContent={"result": [1]}), Answer("result", [1])),
        (text("x", structuredContent={"result": '{"a": 1}'}), Answer("result", '{"a": 1}')),
        (text('{"a": 1}'), Answer("json", {"a": 1})),
        (text(" [1, 2]\n"), Answer("json", [1, 2])),
        (text("42"), Answer("json", 42)),
        (text('"42"'), Answer("text", '"42"')),
        (text("Document does not exist"), Answer("text", "Document does not exist")),
        (text("{'a': None}"), Answer("text", "{'a': None}")),
        (text('{"a": NaN}'), Answer("text", '{"a": NaN}')),
        (text('Found:\n{"a": 1}'), Answer("text", 'Found:\n{"a": 1}')),
        (text('{"a": 1}', '{"a": 2}'), Answer("json blocks", [{"a": 1}, {"a": 2}])),
        (text('{"a": 1}', "and words"), Answer("blocks")),
        ({"content": []}, Answer("none")),
        ({}, Answer("none")),
        ({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}, Answer("blocks")),
        (text('{"success": false, "e": 1}'), Answer("soft error", {"success": False, "e": 1})),
        (text("x", structuredContent={"ok": False}), Answer("soft error", {"ok": False})),
        (
            text("x", structuredContent={"result": '{"error": "no"}'}),
            Answer("soft error", {"error": "no"}),
        ),
        (text('{"status": "error"}'), Answer("soft error", {"status": "error"})),
        (text('{"error": null, "a": 1}'), Answer("json", {"error": None, "a": 1})),
        (
            text('{"a": 1, "b": 2, "c": 3, "error": "x"}'),
            Answer("json", {"a": 1, "b": 2, "c": 3, "error": "x"}),
        ),
    ],
)  # fmt: skip
def test_an_answer_is_read_in_this_order(result: dict[str, Any], answer: Answer) -> None:
    assert read(result) == answer


def test_oversized_responses_are_ignored() -> None:
    large = json.dumps(["x" * MOST_BYTES])
    assert read(text(large)) is None
    assert read({"structuredContent": {"result": large}}) is None
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    assert read({"structuredContent": {"deep": deep}}) is None


def test_tool_has_a_kind_if_all_responses_share_it() -> None:
    assert form(text('{"a": 1}'), text('{"a": 2}')) == Samples("json", ({"a": 1}, {"a": 2}))
    # A file that holds JSON makes no typed tool.
    assert form(text('{"a": 1}'), text("id,name\n1,ada")) == Samples("text", ())
    assert form(text("one"), text("two")) == Samples("text", ())
    mixed = form(text("x", structuredContent={"a": 1}), text("one"))
    assert mixed == "no common form: structured, text"
    assert form(text("a", "b"), text("c", "d")) == "several blocks, or content other than text"
    assert form(text("one"), text("a", "b")) == "no common form: several blocks, text"


def test_errors_do_not_count_as_samples() -> None:
    good = text('{"a": 1}')
    assert form(good, text("no", isError=True), text('{"success": false}')) == form(good)
    assert form(text("no", isError=True), text('{"ok": false}')) == "only error responses"


def test_wrapped_results_are_unwrapped_in_each_call() -> None:
    def wrap(value: Any) -> dict[str, Any]:
        return text("x", structuredContent={"result": value})

    assert form(wrap([1]), wrap([])) == Samples("structured", ([1], []))
    assert form(wrap('{"a": 1}')) == Samples("json in result", ({"a": 1},))
    assert form(wrap('{"a": 1}'), wrap("words")) == Samples("text", ())
    assert form(wrap("words"), wrap(None)) == Samples("structured", ("words", None))
    other = text("x", structuredContent={"result": 1, "next": 2})
    assert form(wrap(1), other) == "no common form: a structured result, structured"


def test_blocks_are_items_even_if_single_or_absent() -> None:
    several = text('{"a": 1}', '{"a": 2}')
    both = [{"a": 1}, {"a": 2}]
    assert form(several) == Samples("json blocks", (both,))
    assert form(several, text('{"a": 3}'), text()) == Samples("json blocks", (both, [{"a": 3}], []))
    assert isinstance(form(several, text("[1]")), str)


def test_a_number_or_an_empty_list_may_be_text() -> None:
    assert form(text("4"), text("5")) == Samples("json", (4, 5))
    assert form(text("4"), text("four")) == Samples("text", ())
    assert "only one number or word" in str(form(text("4"), text("4")))
    assert form(text("4"), text('{"a": 1}')) == Samples("text", ())
    assert "only empty results" in str(form(text("[]"), text("[]")))
    assert form(text("[]"), text("[1]")) == Samples("json", ([], [1]))


ANY = {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"type": "object"},
        ANY,
        {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
        {"type": "object", "properties": {"result": {}}},
        {"type": "object", "properties": {"result": ANY}},
        {"type": "object", "properties": {"result": {"type": "array", "items": {}}}},
        {"type": "object", "properties": {"result": {"type": "array", "items": ANY}}},
        {"type": "object", "properties": {"result": {"anyOf": [ANY, {"type": "null"}]}}},
        {"$ref": "#/$defs/A", "$defs": {"A": ANY}},
    ],
)
def test_a_schema_may_say_nothing(schema: Any) -> None:
    assert not tells(schema)


TELLING: list[Any] = [
    {"type": "object", "properties": {"a": {}}},
    {"type": "object", "properties": {"result": {"type": "integer"}}},
    {"properties": {"result": {"type": "array", "items": {"type": "string"}}}},
    {
        "properties": {"result": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"properties": {"a": {}}}},
    },
    {"type": "object", "properties": {"result": {"type": "string", "enum": ["a"]}}},
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"anyOf": [{"type": "string"}, {"properties": {"a": {}}}]},
    {"anyOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}},
]


@pytest.mark.parametrize("schema", TELLING)
def test_informative_schema_is_kept(schema: Any) -> None:
    assert tells(schema)


@pytest.mark.parametrize(
    "data",
    [
        {"error": True, "code": 404, "message": "no", "details": {}},
        {"isError": True, "a": 1, "b": 2, "c": 3},
        {"is_error": True},
        {"error": {"code": 404}, "message": "no"},
    ],
)
def test_data_with_an_error_flag_is_a_soft_error(data: Any) -> None:
    answer = read({"content": [], "structuredContent": data})
    assert answer is not None
    assert answer.form == "soft error"


@pytest.mark.parametrize("data", [{"error": False, "a": 1}, {"error": {}, "a": 1}, {"error": None}])
def test_data_without_an_error_is_a_sample(data: Any) -> None:
    answer = read({"content": [], "structuredContent": data})
    assert answer is not None
    assert answer.form != "soft error"
