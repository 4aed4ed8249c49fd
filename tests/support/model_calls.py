"""Calls of tools in the formats of models."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from runtime.packages import import_client
from runtime.scripted import Scripted
from skeletons import demo

from mcpgen.contract.document import Contract
from mcpgen.demo import server as demo_server

BOOKSHELF = import_client(demo(), "agents_bookshelf")


def tool(name: str, *, arguments: Any = None, answer: Any = None, **more: Any) -> Any:
    schema = arguments or {"type": "object", "properties": {"x": {"type": "integer"}}}
    result = {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}
    return result if answer is None else {**result, "outputSchema": answer}


CLOSED = {
    "type": "object",
    "properties": {"config": {"type": "string"}, "count": {"type": "integer", "maximum": 9}},
    "required": ["count"],
    "additionalProperties": False,
}

OFFICE = Contract(
    tools={
        entry["name"]: entry
        for entry in [
            tool("read", annotations={"readOnlyHint": True}),
            tool("write.file", arguments=CLOSED),
            tool("number", answer={"type": "object", "properties": {"n": {"type": "integer"}}}),
            tool("list", answer={"type": "object", "properties": {"result": {"type": "array"}}}),
            tool("$odd", arguments={"type": "object", "properties": {"$top": {"type": "integer"}}}),
        ]
    }
)

ROOMS = import_client(OFFICE, "agents_office")


def make_call(api: str, name: str, arguments: Any) -> Any:
    """Return a call in the JSON of an API."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        "openai": {
            "id": "c1",
            "type": "function",
            "function": {"name": name, "arguments": text},
        },
        "openai-responses": {
            "type": "function_call",
            "id": "f1",
            "call_id": "c1",
            "name": name,
            "arguments": text,
        },
        "anthropic": {"type": "tool_use", "id": "c1", "name": name, "input": arguments},
        "gemini": {"id": "c1", "name": name, "args": arguments},
        "mcp": {"name": name, "arguments": arguments},
    }[api]


def text_of(message: Any) -> str:
    """Return the text that a model reads in a message of any API."""
    if "functionResponse" in message:
        (result,) = message["functionResponse"]["response"].values()
        return result if isinstance(result, str) else json.dumps(result)
    content = message.get("output", message.get("content"))
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


def bookshelf(act: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    """Run a function with the client of the demo."""

    async def inside() -> Any:
        async with BOOKSHELF.Client.connect(demo_server, **options) as client:
            return await act(client)

    return anyio.run(inside)


def office(act: Callable[[Any], Awaitable[Any]], options: Any = None, **answers: Any) -> Any:
    """Run a function with the client of a server with these responses."""
    office = Scripted(OFFICE, **{name.replace("__", "."): item for name, item in answers.items()})

    async def inside() -> Any:
        async with ROOMS.Client.connect(office.server, **(options or {})) as client:
            return await act(client)

    return anyio.run(inside)


def run_in_office(call: Any, options: Any = None, **answers: Any) -> Any:
    return office(lambda client: client.tools.run(call), options, **answers)


async def late(ctx: Any, params: Any) -> Any:
    await anyio.sleep(5)


APIS = ["openai", "openai-responses", "anthropic", "gemini", "mcp"]


def ids(messages: list[Any]) -> list[Any]:
    return [json.loads(text_of(message))["item"]["id"] for message in messages[:2]]
