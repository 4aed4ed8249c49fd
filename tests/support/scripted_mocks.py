"""Mocks with scripted responses."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from guards import PATIENCE
from mcp import Client

from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json

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
