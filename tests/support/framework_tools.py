"""Tools as agent frameworks receive them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from runtime.packages import import_client
from runtime.scripted import Scripted, text_result

from mcpgen.contract.document import Contract

NEEDED = ("agents", "anthropic", "langchain", "openai", "pydantic_ai", "smolagents")

NODE = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}},
}

TRAPS: dict[str, Any] = {
    "take.all": {  # names that frameworks reserve, and an invalid Python name
        "type": "object",
        "properties": {
            name: {"type": "string"}
            for name in ("config", "run_manager", "self", "callbacks", "ctx", "from", "a b")
        },
    },
    "ask": {  # keywords dropped by strict modes
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "default": 10, "maximum": 50},
            "more": {"type": "object"},
            "kind": {"const": "a"},
        },
        "x-order": 1,
    },
    "choose": {  # keywords lost in parameter lists
        "type": "object",
        "properties": {
            "what": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"enum": ["all"]}]},
            "any": {},
            "node": {"$ref": "#/$defs/Node"},
            "size": {"enum": [1, 2]},
        },
        "$defs": {"Node": NODE},
    },
}

CONTRACT = Contract(
    tools={
        name: {"name": name, "description": f"Does {name}.", "inputSchema": schema}
        for name, schema in TRAPS.items()
    }
)

OFFICE = import_client(CONTRACT, "frameworks_office")

EVERYTHING = dict.fromkeys(TRAPS["take.all"]["properties"], "x")


def office(act: Callable[[Any], Awaitable[Any]], **options: Any) -> list[Any]:
    """Use a client and return the requests that the server received."""
    server = Scripted(CONTRACT, **dict.fromkeys(TRAPS, text_result("ok")))

    async def inside() -> None:
        async with OFFICE.Client.connect(server.server, **options) as client:
            await act(client)

    anyio.run(inside)
    return server.sent


def by_name(tools: list[Any]) -> dict[str, Any]:
    return {tool.name: tool for tool in tools}


def broken(*_: Any) -> bool:
    raise KeyError("/home/ada")


BROKEN: Any = {"confirm": broken}
