"""A server that lists some tools only to clients with the capabilities they need."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

NEEDS = {
    "plain": (),
    "ask_user": ("elicitation",),
    "ask_model": ("sampling",),
    "look_around": ("roots", "sampling"),
}


async def list_tools(ctx: ServerRequestContext[Any], _: Any) -> types.ListToolsResult:
    able = ctx.session.client_capabilities or types.ClientCapabilities()
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, input_schema={"type": "object"})
            for name, needs in NEEDS.items()
            if all(getattr(able, need) is not None for need in needs)
        ]
    )


async def call_tool(
    ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])


def make_server() -> Server[Any]:
    """Return a new server."""
    return Server("asking", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def main() -> None:
    """Serve over stdin and stdout."""
    server = make_server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
