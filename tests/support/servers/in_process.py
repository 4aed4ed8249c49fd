"""Servers to record within this process: SDK servers, and objects that aren't servers."""

from __future__ import annotations

import os
from typing import Any

from mcp import types
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

print("imported, and printing on stdout")

mcp = MCPServer("high", instructions=os.environ.get("GREETING", "none"))


@mcp.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    schema: dict[str, Any] = {"type": "object"}
    return types.ListToolsResult(tools=[types.Tool(name="low_tool", input_schema=schema)])


low: Server[Any] = Server("low", on_list_tools=list_tools)


async def never(ctx: Any, params: Any) -> types.ListToolsResult:
    import anyio

    await anyio.sleep(60)
    raise AssertionError


stuck: Server[Any] = Server("stuck", on_list_tools=never)


async def leave(ctx: Any, params: Any) -> types.ListToolsResult:
    raise SystemExit("enough")


leaving: Server[Any] = Server("leaving", on_list_tools=leave)
nothing = 7
