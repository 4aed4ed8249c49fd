"""The example server follows its contract, tested with the SDK's client over both protocols."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters, types

from mcpgen.demo import COVER, PROMPTS, TOOLS, server

Open = Callable[[], AbstractAsyncContextManager[Client]]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "search_catalogue": {"query": "night", "genre": "crime", "from": 2000, "language": None},
    "get_item": {"id": "F-1"},
    "browse_shelves": {},
    "list_opening_hours": {},
    "show_cover": {"id": "B-1"},
    "borrow_item": {"id": "B-1", "member": "ada@example.org", "weeks": 3},
    "withdraw_items": {"ids": ["B-1"], "reason": "worn"},
    "take_inventory": {},
}


@pytest.fixture(params=["legacy", "2026-07-28"])
def connect(request: pytest.FixtureRequest) -> Open:
    @asynccontextmanager
    async def open_client() -> AsyncIterator[Client]:
        async with Client(server, mode=request.param) as client:
            yield client

    return open_client


def run(connect: Open, ask: Callable[[Client], Any]) -> Any:
    async def inside() -> Any:
        async with connect() as client:
            return await ask(client)

    return anyio.run(inside)


def text(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


def test_every_tool_is_called_below() -> None:
    assert sorted(ARGUMENTS) == sorted(TOOLS)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_a_result_conforms_to_the_output_schema(connect: Open, name: str) -> None:
    result = run(connect, lambda client: client.call_tool(name, ARGUMENTS[name]))
    assert not result.is_error
    schema = TOOLS[name].definition.output_schema
    if schema is not None and result.structured_content is not None:
        jsonschema.Draft202012Validator(schema).validate(result.structured_content)
    assert (schema is None) == (name == "show_cover")


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_schemas_are_valid_and_published_as_written(connect: Open, name: str) -> None:
    listed = run(connect, lambda client: client.list_tools()).tools
    tool = next(tool for tool in listed if tool.name == name)
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    assert tool.input_schema == TOOLS[name].definition.input_schema


def test_an_array_is_structured_only_since_2026_07_28() -> None:
    async def hours(mode: str) -> tuple[types.Tool, types.CallToolResult]:
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
            tool = next(tool for tool in tools if tool.name == "list_opening_hours")
            return tool, await client.call_tool("list_opening_hours", {})

    tool, result = anyio.run(hours, "legacy")
    assert tool.output_schema is None
    assert result.structured_content is None
    assert text(result).startswith('[{"day": "monday"')
    tool, result = anyio.run(hours, "2026-07-28")
    assert tool.output_schema is not None
    assert isinstance(result.structured_content, list)


def test_invalid_arguments_return_an_error_with_pointer(connect: Open) -> None:
    arguments = {"query": "rain", "limit": 51}
    result = run(connect, lambda client: client.call_tool("search_catalogue", arguments))
    assert result.is_error
    assert text(result) == "invalid arguments at $.limit: 51 is greater than the maximum of 50"


def test_failed_tool_suggests_a_fix(connect: Open) -> None:
    arguments = {"id": "B-2", "member": "ada@example.org"}
    result = run(connect, lambda client: client.call_tool("borrow_item", arguments))
    assert result.is_error
    assert "try another item" in text(result)


def test_an_unknown_tool_is_a_protocol_error(connect: Open) -> None:
    async def ask(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("burn_everything", {})
        return caught.value.code

    assert run(connect, ask) == types.INVALID_PARAMS


def test_a_cover_comes_as_text_and_image(connect: Open) -> None:
    result = run(connect, lambda client: client.call_tool("show_cover", {"id": "F-1"}))
    assert [block.type for block in result.content] == ["text", "image"]
    assert result.content[1].data == COVER


def test_progress_is_reported_after_each_item(connect: Open) -> None:
    calls: list[tuple[float, float | None, str | None]] = []

    async def note(completed: float, total: float | None, message: str | None) -> None:
        calls.append((completed, total, message))

    run(connect, lambda client: client.call_tool("take_inventory", {}, progress_callback=note))
    assert calls[0] == (1, 3, "counted A Field Guide to Rain")
    assert len(calls) == 3


def test_prompts_are_filled_in(connect: Open) -> None:
    async def ask(client: Client) -> list[str]:
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == [prompt.name for prompt in PROMPTS]
        arguments = {"genre": "crime", "mood": "awake"}
        answers = [
            await client.get_prompt("recommend", arguments),
            await client.get_prompt("welcome"),
        ]
        return [answer.messages[0].content.text for answer in answers]  # pyright: ignore[reportAttributeAccessIssue] - all are text

    recommend, welcome = run(connect, ask)
    assert recommend == "Recommend one item of the genre crime for someone who feels awake."
    assert "opening hours" in welcome


@pytest.mark.parametrize(
    ("uri", "start"),
    [("bookshelf://rules", "Be quiet."), ("bookshelf://items/B-2", '{"kind": "book", "id": "B-2"')],
)
def test_resources_are_read(connect: Open, uri: str, start: str) -> None:
    result = run(connect, lambda client: client.read_resource(uri))
    assert result.contents[0].text.startswith(start)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_it_serves_over_stdio(mode: str) -> None:
    async def ask() -> list[str]:
        command = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
        async with Client(command, mode=mode) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(ask) == list(TOOLS)
