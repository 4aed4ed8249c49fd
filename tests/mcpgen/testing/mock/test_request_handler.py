"""Requests to a mock: arguments, prompts, resources, completions and errors."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, MCPError, types
from mock_servers import DEMO, TALKING, ask, text

from mcpgen.testing import mock


def test_invalid_arguments_are_a_tool_error_with_paths(era: str) -> None:
    arguments = {"query": "", "limit": 51, "colour": "red"}
    result = ask(mock.server(DEMO), era, lambda c: c.call_tool("search_catalogue", arguments))
    assert result.is_error
    messages = text(result).splitlines()
    assert messages[0] == "invalid arguments for search_catalogue"
    assert sorted(messages[1:]) == [
        "/: Additional properties are not allowed ('colour' was unexpected)",
        "/limit: 51 is greater than the maximum of 50",
        "/query: '' should be non-empty",
    ]


def test_an_unknown_tool_is_a_protocol_error(era: str) -> None:
    async def question(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("burn_everything", {})
        return caught.value.code

    assert ask(mock.server(DEMO), era, question) == types.INVALID_PARAMS


def test_a_prompt_is_filled_in_and_misses_nothing(era: str) -> None:
    async def question(client: Client) -> tuple[Any, str]:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("recommend", {"mood": "awake"})
        answer = await client.get_prompt("recommend", {"genre": "crime"})
        return answer.messages[0].content, caught.value.message

    content, refusal = ask(mock.server(DEMO), era, question)
    assert content.text == "Ask for a recommendation from the catalogue.\ngenre: crime"
    assert refusal == "Prompt recommend needs genre"


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("bookshelf://rules", "rules\n\nThe rules of the house."),
        ("bookshelf://items/B-2", '{"uri": "bookshelf://items/B-2", "name": "card", "id": "B-2"}'),
    ],
)
def test_resources_are_read(era: str, uri: str, message: str) -> None:
    result = ask(mock.server(DEMO), era, lambda client: client.read_resource(uri))
    (contents,) = result.contents
    assert isinstance(contents, types.TextResourceContents)
    assert contents.text == message


def test_an_unknown_prompt_or_resource_is_a_protocol_error(era: str) -> None:
    async def question(client: Client) -> list[int]:
        codes = []
        for request in (client.get_prompt("x"), client.read_resource("x://y")):
            with pytest.raises(MCPError) as caught:
                await request
            codes.append(caught.value.code)
        return codes

    missing = -32002 if era == "legacy" else types.INVALID_PARAMS
    assert ask(mock.server(DEMO), era, question) == [types.INVALID_PARAMS, missing]


def test_completion_returns_values_with_the_prefix(era: str) -> None:
    prompt = types.PromptReference(name="recommend")
    template = types.ResourceTemplateReference(uri="bookshelf://items/{id}")

    async def question(client: Client) -> list[list[str]]:
        questions = [(prompt, "genre", ""), (prompt, "genre", "q7"), (template, "id", "")]
        answers = [await client.complete(r, {"name": n, "value": v}) for r, n, v in questions]
        first = answers[0].completion.values[0]
        begun = await client.complete(prompt, {"name": "genre", "value": first[:3].upper()})
        return [answer.completion.values for answer in (*answers, begun)]

    every, unknown, ids, begun = ask(mock.server(TALKING), era, question)
    assert len(every) == len({*every}) > 1
    assert unknown == ["q7"]
    assert ids
    assert begun == [value for value in every if value.startswith(every[0][:3])]


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        (types.PromptReference(name="gone"), "genre"),
        (types.PromptReference(name="recommend"), "gone"),
        (types.ResourceTemplateReference(uri="bookshelf://gone/{id}"), "id"),
    ],
)
def test_completion_of_unknown_names_is_an_error(era: str, ref: Any, name: str) -> None:
    async def question(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.complete(ref, {"name": name, "value": ""})
        return caught.value.code

    assert ask(mock.server(TALKING), era, question) == types.INVALID_PARAMS


def test_a_subscription_to_a_resource_is_accepted(era: str) -> None:
    async def question(client: Client) -> bool:
        if era == "legacy":
            uri = "bookshelf://rules"
            for request in (
                types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri)),
                types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri)),
            ):
                await client.session.send_request(request, types.EmptyResult)
        else:
            async with client.listen(resource_subscriptions=["bookshelf://rules"]):
                pass
        return True

    assert ask(mock.server(TALKING), era, question)


def test_undeclared_capability_is_rejected(era: str) -> None:
    async def question(client: Client) -> int:
        ref = types.PromptReference(name="recommend")
        with pytest.raises(MCPError) as caught:
            await client.complete(ref, {"name": "genre", "value": ""})
        return caught.value.code

    assert ask(mock.server(DEMO), era, question) == types.METHOD_NOT_FOUND
