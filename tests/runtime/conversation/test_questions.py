"""Elicitation: typed fields, validated answers, and who learns about failures."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
import sdk_programs
from asked_questions import ANY, MADE, REVISIONS, form, question
from mcp import Client
from runtime.packages import import_client
from runtime.web import web

from runtime import asking_server

WAYS = ["in this process", "stdio", "http"]


SUPPORT = str(Path(asking_server.__file__).parents[1])


@contextmanager
def target(way: str) -> Iterator[Any]:
    if way == "in this process":
        yield asking_server.AskingServer().server
    elif way == "stdio":
        yield sdk_programs.stdio(asking_server.__file__, env={"PYTHONPATH": SUPPORT})
    else:
        with web(asking_server.AskingServer().server) as (url, _):
            yield url


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


@pytest.mark.slow
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


def test_a_question_is_shown_on_one_line() -> None:
    requests = question({**form({"a": {}, "b\n": {}}), "message": "Which\none?"})
    assert repr(requests) == r"<Question: 'Which\none?': 'a', 'b\n'>"
    assert repr(question(form())) == "<Question: 'Which?': no field>"
    page = {"mode": "url", "message": "Go", "url": "https://a.example/", "elicitationId": "1"}
    assert repr(question(page)) == "<Question: 'Go': https://a.example/>"
