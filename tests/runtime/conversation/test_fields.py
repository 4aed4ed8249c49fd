"""Fields of a form: kinds, bounds, choices, defaults and answers."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from asked_questions import ANY, form, question
from mcpgen_runtime.conversation import fields as runtime_fields
from pydantic import MISSING


def fields(**properties: Any) -> Any:
    return question(form(properties)).fields


def invalid(prompts: Any, *args: Any, **named: Any) -> list[str]:
    with pytest.raises(ANY.InvalidAnswer) as caught:
        prompts.accept(*args, **named)
    return [str(problem) for problem in caught.value.problems]


def test_a_text_has_its_format_and_lengths() -> None:
    (mail,) = fields(
        mail={
            "type": "string",
            "title": "E-mail",
            "description": "Yours",
            "format": "email",
            "minLength": 3,
            "maxLength": 9,
            "default": "a@b.c",
        }
    )
    assert isinstance(mail, ANY.TextField)
    assert (mail.name, mail.title, mail.description) == ("mail", "E-mail", "Yours")
    assert (mail.format, mail.min_length, mail.max_length) == ("email", 3, 9)
    assert (mail.default, mail.is_required) == ("a@b.c", False)
    (bare,) = question(form({"a b": {"type": "string"}}, "a b")).fields
    assert (bare.title, bare.format, bare.min_length, bare.max_length) == ("a b", "", 0, None)
    assert (bare.default, bare.is_required) == (None, True)


def test_numbers_have_bounds() -> None:
    number, whole = fields(
        n={"type": "number", "minimum": 0.5, "maximum": 2},
        i={"type": "integer", "default": 0},
    )
    assert isinstance(number, ANY.NumberField)
    assert (number.is_integer, number.minimum, number.maximum) == (False, 0.5, 2)
    assert (whole.is_integer, whole.minimum, whole.maximum) == (True, None, None)
    assert whole.default == 0


def test_yes_or_no_is_a_boolean() -> None:
    (sure,) = fields(sure={"type": "boolean", "default": False})
    assert isinstance(sure, ANY.BooleanField)
    assert sure.default is False


TITLES = [("a", "Aye"), ("b", "Bee")]


LISTED = [{"const": value, "title": title} for value, title in TITLES]


@pytest.mark.parametrize(
    ("schema", "titles"),
    [
        ({"type": "string", "enum": ["a", "b"]}, ["a", "b"]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Aye", "Bee"]}, ["Aye", "Bee"]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Aye"]}, ["a", "b"]),
        ({"type": "string", "oneOf": LISTED}, ["Aye", "Bee"]),
    ],
    ids=["untitled", "enumNames", "too few names", "titled"],
)
def test_one_choice_has_values_and_titles(schema: Any, titles: list[str]) -> None:
    (field,) = fields(pick={**schema, "default": "b"})
    assert isinstance(field, ANY.ChoiceField)
    assert [choice.value for choice in field.choices] == ["a", "b"]
    assert [choice.title for choice in field.choices] == titles
    assert field.default == "b"


@pytest.mark.parametrize(
    ("items", "titles"),
    [({"type": "string", "enum": ["a", "b"]}, ["a", "b"]), ({"anyOf": LISTED}, ["Aye", "Bee"])],
    ids=["untitled", "titled"],
)
def test_many_choices_have_values_titles_and_counts(items: Any, titles: list[str]) -> None:
    schema = {"type": "array", "items": items, "minItems": 1, "maxItems": 2, "default": ["b"]}
    (field,) = fields(pick=schema)
    assert isinstance(field, ANY.ChoicesField)
    assert [choice.title for choice in field.choices] == titles
    assert (field.min_items, field.max_items, field.default) == (1, 2, ["b"])


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {}},
        {"type": "array", "items": {"type": "string"}},
        {"type": ["string", "null"]},
        {"oneOf": [{"const": 1}, {"type": "string"}]},
        [],
        None,
    ],
)
def test_unknown_schema_becomes_a_generic_field(schema: Any) -> None:
    (field,) = runtime_fields.read_fields({"properties": {"x": schema}})
    assert type(field) is ANY.Field


def test_invalid_bounds_are_ignored() -> None:
    odd, number = fields(
        a={"type": "string", "minLength": "x", "maxLength": 1e400, "title": 1},
        b={"type": "number", "minimum": True},
    )
    assert (odd.min_length, odd.max_length, odd.title) == (0, None, "a")
    assert number.minimum is None


def test_invalid_default_is_ignored() -> None:
    (field,) = fields(a={"type": "integer", "minimum": 1, "default": 0})
    assert field.default is None


def test_an_answer_is_checked_by_the_form_itself() -> None:
    schema = {"type": "string", "pattern": "^a", "minLength": 2}
    requests = question(
        form({"a": schema, "b": {"type": "boolean"}}, "b", additionalProperties=False)
    )
    assert sorted(invalid(requests, a="b", c=1)) == [
        "/: 'b' is a required property",
        "/: Additional properties are not allowed ('c' was unexpected)",
        "/a: 'b' does not match '^a'",
        "/a: 'b' is too short",
    ]
    assert requests.accept(a="ab", b=True).content == {"a": "ab", "b": True}


def test_answers_may_have_names_invalid_in_python() -> None:
    requests = question(form({"a b": {"type": "string"}, "self": {"type": "integer"}}))
    assert requests.accept({"a b": "x"}, self=1).content == {"a b": "x", "self": 1}


def test_answers_become_json() -> None:
    requests = question(
        form({"day": {"type": "string", "format": "date"}, "n": {"type": "number"}})
    )
    assert requests.accept(day=date(2026, 7, 28)).content == {"day": "2026-07-28"}
    assert "not JSON" in invalid(requests, n=float("nan"))[0]
    assert "not JSON" in invalid(requests, n=object())[0]


def test_a_default_is_sent_unless_something_else_is_given() -> None:
    requests = question(form({"a": {"type": "string", "default": "x"}, "b": {"type": "string"}}))
    assert requests.accept().content == {"a": "x"}
    assert requests.accept(a="y", b="z").content == {"a": "y", "b": "z"}
    assert requests.accept(a=MISSING).content == {}


def test_null_is_rejected_as_an_answer() -> None:
    requests = question(form({"a": {"type": "string"}}))
    assert invalid(requests, a=None) == ["/a: None is not of type 'string'"]


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "https://example.org/x"}, {"type": "strin"}],
)
def test_invalid_form_schema_accepts_no_answer(schema: Any) -> None:
    assert "cannot be read" in invalid(question(form(None, **schema)))[0]


def test_object_is_rejected_as_an_answer() -> None:
    requests = question(form({"a": {}}))
    assert invalid(requests, a={"b": {"c": 1}})


def test_a_page_takes_no_values() -> None:
    requests = question({"mode": "url", "message": "Go", "url": "x", "elicitationId": "1"})
    with pytest.raises(TypeError, match="no values"):
        requests.accept(a=1)


def test_invalid_answer_error_is_one_line_with_the_question() -> None:
    requests = question({**form({"a": {"type": "string"}}), "message": "Which\x1b[2J\none?"})
    with pytest.raises(ANY.InvalidAnswer) as caught:
        requests.accept(a=1)
    first = str(caught.value).splitlines()[0]
    assert first == r"Which\x1b[2J\none?: invalid answer, nothing was sent"
    assert isinstance(caught.value, ANY.ClientError)
