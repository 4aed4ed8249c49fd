"""Elicitation: typed fields, validated answers, and who learns about failures."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, types
from mcpgen_runtime.conversation import fields as runtime_fields
from mcpgen_runtime.conversation import questions
from pydantic import MISSING
from runtime.packages import import_client
from runtime.web import web

from runtime import asking_server

REVISIONS: list[Any] = ["2025-11-25", "2026-07-28"]
WAYS = ["in this process", "stdio", "http"]
SUPPORT = str(Path(asking_server.__file__).parents[1])
MADE = {
    revision: import_client(asking_server.contract(revision), f"asking_{revision[:4]}")
    for revision in REVISIONS
}
ANY: Any = MADE["2026-07-28"]


@contextmanager
def target(way: str) -> Iterator[Any]:
    if way == "in this process":
        yield asking_server.AskingServer().server
    elif way == "stdio":
        script = asking_server.__file__
        env = {"PYTHONPATH": SUPPORT}
        yield StdioServerParameters(command=sys.executable, args=[script], env=env)
    else:
        with web(asking_server.AskingServer().server) as (url, _):
            yield url


def form(properties: Any = None, *required: str, **more: Any) -> Any:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"message": "Which?", "requestedSchema": {**schema, **more}}


def elicitation_result(
    params: Any, revision: str = "2026-07-28", way: str = WAYS[0], **options: Any
) -> Any:
    """Return the result that a server receives for an elicitation."""

    async def inside() -> Any:
        with target(way) as server:
            async with MADE[revision].Client.connect(server, **options) as client:
                result = await client.ask(method="elicitation/create", params=params)
                return json.loads(result.text)

    return anyio.run(inside)


def question(params: Any, server: str = "asking") -> Any:
    """Return a question as a callback is given it."""
    request = types.ElicitRequest.model_validate({"method": "elicitation/create", "params": params})
    return questions.read_question(server, request.params)


def fields(**properties: Any) -> Any:
    return question(form(properties)).fields


def invalid(prompts: Any, *args: Any, **named: Any) -> list[str]:
    with pytest.raises(ANY.InvalidAnswer) as caught:
        prompts.accept(*args, **named)
    return [str(problem) for problem in caught.value.problems]


# Callbacks


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_form_is_answered(revision: str, way: str) -> None:
    async def answer(prompts: Any) -> Any:
        assert (prompts.message, prompts.mode, prompts.url) == ("Which?", "form", "")
        assert prompts.context.session.protocol_version == revision
        return prompts.accept(size=7)

    answered = elicitation_result(form({"size": {"type": "integer"}}), revision, way, elicit=answer)
    assert answered == {"action": "accept", "content": {"size": 7}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_is_answered(revision: str) -> None:
    def answer(prompts: Any) -> Any:
        assert (prompts.mode, prompts.url, prompts.fields) == ("url", "https://a.example/x", ())
        return prompts.accept()

    page = {"mode": "url", "message": "Go", "url": "https://a.example/x", "elicitationId": "1"}
    assert elicitation_result(page, revision, elicit=answer) == {"action": "accept"}


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_question_can_be_left_unmatched(revision: str, action: str) -> None:
    assert elicitation_result(
        form(), revision, elicit=lambda requests: getattr(requests, action)()
    ) == {"action": action}


@pytest.mark.parametrize("revision", REVISIONS)
def test_sync_callback_may_call_tools_while_answering(revision: str) -> None:
    package = MADE[revision]
    with package.Client.sync.connect(
        asking_server.AskingServer().server,
        elicit=lambda requests: requests.accept(news=waiting.news().text),
    ) as waiting:
        params = form({"news": {"type": "string"}})
        answered = waiting.ask(method="elicitation/create", params=params).text
    assert json.loads(answered)["content"] == {"news": "0"}


def test_sync_callback_does_not_block_calls() -> None:
    """It runs in its own thread, and other calls continue."""
    is_free = threading.Event()

    def answer(prompts: Any) -> Any:
        assert is_free.wait(60)
        return prompts.decline()

    async def inside() -> Any:
        server = asking_server.AskingServer().server
        async with (
            ANY.Client.connect(server, elicit=answer) as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(lambda: client.ask(method="elicitation/create", params=form()))
            await anyio.sleep(0.1)
            assert (await client.news()).text == "0"
            is_free.set()

    anyio.run(inside)


def test_timed_out_call_does_not_wait_for_a_person() -> None:
    is_over = threading.Event()

    async def inside() -> Any:
        server = asking_server.AskingServer().server
        async with ANY.Client.connect(server, elicit=lambda _: is_over.wait(60)) as client:
            with pytest.raises(ANY.CallTimeout):
                await client.with_options(timeout=0.2).ask(
                    method="elicitation/create", params=form()
                )
            assert (await client.news()).text == "0"

    anyio.run(inside)
    is_over.set()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_new_session_asks_the_same_callback(revision: str) -> None:
    async def inside() -> Any:
        with target("stdio") as server:
            async with MADE[revision].Client.connect(
                server, elicit=lambda requests: requests.accept()
            ) as client:
                with pytest.raises(MADE[revision].ConnectionLost):
                    await client.die()
                result = await client.ask(method="elicitation/create", params=form())
                return json.loads(result.text)

    assert anyio.run(inside) == {"action": "accept", "content": {}}


@pytest.mark.parametrize("text", ["elicit", "sampling", "roots"])
def test_callback_cannot_be_set_on_a_given_client(text: str) -> None:
    async def inside() -> None:
        sdk = Client(asking_server.AskingServer().server)
        with pytest.raises(TypeError, match=f"{text} can't be set"):
            await ANY.Client.connect(sdk, **{text: lambda *_: None}).__aenter__()

    anyio.run(inside)


# Declared capabilities


def declared_capabilities(revision: str, package: Any = None, **options: Any) -> Any:
    async def inside() -> Any:
        server = asking_server.AskingServer().server
        async with (package or MADE[revision]).Client.connect(server, **options) as client:
            return json.loads((await client.declared()).text)

    return anyio.run(inside)


@pytest.mark.parametrize("revision", REVISIONS)
def test_nothing_is_declared_without_callbacks(revision: str) -> None:
    assert declared_capabilities(revision) == {}


def client_of_recorder(revision: str, **more: Any) -> Any:
    """Return the client of a contract recorded with the elicitation capability."""
    capabilities: Any = {"elicitation": {"form": {}, "url": {}}}
    contract = replace(asking_server.contract(revision), client_capabilities=capabilities, **more)
    return import_client(contract, f"recorded_{revision[:4]}_{len(more)}")


@pytest.mark.parametrize("revision", REVISIONS)
def test_recorded_elicitation_is_declared_and_declined(revision: str) -> None:
    package = client_of_recorder(revision)
    assert declared_capabilities(revision, package) == {"elicitation": {"form": {}, "url": {}}}

    async def inside() -> Any:
        async with package.Client.connect(asking_server.AskingServer().server) as client:
            return json.loads((await client.ask(method="elicitation/create", params=form())).text)

    assert anyio.run(inside)["action"] == "decline"


@pytest.mark.parametrize("revision", REVISIONS)
def test_elicitation_is_not_declared_if_dependent_tools_are_known(revision: str) -> None:
    needs = {"ask": ["elicitation"]}
    assert (
        declared_capabilities(revision, client_of_recorder(revision, tool_capabilities=needs)) == {}
    )


@pytest.mark.parametrize("revision", REVISIONS)
def test_given_callbacks_are_declared(revision: str) -> None:
    package = MADE[revision]
    elicited = declared_capabilities(revision, elicit=lambda requests: requests.decline())
    assert elicited == {"elicitation": {"form": {}, "url": {}}}
    assert declared_capabilities(revision, sampling=lambda _: "x") == {"sampling": {"tools": {}}}
    plain = package.Sampling(lambda _: "x", tools=False)
    assert declared_capabilities(revision, sampling=plain) == {"sampling": {}}
    assert set(declared_capabilities(revision, roots=[])) == {"roots"}


def test_undeclared_elicitation_is_rejected() -> None:
    refused = elicitation_result(form(), "2025-11-25")
    assert refused == {"error": {"code": -32600, "message": "Elicitation not supported"}}


# Failing callbacks


def fails(prompts: Any) -> Any:
    raise KeyError("secret")


@pytest.mark.parametrize(
    "callback",
    [fails, lambda _: None, lambda requests: requests.accept(a="x"), lambda _: next(iter(()))],
)
def test_failing_callback_is_logged_and_the_call_continues(
    callback: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    params = form({"a": {"type": "integer"}})
    with caplog.at_level(logging.ERROR):
        refused = elicitation_result(params, "2025-11-25", elicit=callback)
        assert refused == {"error": {"code": -32603, "message": "the client could not answer"}}
        assert elicitation_result(params, "2026-07-28", elicit=callback) == {"action": "cancel"}
    assert [record.message for record in caplog.records] == ["the callback of elicit failed"] * 2


# Fields


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


# Answers


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


def test_a_question_is_shown_on_one_line() -> None:
    requests = question({**form({"a": {}, "b\n": {}}), "message": "Which\none?"})
    assert repr(requests) == r"<Question: 'Which\none?': 'a', 'b\n'>"
    assert repr(question(form())) == "<Question: 'Which?': no field>"
    page = {"mode": "url", "message": "Go", "url": "https://a.example/", "elicitationId": "1"}
    assert repr(question(page)) == "<Question: 'Go': https://a.example/>"
