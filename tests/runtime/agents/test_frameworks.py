"""The tools in real agent frameworks: the examples, and the peculiarities of each framework. The
frameworks are in the dependency group ``agents``.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import checkers
import pytest
from framework_tools import (
    BROKEN,
    CONTRACT,
    EVERYTHING,
    NEEDED,
    OFFICE,
    TRAPS,
    by_name,
    office,
)
from mcpgen_runtime.agents import tool as runtime_tool
from mcpgen_runtime.agents.definitions import dialects
from mcpgen_runtime.agents.definitions import names as runtime_names
from mcpgen_runtime.agents.definitions import strict as runtime_strict
from mcpgen_runtime.agents.frameworks import google_genai
from paths import CORPUS, HAS_LARGE_CORPUS, ROOT
from runtime.packages import import_client
from runtime.scripted import Scripted, text_result
from skeletons import demo

from mcpgen.demo import server as demo_server

HAS_GOOGLE = sys.version_info >= (3, 11)


needs_google = pytest.mark.skipif(not HAS_GOOGLE, reason="google-genai needs Python 3.11")


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason="needs the dependency group agents"),
    pytest.mark.filterwarnings("ignore"),  # from third-party libraries
]


EXAMPLES = [
    path
    for path in sorted((ROOT / "examples" / "agents").glob("with_*.py"))
    if HAS_GOOGLE or "google" not in path.name
]


PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def bookshelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    from mcpgen.codegen.pipeline import generate

    checkers.write(generate(demo()).files, folder / "bookshelf")
    for path in (ROOT / "examples" / "agents").glob("*.py"):
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    return folder


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_model_recovers_from_an_error_and_gets_an_image(example: Path, bookshelf: Path) -> None:
    completed = subprocess.run(
        [sys.executable, example.name],
        cwd=bookshelf,
        env=os.environ | {"PYTHONPATH": str(bookshelf)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert completed.returncode == 0, completed.stderr
    wrong, right, picture, answer = completed.stdout.splitlines()[-4:]
    assert "/limit: 500 is greater than the maximum of 50" in wrong
    assert "The Night Ferry" in right
    assert "iVBORw0KGgo" in picture or "image/png" in picture or "image.png" in picture
    assert answer == "said: The Night Ferry, from 2011. I have seen its cover."


def test_pyright_is_silent_on_the_examples(bookshelf: Path) -> None:
    for path in EXAMPLES:
        text = (bookshelf / path.name).read_text("utf-8")
        assert "ignore" not in text
        assert sum(1 for line in text.splitlines() if line.strip()) < 35
    settings = {"include": [path.name for path in EXAMPLES], "typeCheckingMode": "strict"}
    (bookshelf / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    run = subprocess.run(
        [*command, "-p", "."], cwd=bookshelf, capture_output=True, text=True, check=False
    )
    result = json.loads(run.stdout)["generalDiagnostics"]
    # Their own types are missing, or unknown in part.
    untyped = ("with_langchain.py", "with_smolagents.py")
    rules = {"reportMissingTypeStubs", "reportUnknownVariableType"}
    assert [
        item["message"]
        for item in result
        if not (Path(item["file"]).name in untyped and item.get("rule") in rules)
    ] == []


def test_mypy_is_silent_on_the_examples(bookshelf: Path) -> None:
    (bookshelf / "mypy.ini").write_text(MYPY)
    command = [sys.executable, "-m", "mypy", *(path.name for path in EXAMPLES)]
    run = subprocess.run(command, cwd=bookshelf, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


# Analyzing their code would take minutes. pyright covers its use.
MYPY = """
[mypy]
strict = True
[mypy-agents.*,anthropic.*,google.*,langchain.*,openai.*,pydantic_ai.*,smolagents.*]
follow_imports = skip
[mypy-smolagents.*]
ignore_missing_imports = True
[mypy-scripted]
follow_imports = silent
"""


def scripted_pydantic_ai(calls: list[tuple[str, dict[str, Any]]], notifications: list[Any]) -> Any:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: list[Any], info: Any) -> Any:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        notifications.append(info.function_tools if not turn else messages[-1].parts[0])
        parts = [ToolCallPart(*calls[turn])] if turn < len(calls) else [TextPart("done")]
        return ModelResponse(parts=parts)

    return FunctionModel(answer)


def test_pydantic_ai_shows_exact_schema_and_survives_errors() -> None:
    from pydantic_ai import Agent

    notifications: list[Any] = []
    wrong = [("ask", {"limit": 51})] * 4
    model = scripted_pydantic_ai([*wrong, ("take_all", EVERYTHING)], notifications)

    async def act(client: Any) -> None:
        agent = Agent(model, tools=client.tools.as_pydantic_ai())
        assert (await agent.run("go")).output == "done"

    requests = office(act)
    offered = {tool.name: tool.parameters_json_schema for tool in notifications[0]}
    assert offered == {name.replace(".", "_"): schema for name, schema in TRAPS.items()}
    assert all("/limit: 51 is greater" in part.content for part in notifications[1:5])
    assert requests == [("take.all", EVERYTHING)]


def test_programming_error_ends_a_pydantic_ai_run() -> None:
    from pydantic_ai import Agent

    async def act(client: Any) -> None:
        model = scripted_pydantic_ai([("ask", {})], [])
        agent = Agent(model, tools=client.tools.as_pydantic_ai())
        with pytest.raises(KeyError, match="/home/ada"):
            await agent.run("go")

    office(act, **BROKEN)


def test_openai_agents_keep_defaults_and_open_objects() -> None:
    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_openai_agents())
        ask = tools["ask"]
        assert ask.params_json_schema == {
            **TRAPS["ask"],
            "properties": TRAPS["ask"]["properties"],
        }
        assert ask.strict_json_schema is False
        assert await tools["take_all"].on_invoke_tool(None, json.dumps(EVERYTHING)) == "ok"
        assert "aren't JSON" in await ask.on_invoke_tool(None, "{")
        assert "/limit" in await ask.on_invoke_tool(None, '{"limit": 51}')

    assert office(act) == [("take.all", EVERYTHING)]


def test_openai_agents_are_strict_where_nothing_is_lost() -> None:
    async def inside() -> None:
        package = import_client(demo(), "frameworks_bookshelf")
        async with package.Client.connect(demo_server) as client:
            tools = by_name(client.tools.as_openai_agents())
            item = demo().tools["get_item"]["inputSchema"]
            assert tools["get_item"].strict_json_schema is True
            assert tools["get_item"].params_json_schema == item
            assert tools["search_catalogue"].strict_json_schema is False
            listed = await tools["show_cover"].on_invoke_tool(None, '{"id": "B-1"}')
            assert (
                listed[1].image_url == "data:image/png;base64," + base64.b64encode(PICTURE).decode()
            )

    anyio.run(inside)


def test_programming_error_ends_an_openai_agents_run() -> None:
    from agents import Agent, Runner, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    set_tracing_disabled(True)

    async def act(client: Any) -> None:
        steps = [[function_call("ask", {}, call_id="1")], [assistant_message("done")]]
        agent = Agent("a", model=ScriptedModel(steps), tools=client.tools.as_openai_agents())
        with pytest.raises(Exception, match="ada"):
            await Runner.run(agent, "go")

    office(act, **BROKEN)


def test_openai_sdk_call_objects_are_accepted() -> None:
    from openai.types.chat import ChatCompletionMessageToolCall
    from openai.types.responses import ResponseFunctionToolCall

    function = {"name": "ask", "arguments": '{"limit": 5.0}'}
    chat = ChatCompletionMessageToolCall.model_validate(
        {"id": "c1", "type": "function", "function": function}
    )
    item = ResponseFunctionToolCall(type="function_call", call_id="c2", **function)

    async def act(client: Any) -> None:
        answer = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
        assert await client.tools.run(chat) == answer
        assert await client.tools.run(item) == {
            "type": "function_call_output",
            "call_id": "c2",
            "output": "ok",
        }

    assert json.dumps(office(act)) == '[["ask", {"limit": 5}], ["ask", {"limit": 5}]]'


@contextmanager
def own_event_loop() -> Iterator[None]:
    """Provide an event loop. pydantic-ai would create one, and leave it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_every_framework_accepts_tools_of_a_sync_client() -> None:
    from anthropic.lib.tools import ToolError
    from pydantic_ai import Agent

    call = {"type": "tool_call", "id": "1", "name": "take_all", "args": EVERYTHING}

    server = Scripted(CONTRACT, **dict.fromkeys(TRAPS, text_result("ok")))
    with OFFICE.Client.sync.connect(server.server) as client:
        tools = by_name(client.tools.as_langchain())
        assert tools["take_all"].invoke(call).content == "ok"
        wrong = {**call, "name": "ask", "args": {"limit": 51}}
        assert tools["ask"].invoke(wrong).status == "error"
        runnable = by_name(client.tools.as_anthropic())
        assert "ok" in str(runnable["take_all"].call(EVERYTHING))
        with pytest.raises(ToolError):
            runnable["ask"].call({"limit": 51})
        model = scripted_pydantic_ai([("take_all", EVERYTHING)], [])
        agent = Agent(model, tools=client.tools.as_pydantic_ai(approval=False))
        with own_event_loop():
            assert agent.run_sync("go").output == "done"
        assert {tool.name for tool in client.tools.as_openai_agents()} >= {"ask", "take_all"}
    assert server.sent == [("take.all", EVERYTHING)] * 3


def test_frameworks_cannot_modify_our_schemas() -> None:
    async def act(client: Any) -> None:
        before = json.dumps(TRAPS)
        tools = by_name([*client.tools.as_langchain(), *client.tools.as_pydantic_ai()])
        tools["ask"].function_schema.json_schema["properties"]["limit"].clear()
        for tool in client.tools.as_openai_agents():
            tool.params_json_schema["properties"].clear()
        for tool in client.tools.as_anthropic():
            tool.to_dict()["input_schema"]["properties"].clear()
        schemas = {name: info.definition["inputSchema"] for name, info in client.tools.items()}
        assert schemas == json.loads(before)

    office(act)


def test_anthropic_runner_logs_programming_errors_without_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from anthropic.lib.tools import ToolError

    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_anthropic())
        with pytest.raises(ToolError) as caught:
            await tools["ask"].call({})
        assert caught.value.content == "The call failed."

    office(act, **BROKEN)
    assert "KeyError: '/home/ada'" in caplog.text


def test_anthropic_names_are_valid_and_mapped_back() -> None:
    from anthropic.lib.tools import ToolError

    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_anthropic())
        assert tools["choose"].to_dict()["input_schema"] == TRAPS["choose"]
        displayed = tools["take_all"].to_dict()["input_schema"]["properties"]
        assert [*displayed][-1] == "a_b" or "a_b" in displayed
        arguments = dict.fromkeys(displayed, "x")
        assert await tools["take_all"].call(arguments) == [{"type": "text", "text": "ok"}]
        with pytest.raises(ToolError) as caught:
            await tools["ask"].call({"limit": 51})
        assert "/limit" in caught.value.content[0]["text"]

    assert office(act) == [("take.all", EVERYTHING)]


@needs_google
def test_google_receives_json_schemas_instead_of_parameters() -> None:
    from google.genai import types
    from pydantic import ValidationError

    async def act(client: Any) -> None:
        (tool,) = client.tools.as_google_genai()
        declared = {declaration.name: declaration for declaration in tool.function_declarations}
        assert declared["choose"].parameters_json_schema == TRAPS["choose"]
        limit = declared["ask"].parameters_json_schema["properties"]["limit"]
        assert limit == TRAPS["ask"]["properties"]["limit"]
        with pytest.raises(ValidationError):
            types.FunctionDeclaration(name="ask", parameters=TRAPS["ask"])
        call = types.FunctionCall(id="1", name="ask", args={"limit": 5.0})
        answer = types.Part.model_validate(await client.tools.run(call))
        assert answer.function_response.response == {"output": "ok"}
        plain = types.Tool.model_validate(
            {"functionDeclarations": client.tools.definitions("gemini")}
        )
        assert plain == tool

    assert json.dumps(office(act)) == '[["ask", {"limit": 5}]]'


def test_signature_reading_frameworks_accept_functions() -> None:
    import agents
    import anthropic
    import pydantic_ai
    from langchain_core.tools import StructuredTool

    async def inside() -> None:
        package = import_client(demo(), "frameworks_functions")
        async with package.Client.connect(demo_server) as client:
            search = client.tools.functions()["search_catalogue"]
            schemas = [
                pydantic_ai.Tool(search).function_schema.json_schema,
                agents.function_tool(search, strict_mode=False).params_json_schema,
                StructuredTool.from_function(coroutine=search).args_schema.model_json_schema(),
                anthropic.beta_async_tool(search).input_schema,
            ]
            for schema in schemas:
                assert schema["required"] == ["query"]
                assert set(schema["properties"]) == {
                    "query",
                    "from_",
                    "genre",
                    "language",
                    "limit",
                }
            answer = await StructuredTool.from_function(coroutine=search).ainvoke(
                {"query": "night"}
            )
            assert "The Night Ferry" in answer

    anyio.run(inside)


def in_order(schema: Any) -> Any:
    """Return a schema with sorted required members, because strict mode changes their order."""
    if isinstance(schema, dict):
        return {
            key: sorted(value) if key == "required" and isinstance(value, list) else in_order(value)
            for key, value in schema.items()
        }
    return [in_order(item) for item in schema] if isinstance(schema, list) else schema


def corpus() -> Iterator[tuple[str, Any]]:
    for path in sorted(CORPUS.rglob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        tools = document.get("tools") if isinstance(document, dict) else None
        listed = tools.values() if isinstance(tools, dict) else tools or []
        for item in listed:
            definition = item.get("definition", item)
            if isinstance(definition.get("inputSchema"), dict):
                yield path.stem, definition


@pytest.mark.skipif(not HAS_LARGE_CORPUS, reason="needs the recorded servers of MCPGEN_CORPUS")
def test_every_framework_accepts_every_corpus_tool() -> None:
    from smolagents.models import get_tool_json_schema

    tool = runtime_tool.AgentTool
    spelled = runtime_names.spell_names
    adapt_schema = dialects.adapt_schema
    args = list(corpus())
    names = spelled({f"{server}__{item['name']}" for server, item in args})
    tools = [
        tool(
            item["name"],
            names[f"{server}__{item['name']}"],
            item.get("description") or "No words.",
            item["inputSchema"],
            None,
            None,
            item,
        )
        for server, item in args
    ]
    assert len(tools) > 2_000
    some = tools if os.environ.get("MCPGEN_ALL") else tools[::7]
    result = {
        name: import_module(f"mcpgen_runtime.agents.frameworks.{name}").adapt_tools(some)
        for name in ("pydantic_ai", "openai_agents", "langchain", "smolagents", "anthropic")
    }
    assert {len(item) for item in result.values()} == {len(some)}
    for tool_of, exact in zip(result["pydantic_ai"], some, strict=True):
        assert tool_of.function_schema.json_schema == exact.schema
    for tool_of, exact in zip(result["openai_agents"], some, strict=True):
        fit = adapt_schema(exact.schema, "openai-responses").schema
        assert in_order(tool_of.params_json_schema) == in_order(fit)
    for tool_of in result["smolagents"]:
        get_tool_json_schema(tool_of)
    if HAS_GOOGLE:
        (declared,) = google_genai.adapt_tools(some)
        assert len(declared.function_declarations) == len(some)
    changed = {
        api: sum(
            adapt_schema(agent_tool.schema, api).schema != agent_tool.schema for agent_tool in tools
        )
        for api in ("openai", "anthropic", "gemini")
    }
    assert changed == {"openai": 16, "anthropic": 9, "gemini": 109}  # the figures in docs/agents.md
    assert all(
        adapt_schema(agent_tool.schema, api).note == "" for agent_tool in tools for api in changed
    )
    is_strict = runtime_strict.is_strict
    assert (
        sum(is_strict(adapt_schema(agent_tool.schema, "openai").schema) for agent_tool in tools)
        == 137
    )
