"""What a server must do by its contract. This file is yours: mcpgen does not change it.

Tools are called with the arguments in _generated/examples.json, which follow the
contract. Write better ones into tests/examples.json, each by the name of its tool.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client import ClientRequestContext

from notes import __file__ as location
from notes.server import server

PACKAGE = Path(location).parent


def read(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file, an empty one if there is no file."""
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


CONTRACT = read(PACKAGE / "_generated" / "contract.json")
EXAMPLES: dict[str, dict[str, Any]] = {
    **read(PACKAGE / "_generated" / "examples.json"),
    **read(Path(__file__).parent / "examples.json"),
}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_contracts_tools_are_published(mode: Literal["auto", "legacy"]) -> None:
    async def published() -> dict[str, Any]:
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
        return {tool.name: tool.input_schema for tool in tools}

    entries = CONTRACT["tools"].items()
    wanted = {name: input_schema(entry["definition"]) for name, entry in entries}
    assert anyio.run(published) == wanted


def input_schema(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, which are always an object."""
    schema: dict[str, Any] = definition.get("inputSchema") or {}
    return schema | {"type": "object"}


@pytest.mark.parametrize("tool", sorted(EXAMPLES.keys() & CONTRACT["tools"].keys()))
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_tool_answers(
    tool: str, mode: Literal["auto", "legacy"], caplog: pytest.LogCaptureFixture
) -> None:
    """Call a tool with made-up arguments: it may refuse them, but it must not fail."""

    async def call() -> tuple[bool, str]:
        async with Client(
            server,
            mode=mode,
            elicitation_callback=answer,
            sampling_callback=complete,
            sampling_capabilities=SAMPLING,
            list_roots_callback=no_roots,
        ) as client:
            result = await client.call_tool(tool, EXAMPLES[tool])
        texts = [block.text for block in result.content if block.type == "text"]
        return bool(result.is_error), "\n".join(texts)

    is_error, said = anyio.run(call)
    if is_error and said.endswith("is not implemented yet."):
        pytest.skip(said)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert not said.startswith("Invalid arguments")


# What the user, the model and the editor of a client answer when a tool asks them: change it
# where a tool needs another answer.


async def answer(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    """Fill in a form, or visit a page."""
    if params.mode == "url":
        return types.ElicitResult(action="accept")
    asked: dict[str, dict[str, Any]] = params.requested_schema.get("properties", {})
    content = {name: value_of(schema) for name, schema in asked.items()}
    return types.ElicitResult(action="accept", content=content)


def value_of(schema: dict[str, Any]) -> Any:
    """Return a value of a form's field: at most a list of choices, never an object."""
    if "default" in schema:
        return schema["default"]
    choices = schema.get("enum") or [each["const"] for each in schema.get("oneOf", ())]
    if choices:
        return choices[0]
    if schema.get("type") == "array":
        items = dict(schema.get("items", {}))
        items["oneOf"] = items.get("oneOf") or items.get("anyOf") or []
        return [value_of(items)] * max(1, schema.get("minItems", 1))
    if schema.get("type") in ("integer", "number"):
        return min(max(1, schema.get("minimum", 1)), schema.get("maximum", math.inf))
    if schema.get("type") == "boolean":
        return True
    text = FORMATS.get(schema.get("format", ""), "text")
    return text[: schema.get("maxLength")].ljust(schema.get("minLength", 0), "x")


FORMATS = {
    "email": "ada@example.org",
    "uri": "https://example.org",
    "date": "2026-03-02",
    "date-time": "2026-03-02T09:30:00Z",
}


SAMPLING = types.SamplingCapability(tools=types.SamplingToolsCapability())


async def complete(
    context: ClientRequestContext, params: types.CreateMessageRequestParams
) -> types.CreateMessageResult:
    """ToolOutput as a model might."""
    said = types.TextContent(type="text", text="text")
    return types.CreateMessageResult(role="assistant", content=said, model="test")


async def no_roots(context: ClientRequestContext) -> types.ListRootsResult:
    """Give the server no folder to look at."""
    return types.ListRootsResult(roots=[])


@pytest.mark.parametrize("uri", sorted(CONTRACT.get("resources", {})))
def test_a_listed_resource_is_read(uri: str) -> None:
    """Read a resource, unless it is not implemented yet."""

    async def read_resource() -> types.ReadResourceResult | str:
        async with Client(server) as client:
            try:
                return await client.read_resource(uri)
            except MCPError as error:
                if not error.message.endswith("is not implemented yet"):
                    raise
                return error.message

    result = anyio.run(read_resource)
    if isinstance(result, str):
        pytest.skip(result)
    assert result.contents


@pytest.mark.parametrize("prompt", sorted(CONTRACT.get("prompts", {})))
def test_a_listed_prompt_is_filled_in(prompt: str) -> None:
    """Get a prompt, unless it is not implemented yet."""
    listed: list[dict[str, Any]] = CONTRACT["prompts"][prompt].get("arguments", [])
    arguments = {str(each["name"]): "text" for each in listed}

    async def get_prompt() -> types.GetPromptResult | str:
        async with Client(server) as client:
            try:
                return await client.get_prompt(prompt, arguments)
            except MCPError as error:
                if not error.message.endswith("is not implemented yet"):
                    raise
                return error.message

    result = anyio.run(get_prompt)
    if isinstance(result, str):
        pytest.skip(result)
    assert result.messages


def test_it_starts_over_stdio() -> None:
    async def names() -> set[str]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "notes"],
            env={"PYTHONPATH": str(PACKAGE.parent)},
        )
        async with Client(command) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(names) == set(CONTRACT["tools"])
