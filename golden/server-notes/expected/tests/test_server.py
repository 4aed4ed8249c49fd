"""Tests the server against its contract. This file is yours: mcpgen doesn't change it.

Tools are called with the arguments in _generated/examples.json, which are generated
from the contract. Write better ones to tests/examples.json, by the name of the tool.
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
    """Return the JSON object in a file, or an empty one without the file."""
    content: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return content


CONTRACT = read(PACKAGE / "_generated" / "contract.json")
EXAMPLES: dict[str, dict[str, Any]] = {
    **read(PACKAGE / "_generated" / "examples.json"),
    **read(Path(__file__).parent / "examples.json"),
}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_of_the_contract_are_published(mode: Literal["auto", "legacy"]) -> None:
    async def published_schemas() -> dict[str, Any]:
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
        return {tool.name: tool.input_schema for tool in tools}

    entries = CONTRACT["tools"].items()
    schemas = {name: input_schema(entry["definition"]) for name, entry in entries}
    assert anyio.run(published_schemas) == schemas


def input_schema(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's input schema. Arguments are always an object."""
    schema: dict[str, Any] = definition.get("inputSchema") or {}
    return schema | {"type": "object"}


@pytest.mark.parametrize("tool", sorted(EXAMPLES.keys() & CONTRACT["tools"].keys()))
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tool_returns_a_result(
    tool: str, mode: Literal["auto", "legacy"], caplog: pytest.LogCaptureFixture
) -> None:
    """Call a tool with example arguments, which it may reject. It must not crash."""

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

    is_error, text = anyio.run(call)
    if is_error and text.endswith("is not implemented yet."):
        pytest.skip(text)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert not text.startswith("Invalid arguments")


# The responses of the client's user, model and editor to requests of tools. Change them
# if a tool needs others.


async def answer(
    context: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    """Fill in a form, or open a page."""
    if params.mode == "url":
        return types.ElicitResult(action="accept")
    fields: dict[str, dict[str, Any]] = params.requested_schema.get("properties", {})
    content = {name: value_of(schema) for name, schema in fields.items()}
    return types.ElicitResult(action="accept", content=content)


def value_of(schema: dict[str, Any]) -> Any:
    """Return a value for a form's field."""
    if "default" in schema:
        return schema["default"]
    choices = schema.get("enum") or [item["const"] for item in schema.get("oneOf", ())]
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
    """Return a fixed text instead of calling a model."""
    content = types.TextContent(type="text", text="text")
    return types.CreateMessageResult(role="assistant", content=content, model="test")


async def no_roots(context: ClientRequestContext) -> types.ListRootsResult:
    """Return no folders."""
    return types.ListRootsResult(roots=[])


@pytest.mark.parametrize("uri", sorted(CONTRACT.get("resources", {})))
def test_listed_resource_can_be_read(uri: str) -> None:
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
def test_listed_prompt_can_be_rendered(prompt: str) -> None:
    """Get a prompt, unless it is not implemented yet."""
    definitions: list[dict[str, Any]] = CONTRACT["prompts"][prompt].get("arguments", [])
    arguments = {str(definition["name"]): "text" for definition in definitions}

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


def test_server_starts_over_stdio() -> None:
    async def names() -> set[str]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "notes"],
            env={"PYTHONPATH": str(PACKAGE.parent)},
        )
        async with Client(command) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(names) == set(CONTRACT["tools"])
