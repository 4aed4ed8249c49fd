"""The mock follows its contract for the SDK's client and generated ones, over both protocols."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import jsonschema
import pytest
from guards import PATIENCE, until
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.server import Server

from mcpgen import demo
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json
from mcpgen.testing import mock

T = TypeVar("T")


def raw(model: Any) -> Json:
    return model.model_dump(by_alias=True, exclude_none=True)


COVER = {"uriTemplate": "cover://{id}", "name": "cover", "mimeType": "image/png"}
RECORDED: dict[str, Json] = {
    "serverInfo": {"name": "bookshelf", "version": "1.0.0"},
    "tools": [raw(tool.definition) for tool in demo.TOOLS.values()],
    "prompts": [raw(prompt) for prompt in demo.PROMPTS],
    "resources": [raw(demo.RULES)],
    "resourceTemplates": [raw(demo.CARD), {"uriTemplate": "odd://{", "name": "odd"}, COVER],
}
DEMO = read(RECORDED)
ERAS = ("legacy", "2026-07-28")
OBJECT = {"type": "object"}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    era: str = request.param
    return era


def ask(server: Any, era: str, question: Callable[[Client], Awaitable[T]]) -> T:
    async def inside() -> T:
        async with Client(server, mode=era) as client:
            return await question(client)

    return anyio.run(inside)


def offering(*tools: Json) -> Server[Any]:
    return mock.server(read({"tools": list(tools)}))


def text(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


# Lists


def wire(server: Server[Any], era: str, method: str) -> list[dict[str, Json]]:
    """Return the raw result of each page of a list."""

    async def inside() -> list[dict[str, Json]]:
        pages: list[dict[str, Json]] = []
        async with Client(server, mode=era) as client:
            cursor: dict[str, Json] = {}
            while not pages or "nextCursor" in pages[-1]:
                session: Any = client.session
                params = {**_envelope(session), **cursor}
                pages.append(await session._dispatcher.send_raw_request(method, params, {}))
                cursor = {"cursor": pages[-1].get("nextCursor")}
        return pages

    return anyio.run(inside)


def _envelope(session: Any) -> dict[str, Json]:
    key = "io.modelcontextprotocol"
    meta = {f"{key}/protocolVersion": session.protocol_version, f"{key}/clientCapabilities": {}}
    return {"_meta": meta} if session.protocol_version >= mock.MODERN else {}


@pytest.mark.parametrize(
    ("method", "member"),
    [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ],
)
def test_lists_hold_the_definitions_of_the_contract(method: str, member: str) -> None:
    (page,) = wire(mock.server(DEMO), "2026-07-28", method)
    assert page[member] == RECORDED[member]


def test_properties_unknown_to_the_sdk_are_listed(era: str) -> None:
    schema = {"type": "object", "default": None, "properties": {"a": {"default": None}}}
    tool = {"name": "a", "description": None, "inputSchema": schema, "tags": ["x"]}
    (page,) = wire(offering(tool), era, "tools/list")
    assert page["tools"] == [tool]


def test_many_tools_are_paged_in_recorded_order(era: str) -> None:
    tools = [{"name": f"t{number * 77 % 250:03}", "inputSchema": OBJECT} for number in range(250)]
    pages = wire(offering(*tools), era, "tools/list")
    assert [len(page["tools"]) for page in pages] == [100, 100, 50]
    assert [tool for page in pages for tool in page["tools"]] == tools


@pytest.mark.parametrize("cursor", ["x", "0", "-1", "9999"])
def test_unknown_cursor_is_rejected(era: str, cursor: str) -> None:
    async def question(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.list_tools(cursor=cursor)
        return caught.value.code

    assert ask(mock.server(DEMO), era, question) == types.INVALID_PARAMS


def test_tool_rejected_by_the_sdk_does_not_affect_others(era: str) -> None:
    odd = [
        {"name": "bare"},
        {"name": "loose", "inputSchema": {"properties": {}}},
        {"name": "open", "inputSchema": OBJECT, "outputSchema": True},
    ]
    tools = ask(offering(*odd), era, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["bare", "loose", "open"]


def test_absent_kinds_are_not_supported(era: str) -> None:
    async def question(client: Client) -> list[int]:
        codes = []
        for request in (client.list_prompts(), client.list_resources()):
            with pytest.raises(MCPError) as caught:
                await request
            codes.append(caught.value.code)
        return codes

    assert ask(offering(), era, question) == [types.METHOD_NOT_FOUND] * 2


# Calls


@pytest.mark.parametrize("seed", range(5))
def test_an_answer_conforms_to_the_output_schema(era: str, seed: int) -> None:
    arguments = {"query": "rain"}
    server = mock.server(DEMO, seed)
    result = ask(server, era, lambda client: client.call_tool("search_catalogue", arguments))
    schema = DEMO.tools["search_catalogue"]["outputSchema"]
    jsonschema.Draft202012Validator(schema).validate(result.structured_content)
    assert json.loads(text(result)) == result.structured_content


def test_the_same_seed_and_arguments_give_the_same_answer() -> None:
    def answer(seed: int, query: str) -> str:
        server = mock.server(DEMO, seed)
        result = ask(server, ERAS[1], lambda c: c.call_tool("search_catalogue", {"query": query}))
        return text(result)

    assert answer(1, "rain") == answer(1, "rain")
    assert answer(1, "rain") != answer(2, "rain")
    assert answer(1, "rain") != answer(1, "snow")


def test_recorded_examples_come_first(era: str) -> None:
    examples = [{"id": "B-1"}, {"id": 7}]
    output = {"type": "object", "properties": {"id": {"type": "string"}}, "examples": examples}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}
    result = ask(offering(tool), era, lambda client: client.call_tool("a", {}))
    assert result.structured_content == {"id": "B-1"}


def test_non_object_result_is_structured_since_2026_07_28() -> None:
    output = {"type": "array", "items": {"const": 3}, "minItems": 1, "maxItems": 1}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}

    async def question(client: Client) -> tuple[Json, Json, str]:
        listed = (await client.list_tools()).tools[0].output_schema
        result = await client.call_tool("a", {})
        return listed, result.structured_content, text(result)

    assert ask(offering(tool), "legacy", question) == (None, None, "[3]")
    assert ask(offering(tool), "2026-07-28", question) == (output, [3], "[3]")


def test_a_tool_without_output_schema_answers_with_text(era: str) -> None:
    result = ask(mock.server(DEMO), era, lambda c: c.call_tool("show_cover", {"id": "B-1"}))
    assert text(result) == 'show_cover: done with id = "B-1"'
    assert result.structured_content is None


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


def test_unsatisfiable_output_schema_is_a_tool_error(era: str) -> None:
    output = {"type": "object", "required": ["a"], "properties": {"a": {"enum": []}}}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}
    result = ask(offering(tool), era, lambda client: client.call_tool("a", {}))
    assert result.is_error
    assert text(result).endswith("the output schema of a /a")


def test_an_unknown_tool_is_a_protocol_error(era: str) -> None:
    async def question(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("burn_everything", {})
        return caught.value.code

    assert ask(mock.server(DEMO), era, question) == types.INVALID_PARAMS


# Prompts and resources


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


def test_an_image_is_read_as_one(era: str) -> None:
    result = ask(mock.server(DEMO), era, lambda client: client.read_resource("cover://B-1"))
    (contents,) = result.contents
    assert isinstance(contents, types.BlobResourceContents)
    assert contents.mime_type == "image/png"


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


# Other client requests

TALKING = read(
    {
        **RECORDED,
        "capabilities": {
            "tools": {"listChanged": True},
            "prompts": {},
            "resources": {"subscribe": True},
            "logging": {},
            "completions": {},
        },
    }
)


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


@pytest.mark.parametrize(("level", "count"), [("debug", 1), ("info", 1), ("warning", 0), (None, 0)])
def test_calls_are_logged_at_the_requested_level(
    era: str, level: types.LoggingLevel | None, count: int
) -> None:
    calls: list[str] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        calls.append(f"{params.level}: {params.data}")

    async def inside() -> None:
        modern = level if era != "legacy" else None
        async with Client(
            mock.server(TALKING), mode=era, logging_callback=note, log_level=modern
        ) as client:
            if era == "legacy" and level is not None:
                await client.session.send_request(
                    types.SetLevelRequest(params=types.SetLevelRequestParams(level=level)),
                    types.EmptyResult,
                )
            await client.call_tool("show_cover", {"id": "B-1"})

    anyio.run(inside)
    assert calls == ["info: show_cover was called"] * count


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


# The command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "contract.json"
    path.write_text(DEMO.text(), encoding="utf-8")
    return path


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "mcpgen", "mock", *map(str, args)]


def start(*args: str | Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*args), stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def over_http(file: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with start(file, "--http", "0") as process:
        assert process.stderr
        line = process.stderr.readline()
        url = next(part.rstrip(";") for part in line.split() if part.startswith("http://"))
        yield process, url
        process.kill()


async def tool_names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.sampled(1)
def test_it_serves_over_stdio(file: Path, era: str) -> None:
    _, *args = command(file, "--quiet")
    server = StdioServerParameters(command=sys.executable, args=args)
    assert ask(server, "legacy" if era == "legacy" else "auto", tool_names) == list(demo.TOOLS)


def test_it_serves_over_http_until_interrupted(
    over_http: tuple[subprocess.Popen[str], str],
) -> None:
    process, url = over_http
    for era in ERAS:
        assert retry(lambda era=era: ask(url, era, tool_names)) == list(demo.TOOLS)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert process.stderr
    assert process.stderr.read() == ""


def retry(attempt: Callable[[], T]) -> T:
    """Retry, because the port opens before the server is ready."""
    results: list[T] = []

    def answers() -> bool:
        with contextlib.suppress(Exception):
            results.append(attempt())
        return bool(results)

    until(answers)
    return results[0]


def test_it_ends_with_its_input(file: Path) -> None:
    completed = subprocess.run(
        command(file), input="", capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    message = "serving a mock of bookshelf with 8 tools over stdio; end the input to stop\n"
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", message)


def test_it_is_interrupted_while_it_waits(file: Path) -> None:
    with start(file) as process:
        assert process.stdin
        assert process.stdout
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "test", "version": "1"}
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        print(json.dumps(request), file=process.stdin, flush=True)
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("address", ["web", "65536", "127.0.0.1:", "-1"])
def test_invalid_port_is_a_usage_error(file: Path, address: str) -> None:
    completed = subprocess.run(
        command(file, f"--http={address}"), capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert completed.stderr == (
        f"error: {address!r} is not a valid port\n  at   --http\n"
        "hint: try: --http 8000, or --http 0.0.0.0:8000\n"
    )


def test_a_port_in_use_is_a_usage_error(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        args = command(file, "--http", str(port))
        completed = subprocess.run(args, capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    assert completed.stderr.startswith(f"error: 127.0.0.1:{port} cannot be listened on: ")
    assert "Traceback" not in completed.stderr


def test_unsupported_features_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "contract.json"
    path.write_text(json.dumps({"tools": [], "capabilities": {"tools": {}, "tasks": {}}}))
    completed = subprocess.run(command(path), input="", capture_output=True, text=True, check=False)
    assert completed.stderr.startswith("notice: /capabilities/tasks")
    assert "no tool runs as a task" in completed.stderr


def test_a_missing_contract_says_how_to_get_one(tmp_path: Path) -> None:
    args = command(tmp_path / "none.json")
    completed = subprocess.run(args, capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    assert "mcpgen record <server>" in completed.stderr


def test_an_empty_contract_is_served() -> None:
    assert ask(mock.server(Contract(tools={})), ERAS[1], tool_names) == []
