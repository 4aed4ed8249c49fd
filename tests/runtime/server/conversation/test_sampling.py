"""Server requests other than elicitation: sampling with tools, and roots."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
import sdk_programs
from authored import server, write_project
from mcp import Client, types
from skeletons import MODES, http, raises_mcp, text

TOOLS = types.SamplingCapability(tools=types.SamplingToolsCapability())
BODY = """\
ran = []

async def ask(self, arguments, context):
    answer = await context.sample(
        "q", "Hello?", max_tokens=10, system_prompt="Be brief.", temperature=0.5,
        stop_sequences=["."], metadata={"a": 1},
    )
    return json.dumps([answer.text, answer.model, answer.stop_reason, len(answer.messages)])

async def add(self, arguments, context):
    def run(given):
        self.ran.append(dict(given))
        if given["a"] == 13:
            raise ToolError("thirteen is bad luck")
        if given["a"] == 14:
            raise KeyError("secret")
        return {"sum": given["a"] + given["b"]}
    async def shout(given):
        await anyio.sleep(0)
        return TextContent(type="text", text=given["text"].upper())
    number = {"type": "integer"}
    schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    tools = [
        SamplingTool("add", "Add two numbers.", schema, run),
        SamplingTool("shout", function=shout),
        SamplingTool("own"),
    ]
    answer = await context.sample("q", "Add.", max_tokens=10, tools=tools, max_rounds=2)
    return json.dumps([answer.text, [use.name for use in answer.tool_uses], len(answer.messages)])

async def look(self, arguments, context):
    return " ".join(str(root.uri) for root in await context.roots("r"))
"""
NAMES: dict[str, Any] = {"ask": {}, "add": {}, "look": {}}


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[ModuleType]:
    with server(tmp_path, NAMES, BODY) as module:
        yield module


def text_answer(value: str) -> types.CreateMessageResult:
    content = types.TextContent(type="text", text=value)
    return types.CreateMessageResult(
        role="assistant", content=content, model="m", stop_reason="endTurn"
    )


def using(**uses: Any) -> types.CreateMessageResultWithTools:
    """Return an answer that wants to use tools: their ids with a name and arguments."""
    blocks: list[Any] = [
        types.ToolUseContent(type="tool_use", id=key, name=name, input=arguments)
        for key, (name, arguments) in uses.items()
    ]
    return types.CreateMessageResultWithTools(
        role="assistant", content=blocks, model="m", stop_reason="toolUse"
    )


class Model:
    """Gives its answers in order and records the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[types.CreateMessageRequestParams] = []

    async def __call__(self, context: Any, params: types.CreateMessageRequestParams) -> Any:
        self.asked.append(params)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def results(self) -> list[types.ToolResultContent]:
        """The results of tools in the last request."""
        blocks = self.asked[-1].messages[-1].content_as_list
        return [block for block in blocks if isinstance(block, types.ToolResultContent)]


def run(package: Any, tool: str, mode: str, model: Model, **options: Any) -> Any:
    async def call() -> Any:
        arguments = {"sampling_callback": model, "sampling_capabilities": TOOLS} | options
        async with Client(package, mode=mode, **arguments) as client:  # type: ignore[arg-type]
            return await client.call_tool(tool, {})

    return anyio.run(call)


@pytest.mark.parametrize("mode", MODES)
def test_a_model_is_asked_as_the_author_says(odd: ModuleType, mode: str) -> None:
    model = Model(text_answer("Hi."))
    result = run(odd.server, "ask", mode, model, sampling_capabilities=None)
    assert json.loads(text(result)) == ["Hi.", "m", "endTurn", 2]
    (params,) = model.asked
    assert params.messages == [
        types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Hello?"))
    ]
    assert (params.max_tokens, params.system_prompt, params.temperature) == (10, "Be brief.", 0.5)
    assert (params.stop_sequences, params.metadata, params.tools) == (["."], {"a": 1}, None)


@pytest.mark.parametrize("mode", MODES)
def test_a_models_tools_are_called_once_until_it_answers(odd: ModuleType, mode: str) -> None:
    first = using(u1=("add", {"a": 2, "b": 3}), u2=("shout", {"text": "x"}))
    model = Model(first, using(u3=("add", {"a": 5, "b": 1})), text_answer("6"))
    result = run(odd.server, "add", mode, model)
    assert json.loads(text(result)) == ["6", [], 6]
    assert odd.Tools.ran == [{"a": 2, "b": 3}, {"a": 5, "b": 1}]
    first_results = model.asked[1].messages[-1].content_as_list
    assert [(block.tool_use_id, text(block)) for block in first_results] == [  # type: ignore[union-attr]
        ("u1", '{"sum":5}'),
        ("u2", "X"),
    ]
    assert first_results[0].structured_content == {"sum": 5}  # type: ignore[union-attr]
    tools = model.asked[0].tools or []
    assert [tool.name for tool in tools] == ["add", "shout", "own"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("add", {"a": "2"}, "Invalid arguments for add:\n  /a: '2' is not of type 'integer'"),
        ("gone", {}, "There is no tool gone."),
        ("add", {"a": 13, "b": 1}, "thirteen is bad luck"),
        ("add", {"a": 14, "b": 1}, "The tool add failed."),
    ],
)
def test_model_learns_about_wrong_tool_use_and_continues(
    odd: ModuleType, mode: str, name: str, arguments: Any, message: str
) -> None:
    model = Model(using(u1=(name, arguments)), text_answer("I see."))
    assert json.loads(text(run(odd.server, "add", mode, model)))[0] == "I see."
    (result,) = model.results
    assert result.is_error
    assert text(result).startswith(message)
    assert "secret" not in text(result)


@pytest.mark.parametrize("mode", MODES)
def test_use_of_a_tool_without_function_is_returned(odd: ModuleType, mode: str) -> None:
    model = Model(using(u1=("own", {}), u2=("add", {"a": 1, "b": 1})))
    result = run(odd.server, "add", mode, model)
    assert json.loads(text(result)) == ["", ["own", "add"], 2]
    assert odd.Tools.ran == []


@pytest.mark.parametrize("mode", MODES)
def test_the_last_round_is_without_tools_and_ends_it(odd: ModuleType, mode: str) -> None:
    use = using(u1=("add", {"a": 1, "b": 1}))
    model = Model(use, use, use)
    result = run(odd.server, "add", mode, model)
    assert result.is_error
    assert text(result) == "The model still wants to use tools, after 2 rounds."
    choices = [params.tool_choice and params.tool_choice.mode for params in model.asked]
    assert choices == [None, None, "none"]
    assert len(odd.Tools.ran) == 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "options", "lacking"),
    [
        ("ask", {"sampling_callback": None}, "sampling"),
        ("add", {"sampling_capabilities": None}, "sampling.tools"),
        ("look", {}, "roots"),
    ],
)
def test_missing_client_capability_is_named(
    odd: ModuleType, mode: str, tool: str, options: Any, lacking: str
) -> None:
    with raises_mcp() as error:
        run(odd.server, tool, mode, Model(), **options)
    assert error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
    assert f"{lacking!r}" in error.message


def test_rejected_sampling_raises_in_the_method(odd: ModuleType) -> None:
    refused = types.ErrorData(code=-1, message="User rejected sampling request")
    with raises_mcp() as error:
        run(odd.server, "ask", "legacy", Model(refused))
    assert (error.code, error.message) == (-1, "User rejected sampling request")


@pytest.mark.parametrize("mode", MODES)
def test_client_roots_are_available(odd: ModuleType, mode: str) -> None:
    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///here")])  # type: ignore[arg-type]

    result = run(odd.server, "look", mode, Model(), list_roots_callback=roots)
    assert text(result) == "file:///here"


def test_tool_results_travel_sealed(odd: ModuleType) -> None:
    async def call() -> types.CallToolResult:
        model = Model(using(u1=("add", {"a": 2, "b": 3})), text_answer("5"))
        async with Client(
            odd.server, sampling_callback=model, sampling_capabilities=TOOLS
        ) as client:
            result = await client.session.call_tool("add", {}, allow_input_required=True)
            assert isinstance(result, types.InputRequiredResult)
            use: Any = model.answers[0]
            again = await client.session.call_tool(
                "add",
                {},
                input_responses={"q": use},
                request_state=result.request_state,
                allow_input_required=True,
            )
            assert isinstance(again, types.InputRequiredResult)
            request = (again.input_requests or {})["q:2"]
            assert isinstance(request, types.CreateMessageRequest)
            assert text(request.params.messages[-1].content_as_list[0]) == '{"sum":5}'
            forged = f"{again.request_state}x"
            return await client.session.call_tool(
                "add", {}, input_responses={"q:2": text_answer("5")}, request_state=forged
            )

    with raises_mcp() as error:
        anyio.run(call)
    assert error.message == "Invalid or expired requestState"


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_it_is_the_same_over_stdio_and_http(tmp_path: Path, mode: str) -> None:
    folder = write_project(tmp_path, NAMES, BODY)
    command = sdk_programs.stdio("-m", "odd", env={"PYTHONPATH": str(folder / "src")})

    def model() -> Model:
        return Model(using(u1=("add", {"a": 2, "b": 3})), text_answer("5"))

    assert json.loads(text(run(command, "add", mode, model())))[0] == "5"
    with http(folder) as url:
        assert json.loads(text(run(url, "add", mode, model())))[0] == "5"
