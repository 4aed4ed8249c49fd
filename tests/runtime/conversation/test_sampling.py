"""Sampling: tools, rounds, token limits and approval."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp import types
from mcpgen_runtime.conversation import sampling as runtime_sampling
from runtime.asking_server import ADD, AskingServer, contract
from runtime.packages import import_client
from runtime.web import web

REVISIONS: list[Any] = ["2025-11-25", "2026-07-28"]
MADE = {
    revision: import_client(contract(revision), f"sampling_{revision[:4]}")
    for revision in REVISIONS
}
ANY: Any = MADE["2026-07-28"]
REJECTED = {"error": {"code": -1, "message": "User rejected sampling request"}}


def text(args: str) -> types.TextContent:
    return types.TextContent(text=args)


def user(args: str = "Hello") -> Any:
    return {"role": "user", "content": {"type": "text", "text": args}}


def sampling_params(**more: Any) -> Any:
    return {"messages": [user()], "maxTokens": 50, **more}


def calling(tool: str, revision: str, sampling: Any, times: int = 1, **arguments: Any) -> list[Any]:
    """Return the results of repeated calls to a tool that uses sampling."""

    async def inside() -> Any:
        async with MADE[revision].Client.connect(
            AskingServer().server, sampling=sampling
        ) as client:
            called = getattr(client, tool)
            return [json.loads((await called(**arguments)).text) for _ in range(times)]

    return anyio.run(inside)


def sampling_result(
    params: Any, sampling: Any, revision: str = "2025-11-25", times: int = 1
) -> Any:
    """Return the server's last sampling result."""
    arguments = {"method": "sampling/createMessage", "params": params}
    return calling("ask", revision, sampling, times, **arguments)[-1]


def request(**more: Any) -> Any:
    """Return a request as a callback receives it."""
    params = types.CreateMessageRequestParams.model_validate(sampling_params(**more))
    return runtime_sampling.read_request("asking", params)


def think_with(sampling: Any, revision: str = "2025-11-25", rounds: int = 5) -> Any:
    return calling("think", revision, sampling, rounds=rounds)[0]


def results_of(prompts: Any) -> list[Any]:
    return [
        block
        for message in prompts.messages
        for block in message.content_as_list
        if block.type == "tool_result"
    ]


def adds(prompts: Any, rounds: int = 1) -> Any:
    """Respond like a model that uses the tool so often."""
    results = results_of(prompts)
    if len(results) < rounds:
        return prompts.use_tool("add", {"a": len(results), "b": 3})
    return f"It is {results[-1].content[0].text}."


# Answers


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_text_is_an_answer(revision: str) -> None:
    async def model(prompts: Any) -> str:
        assert prompts.context.session.protocol_version == revision
        return f"to {prompts.messages[0].content.text}"

    assert sampling_result(sampling_params(), model, revision) == {
        "role": "assistant",
        "content": {"type": "text", "text": "to Hello"},
        "model": "unknown",
        "stopReason": "endTurn",
    }


def test_answer_has_model_name_and_stop_reason() -> None:
    def model(prompts: Any) -> Any:
        return prompts.answer("cut", model="m-1", stop_reason="maxTokens")

    answer = sampling_result(sampling_params(), model)
    assert (answer["model"], answer["stopReason"]) == ("m-1", "maxTokens")


@pytest.mark.parametrize(
    "answer",
    [
        text("ab"),
        [text("a"), text("b")],
        types.CreateMessageResult(role="assistant", content=text("ab"), model="x"),
    ],
)
def test_texts_are_one_block_where_no_tools_are_offered(answer: Any) -> None:
    assert sampling_result(sampling_params(), lambda _: answer)["content"] == {
        "type": "text",
        "text": "ab",
    }


def test_pictures_are_answers_too() -> None:
    picture = types.ImageContent(data="AA==", mime_type="image/png")
    answer = sampling_result(sampling_params(), lambda _: [text("see"), picture])
    assert [block["type"] for block in answer["content"]] == ["text", "image"]


def test_request_has_all_parameters_of_the_server() -> None:
    requests = request(
        tools=[ADD],
        toolChoice={"mode": "required"},
        systemPrompt="Be brief",
        modelPreferences={"hints": [{"name": "small"}]},
        temperature=0.5,
        stopSequences=["."],
        metadata={"a": 1},
    )
    assert (requests.server, requests.max_tokens, requests.temperature) == ("asking", 50, 0.5)
    assert (requests.system_prompt, requests.stop_sequences) == ("Be brief", (".",))
    assert requests.model_preferences.hints[0].name == "small"
    assert requests.metadata == {"a": 1}
    assert requests.tools[0].input_schema == ADD["inputSchema"]
    assert requests.tool_choice == "required"
    assert request().tool_choice == "auto"


def test_a_request_is_shown_on_one_line() -> None:
    assert repr(request(tools=[ADD])) == "<SamplingRequest: 1 message, 1 tool>"


# Tools


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_loop_goes_on_until_there_is_an_answer(revision: str) -> None:
    answer = think_with(lambda requests: adds(requests, 3), revision)
    assert answer == {"text": "It is 5.", "messages": 7}


@pytest.mark.parametrize("revision", REVISIONS)
def test_sync_client_supports_sampling(revision: str) -> None:
    with (
        web(AskingServer().server) as (url, _),
        MADE[revision].Client.sync.connect(url, sampling=adds) as client,
    ):
        assert json.loads(client.think(rounds=5).text)["text"] == "It is 3."


def test_tool_use_is_validated_by_its_schema() -> None:
    requests = request(tools=[ADD])
    use = requests.use_tool("add", {"a": 1, "b": 2})
    assert (use.name, use.input) == ("add", {"a": 1, "b": 2})
    assert use.id != requests.use_tool("add", {"a": 1, "b": 2}).id
    assert requests.use_tool("add", {"a": 1, "b": 2}, id="mine").id == "mine"
    with pytest.raises(ANY.InvalidAnswer, match="'b' is a required property"):
        requests.use_tool("add", {"a": 1})
    with pytest.raises(ANY.InvalidAnswer, match="not offered"):
        requests.use_tool("subtract", {})
    with pytest.raises(ANY.InvalidAnswer, match="not JSON"):
        requests.use_tool("add", {"a": object()})
    with pytest.raises(ANY.InvalidAnswer, match="not offered"):
        request(tools=[ADD], toolChoice={"mode": "none"}).use_tool("add", {"a": 1, "b": 2})


@pytest.mark.parametrize(
    "answer",
    [
        types.ToolUseContent(name="add", id="1", input={"a": "x", "b": 1}),
        types.ToolUseContent(name="other", id="1", input={}),
        [types.ToolUseContent(name="add", id="1", input={"a": 1, "b": 1})] * 2,
        types.ToolResultContent(tool_use_id="1"),
        [],
        None,
        5,
    ],
)
def test_answer_violating_the_request_is_not_sent(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        result = sampling_result(sampling_params(tools=[ADD]), lambda _: answer)
    assert result == {"error": {"code": -32603, "message": "the client could not answer"}}
    assert [record.message for record in caplog.records] == ["the callback of sampling failed"]


def test_a_client_without_tools_is_not_offered_any() -> None:
    plain = MADE["2025-11-25"].Sampling(lambda _: "x", tools=False)
    result = sampling_result(sampling_params(tools=[ADD]), plain)
    assert result == {
        "error": {"code": -32602, "message": "The client offers no tools to its model"}
    }
    assert sampling_result(sampling_params(), plain)["content"]["text"] == "x"


USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "1", "name": "add", "input": {"a": 1, "b": 2}}],
}
RESULT = {"type": "tool_result", "toolUseId": "1", "content": []}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([user(), USE], "Tool result missing in request"),
        ([user(), USE, user()], "Tool result missing in request"),
        ([user(), {"role": "user", "content": [RESULT]}], "Tool result missing in request"),
        (
            [user(), USE, {"role": "user", "content": [RESULT, user()["content"]]}],
            "Tool results mixed with other content",
        ),
        ([user(), USE, {"role": "user", "content": [RESULT]}], None),
        ([user(), USE, {"role": "user", "content": RESULT}, user()], None),
    ],
)
def test_results_fit_the_uses_of_tools(messages: Any, problem: str | None) -> None:
    result = sampling_result(sampling_params(messages=messages, tools=[ADD]), lambda _: "x")
    assert result.get("error") == (problem and {"code": -32602, "message": problem})


# Approval


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
def test_no_model_is_asked_without_approval(answer: Any) -> None:
    requests: list[Any] = []
    package = MADE["2025-11-25"]
    assert (
        sampling_result(sampling_params(), package.Sampling(requests.append, lambda _: answer))
        == REJECTED
    )
    assert requests == []


def test_approval_may_change_the_request() -> None:
    package = MADE["2025-11-25"]

    async def approve(prompts: Any) -> Any:
        return replace(prompts, system_prompt="Be kind", max_tokens=1000)

    def model(sampling_request: Any) -> Any:
        return f"{sampling_request.system_prompt}, {sampling_request.max_tokens}"

    sampling = package.Sampling(model, approve_request=approve)
    assert sampling_result(sampling_params(), sampling)["content"]["text"] == "Be kind, 50"


def test_approval_changes_no_limit() -> None:
    def approve(prompts: Any) -> Any:
        return replace(prompts, messages=prompts.messages[:1])

    sampling = MADE["2025-11-25"].Sampling(
        lambda requests: requests.tool_choice, approve_request=approve, max_rounds=1
    )
    messages = [user(), USE, {"role": "user", "content": [RESULT]}]
    assert (
        sampling_result(sampling_params(messages=messages, tools=[ADD]), sampling)["content"][0][
            "text"
        ]
        == "none"
    )


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_use_of_a_tool_is_approved(revision: str) -> None:
    requests: list[Any] = []

    def approve(prompts: Any, use: Any) -> bool:
        requests.append((prompts.rounds, use.input["a"]))
        return use.input["a"] < 1

    package = MADE[revision]
    sampling = package.Sampling(
        lambda sampling_request: adds(sampling_request, 2), approve_tool_use=approve
    )
    if revision == "2025-11-25":
        assert think_with(sampling, revision) == REJECTED
    else:  # where an error cannot be an answer, it ends the call
        with pytest.raises(package.ProtocolError) as caught:
            think_with(sampling, revision)
        assert (caught.value.code, caught.value.message) == (-1, REJECTED["error"]["message"])
    assert requests == [(0, 0), (1, 1)]


def test_a_callback_may_refuse() -> None:
    assert sampling_result(sampling_params(), lambda requests: requests.refuse()) == REJECTED
    result = sampling_result(sampling_params(), lambda prompts: prompts.refuse("Too dear"))
    assert result == {"error": {"code": -1, "message": "Too dear"}}


# Limits


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_last_round_is_one_without_tools(revision: str) -> None:
    choices: list[str] = []

    def model(prompts: Any) -> Any:
        choices.append(prompts.tool_choice)
        return adds(prompts, 9) if prompts.tool_choice == "auto" else "I give up."

    sampling = MADE[revision].Sampling(model, max_rounds=2)
    assert think_with(sampling, revision)["text"] == "I give up."
    assert choices == ["auto", "auto", "none"]


def test_model_exceeding_the_rounds_is_stopped() -> None:
    def use(prompts: Any) -> Any:
        name = f"use {prompts.rounds}"
        return types.ToolUseContent(name="add", id=name, input={"a": 1, "b": 2})

    sampling = MADE["2025-11-25"].Sampling(use, max_rounds=2)
    assert think_with(sampling)["error"]["code"] == -32603


def test_server_exceeding_the_rounds_is_stopped() -> None:
    sampling = MADE["2025-11-25"].Sampling(lambda _: "x", max_rounds=0)
    messages = [user(), USE, {"role": "user", "content": [RESULT]}]
    result = sampling_result(sampling_params(messages=messages, tools=[ADD]), sampling)
    assert result == {"error": {"code": -1, "message": "The limit is 0 rounds of tool use"}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_there_may_be_more_rounds_than_the_sdk_has(revision: str) -> None:
    sampling = MADE[revision].Sampling(lambda requests: adds(requests, 15), max_rounds=15)
    assert think_with(sampling, revision, rounds=30)["messages"] == 31


def test_a_request_has_no_more_tokens_than_are_allowed() -> None:
    package = MADE["2025-11-25"]
    requests = package.Sampling(lambda prompts: str(prompts.max_tokens), max_tokens=20)
    assert sampling_result(sampling_params(), requests)["content"]["text"] == "20"
    assert sampling_result(sampling_params(maxTokens=10), requests)["content"]["text"] == "10"


SPENT = {"error": {"code": -1, "message": "The client's limit of tokens is reached"}}


def _spends(tokens: int | None) -> Callable[[Any], Any]:
    return lambda requests: requests.answer(str(requests.max_tokens), tokens=tokens)


@pytest.mark.parametrize(
    ("model", "told_last"),
    [
        (lambda _: "x", ["x", "x", SPENT]),
        (_spends(None), ["50", "30", SPENT]),
        (_spends(10), ["50", "50", "50"]),
        (_spends(70), ["50", "10", SPENT]),
        (lambda requests: requests.refuse(), [REJECTED] * 3),
    ],
    ids=["unknown", "not said", "few", "more than allowed", "refused"],
)
def test_all_answers_together_have_a_limit(model: Any, told_last: list[Any]) -> None:
    sampling = MADE["2025-11-25"].Sampling(model, max_total_tokens=80)
    arguments = {"method": "sampling/createMessage", "params": sampling_params()}
    messages = calling("ask", "2025-11-25", sampling, 3, **arguments)
    assert [
        answer if "error" in answer else answer["content"]["text"] for answer in messages
    ] == told_last
    assert sampling_result(sampling_params(), sampling) == messages[0]  # another client has its own


def test_rejected_request_uses_no_tokens() -> None:
    answers = iter([False, True])
    sampling = MADE["2025-11-25"].Sampling(
        lambda requests: str(requests.max_tokens),
        approve_request=lambda _: next(answers),
        max_total_tokens=50,
    )
    assert sampling_result(sampling_params(), sampling, times=2)["content"]["text"] == "50"


@pytest.mark.parametrize("limit", ["max_rounds", "max_tokens", "max_total_tokens"])
def test_a_limit_below_nothing_is_refused(limit: str) -> None:
    with pytest.raises(ValueError, match=limit):
        ANY.Sampling(adds, **{limit: -1})


def test_a_model_is_a_callable_or_has_rules() -> None:
    of_another_package = MADE["2025-11-25"].Sampling(adds)
    ANY.Client.connect(AskingServer().server, sampling=of_another_package)
