"""A mock with scripted responses, faults and recorded calls, over both protocols."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from guards import PATIENCE
from mcp import Client, MCPError, types
from mcpgen_runtime.replay.call_records import RecordedCall, line_of
from mcpgen_runtime.replay.definition import definition_hash
from paths import ROOT

from mcpgen.contract.document import Contract, read
from mcpgen.errors import McpgenError
from mcpgen.jsontext import Json, loads
from mcpgen.testing import mock

T = TypeVar("T")

COUNT: Json = {
    "name": "count",
    "inputSchema": {"type": "object", "properties": {"of": {"type": "string"}}},
    "outputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    },
}
SAY: Json = {"name": "say", "inputSchema": {"type": "object"}}
TASK: Json = {"name": "make", **{k: COUNT[k] for k in ("inputSchema", "outputSchema")}}
RECORDED: dict[str, Json] = {
    "serverInfo": {"name": "counter", "version": "1"},
    "capabilities": {
        "logging": {},
        "tools": {"listChanged": True},
        "resources": {"subscribe": True},
    },
    "tools": [COUNT, SAY, {**TASK, "execution": {"taskSupport": "optional"}}],
    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
    "resources": [{"uri": "a://b", "name": "b"}],
}
ERAS = ("legacy", "2026-07-28")


def contract(**parts: Json) -> Contract:
    return read({**RECORDED, **parts})


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    era: str = request.param
    return era


@pytest.fixture
def rules(tmp_path: Path) -> Callable[..., Path]:
    def write(*entries: Json) -> Path:
        path = tmp_path / "answers.json"
        path.write_text(json.dumps(entries))
        return path

    return write


def ask_server(
    server: Any, era: str, question: Callable[[Client], Awaitable[T]], **options: Any
) -> T:
    async def inside() -> T:
        async with Client(server, mode=era, **options) as client:
            with anyio.fail_after(PATIENCE):
                return await question(client)

    return anyio.run(inside)


def calling(name: str, **arguments: Json) -> Callable[[Client], Awaitable[Any]]:
    return lambda client: client.call_tool(name, arguments)


def refusal(server: Any, era: str, question: Callable[[Client], Awaitable[Any]]) -> MCPError:
    async def protocol_error(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await question(client)
        return caught.value

    return ask_server(server, era, protocol_error)


# Canned answers


def test_first_rule_matching_the_arguments_wins(era: str, rules: Callable[..., Path]) -> None:
    path = rules(
        {"tool": "count", "arguments": {"of": "a"}, "answer": {"n": 1}},
        {"tool": "count", "answer": {"n": 2}},
        {"tool": "count", "answer": {"n": 3}},
    )
    server = mock.server(contract(), answers=path)
    assert ask_server(server, era, calling("count", of="a")).structured_content == {"n": 1}
    assert ask_server(server, era, calling("count", of="b")).structured_content == {"n": 2}


def test_true_is_not_one() -> None:
    from mcpgen.testing.mock.response_rules import Rule

    rule = Rule("tool", "t", {"a": 1, "b": {"c": []}})
    assert rule.fits("tool", "t", {"a": 1.0, "b": {"c": [], "d": 2}, "e": 3})
    assert not rule.fits("tool", "t", {"a": True, "b": {"c": []}})
    assert not rule.fits("tool", "t", {"a": 1, "b": {"c": [1]}})
    assert not rule.fits("prompt", "t", {"a": 1, "b": {"c": []}})


def test_rule_limited_by_times_is_followed_by_the_next(
    era: str, rules: Callable[..., Path]
) -> None:
    path = rules(
        {"tool": "count", "error": "busy", "times": 2}, {"tool": "count", "answer": {"n": 7}}
    )

    async def question(client: Client) -> list[bool | None]:
        return [(await client.call_tool("count", {})).is_error for _ in range(3)]

    results = ask_server(mock.server(contract(), answers=path), era, question)
    assert [bool(level) for level in results] == [True, True, False]


def test_texts_results_prompts_and_resources_are_answered(
    era: str, rules: Callable[..., Path]
) -> None:
    path = rules(
        {"tool": "say", "text": ["one", "two"]},
        {"tool": "count", "result": {"content": [], "structuredContent": {"n": None}}},
        {"prompt": "greet", "arguments": {"who": "A"}, "text": "Hello A"},
        {"resource": "a://b", "text": "inside"},
    )
    server = mock.server(contract(), answers=path)
    result = ask_server(server, era, calling("say"))
    assert [block.text for block in result.content] == ["one", "two"]
    prompt = ask_server(server, era, lambda client: client.get_prompt("greet", {"who": "A"}))
    assert [message.content.text for message in prompt.messages] == ["Hello A"]
    other = ask_server(server, era, lambda client: client.get_prompt("greet", {"who": "B"}))
    assert other.messages != prompt.messages
    read_ = ask_server(server, era, lambda client: client.read_resource("a://b"))
    assert [content.text for content in read_.contents] == ["inside"]


def test_error_is_a_tool_error_or_a_protocol_error(era: str, rules: Callable[..., Path]) -> None:
    path = rules(
        {"tool": "say", "error": "no"},
        {"tool": "count", "error": {"code": -32099, "message": "odd", "data": {"a": 1}}},
        {"resource": "a://b", "error": "gone"},
    )
    server = mock.server(contract(), answers=path)
    assert ask_server(server, era, calling("say")).is_error
    error = refusal(server, era, calling("count")).error
    assert (error.code, error.message, error.data) == (-32099, "odd", {"a": 1})
    assert refusal(server, era, lambda c: c.read_resource("a://b")).error.message == "gone"


def test_a_delay_comes_before_the_answer(rules: Callable[..., Path]) -> None:
    server = mock.server(contract(), answers=rules({"tool": "say", "delay": 3600}))

    async def question(client: Client) -> bool:
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("say", {})
        return scope.cancelled_caught

    assert ask_server(server, "legacy", question)


MISTAKES: list[tuple[Json, str, str]] = [
    ("say", "", "the value isn't an object"),
    ({"text": "a"}, "", "expected one of tool, prompt, resource"),
    ({"tool": "sing"}, "/tool", 'the contract has no tool "sing"; it has count, make, say'),
    ({"tool": "say", "reply": 1}, "/reply", '"reply" is not one of answer, arguments, '),
    ({"tool": "say", "text": "a", "drop": True}, "/drop", "only one response is allowed"),
    ({"tool": "say", "delay": "1"}, "/delay", '"1" is not a number of seconds'),
    ({"tool": "say", "times": 0}, "/times", "0 is no count"),
    ({"tool": "say", "drop": False}, "/drop", "false is not true"),
    ({"tool": "say", "error": {"code": 1}}, "/error", "is neither a string nor an object"),
    ({"tool": "count", "answer": {"n": "x"}}, "/answer/n", "the output schema of count forbids"),
    ({"prompt": "greet", "answer": 1}, "/answer", "a prompt needs text"),
    ({"tool": "say", "changed": "prompts"}, "/changed", "the contract does not declare"),
]


@pytest.mark.parametrize(("entry", "pointer", "problem"), MISTAKES)
def test_each_error_in_the_file_has_a_pointer(
    rules: Callable[..., Path], entry: Json, pointer: str, problem: str
) -> None:
    path = rules({"tool": "say"}, entry)
    with pytest.raises(McpgenError) as caught:
        mock.server(contract(), answers=path)
    assert caught.value.where == f"{path}/1{pointer}"
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("answers.yaml", "- tool: say\n  text: hello\n"),
        ("answers.toml", '[[answers]]\ntool = "say"\ntext = "hello"\n'),
        ("answers.json", '{"answers": [{"tool": "say", "text": "hello"}]}'),
    ],
)
def test_the_file_is_yaml_toml_or_json(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    result = ask_server(mock.server(contract(), answers=path), "legacy", calling("say"))
    assert [block.text for block in result.content] == ["hello"]


def test_a_mistake_in_yaml_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("- tool: say\n  delay: soon\n")
    with pytest.raises(McpgenError) as caught:
        mock.server(contract(), answers=path)
    assert caught.value.where == f"{path}:2:3"


def test_missing_file_or_non_list_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(McpgenError, match="the file cannot be read"):
        mock.server(contract(), answers=tmp_path / "none.yaml")
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(McpgenError, match="the value isn't a list of responses"):
        mock.server(contract(), answers=tmp_path / "a.json")
    (tmp_path / "calls.jsonl").write_text("\n[]\n")
    with pytest.raises(McpgenError) as caught:
        mock.server(contract(), replay=tmp_path / "calls.jsonl")
    assert caught.value.where.endswith("calls.jsonl:2")
    (tmp_path / "calls.jsonl").write_text('\n\n{"kind": tool}\n')
    with pytest.raises(McpgenError, match="not JSON: Expecting value, in column 10") as caught:
        mock.server(contract(), replay=tmp_path / "calls.jsonl")
    assert (caught.value.where, caught.value.hint) == (
        f"{tmp_path / 'calls.jsonl'}:3",
        "delete the line, or record its call again",
    )
    with pytest.raises(McpgenError, match="the recorded calls cannot be read") as caught:
        mock.server(contract(), replay=tmp_path / "none.jsonl")
    assert caught.value.hint.startswith("record calls with: connect(record=")


# Recorded calls


@pytest.fixture
def calls(tmp_path: Path) -> Callable[..., Path]:
    def write(*call_record: RecordedCall) -> Path:
        path = tmp_path / "calls.jsonl"
        path.write_text("".join(f"{line_of(call)}\n" for call in call_record))
        return path

    return write


def count_call(n: int, **more: Any) -> RecordedCall:
    result = {"content": [], "structuredContent": {"n": n}}
    return RecordedCall("tool", "count", {"of": "a"}, result, **more)


def test_recorded_calls_are_replayed_in_order_repeating_the_last(
    era: str, calls: Callable[..., Path]
) -> None:
    server = mock.server(contract(), replay=calls(count_call(1), count_call(2)))

    async def question(client: Client) -> list[Any]:
        results = [await client.call_tool("count", {"of": "a"}) for _ in range(3)]
        return [result.structured_content for result in results]

    assert ask_server(server, era, question) == [{"n": 1}, {"n": 2}, {"n": 2}]
    error = refusal(server, era, calling("count", of="b")).error
    assert error.message.startswith("not recorded: no call has these arguments")
    assert '/of: recorded "a", now "b"' in error.message


def test_a_recorded_call_of_another_definition_is_stale(
    era: str, calls: Callable[..., Path]
) -> None:
    fresh = count_call(1, definition=definition_hash(COUNT))
    server = mock.server(contract(), replay=calls(fresh))
    assert ask_server(server, era, calling("count", of="a")).structured_content == {"n": 1}
    server = mock.server(contract(), replay=calls(count_call(1, definition="0" * 16)))
    assert "other schemas" in refusal(server, era, calling("count", of="a")).error.message


def test_recorded_errors_prompts_and_resources_are_answered(
    era: str, calls: Callable[..., Path]
) -> None:
    path = calls(
        RecordedCall(
            "tool", "say", {}, error={"type": "ProtocolError", "code": -5, "message": "x"}
        ),
        RecordedCall("tool", "say", {"a": 1}, error={"type": "ToolError", "message": "bad"}),
        RecordedCall("prompt", "greet", {"who": "A"}, {"messages": []}),
        RecordedCall("resource", "a://b", {}, {"contents": [{"uri": "a://b", "text": "t"}]}),
    )
    server = mock.server(contract(), replay=path)
    assert refusal(server, era, calling("say")).error.code == -5
    assert ask_server(server, era, calling("say", a=1)).is_error
    prompt = ask_server(server, era, lambda client: client.get_prompt("greet", {"who": "A"}))
    assert prompt.messages == []
    result = ask_server(server, era, lambda client: client.read_resource("a://b"))
    assert [content.uri for content in result.contents] == ["a://b"]


def test_answers_of_the_file_come_before_recorded_ones(
    rules: Callable[..., Path], calls: Callable[..., Path]
) -> None:
    path = rules({"tool": "count", "answer": {"n": 9}, "times": 1})
    server = mock.server(contract(), answers=path, replay=calls(count_call(1)))

    async def question(client: Client) -> list[Any]:
        results = [await client.call_tool("count", {"of": "a"}) for _ in range(2)]
        return [result.structured_content for result in results]

    assert ask_server(server, "legacy", question) == [{"n": 9}, {"n": 1}]


# Conversation


async def accept(*_: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"size": 1})


async def decline(*_: Any) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


def test_a_question_is_asked_before_the_answer(era: str, rules: Callable[..., Path]) -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    ask = {"message": "How big?", "schema": schema}
    path = rules({"tool": "count", "ask": ask, "answer": {"n": 4}, "times": 1})
    server = mock.server(contract(), answers=path)
    declined = ask_server(server, era, calling("count"), elicitation_callback=decline)
    assert declined.is_error
    used = ask_server(server, era, calling("count"), elicitation_callback=accept)
    assert used.structured_content == {"n": 4}


def test_recorded_tool_capabilities_decide_who_sees_a_tool(
    era: str,
) -> None:
    from dataclasses import replace

    asking = replace(contract(), tool_capabilities={"count": ["elicitation"]})

    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert ask_server(mock.server(asking), era, names) == ["say", "make"]
    assert "count" in ask_server(mock.server(asking), era, names, elicitation_callback=accept)
    used = ask_server(mock.server(asking), era, calling("count"), elicitation_callback=accept)
    assert not used.is_error
    refusal(mock.server(asking), era, calling("count"))


def test_messages_of_the_file_are_logged(era: str, rules: Callable[..., Path]) -> None:
    messages: list[str] = []

    async def hear(params: types.LoggingMessageNotificationParams) -> None:
        messages.append(params.data)

    server = mock.server(contract(), answers=rules({"tool": "say", "log": ["one", "two"]}))

    async def question(client: Client) -> None:
        if era == "legacy":
            params = types.SetLevelRequestParams(level="info")
            await client.session.send_request(
                types.SetLevelRequest(params=params), types.EmptyResult
            )
        await client.call_tool("say", {})

    level = "info" if era != "legacy" else None
    ask_server(server, era, question, logging_callback=hear, log_level=level)
    assert messages == ["one", "two"]


def test_changed_rules_notify_subscribed_clients(era: str, rules: Callable[..., Path]) -> None:
    path = rules({"tool": "say", "changed": ["tools", "a://b"]})
    messages: list[str] = []

    async def hear(message: Any) -> None:
        messages.append(message.method)

    async def question(client: Client) -> None:
        if era == "legacy":
            params = types.SubscribeRequestParams(uri="a://b")
            request = types.SubscribeRequest(params=params)
            await client.session.send_request(request, types.EmptyResult)
            await client.call_tool("say", {})
            while len(messages) < 2:
                await anyio.sleep(0.01)
            return
        async with client.listen(
            tools_list_changed=True, resource_subscriptions=["a://b"]
        ) as subscription:
            await client.call_tool("say", {})
            async for event in subscription:
                messages.append(type(event).__name__)
                if len(messages) == 2:
                    return

    options = {"message_handler": hear} if era == "legacy" else {}
    ask_server(mock.server(contract(), answers=path), era, question, **options)
    assert len(messages) == 2


@pytest.mark.parametrize("page", ["mock.md"])
def test_documented_rule_files_are_valid_for_the_demo(page: str, tmp_path: Path) -> None:
    bookshelf = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))
    text = (ROOT / "docs" / page).read_text("utf-8")
    displayed = [part.split("```")[0] for part in text.split("```yaml\n")[1:] if "tool:" in part]
    assert displayed
    for item in displayed:
        (tmp_path / "answers.yaml").write_text(item, "utf-8")
        mock.server(bookshelf, answers=tmp_path / "answers.yaml")
