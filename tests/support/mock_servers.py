"""Mocks of contracts, and their clients."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, types
from mcp.server import Server

from mcpgen import demo
from mcpgen.contract.document import read
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


async def tool_names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


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
