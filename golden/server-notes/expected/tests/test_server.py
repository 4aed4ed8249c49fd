"""What every server of this contract must do. This file is yours: mcpgen does not change it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters

from notes import __file__ as location
from notes.server import server

PACKAGE = Path(location).parent
CONTRACT: dict[str, Any] = json.loads(
    (PACKAGE / "_generated" / "contract.json").read_text("utf-8")
)
EXAMPLES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "examples.json").read_text("utf-8")
)


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


@pytest.mark.parametrize("tool", sorted(EXAMPLES))
def test_a_tool_answers(tool: str, caplog: pytest.LogCaptureFixture) -> None:
    """Call a tool with made-up arguments: it may refuse them, but it must not fail."""

    async def call() -> tuple[bool, str]:
        async with Client(server) as client:
            result = await client.call_tool(tool, EXAMPLES[tool])
        texts = [block.text for block in result.content if block.type == "text"]
        return bool(result.is_error), "\n".join(texts)

    is_error, said = anyio.run(call)
    if is_error and said.endswith("is not implemented yet."):
        pytest.skip(said)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert not said.startswith("Invalid arguments")


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
