"""An SDK server for both protocols, which tests kill, freeze and restart.

Usage: python sdk_server.py stdio, or python sdk_server.py PORT, which first prints its port
and its process ID.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from raw_server import TOOLS


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    del ctx, params
    return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in TOOLS])


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Respond to ``ask`` and ``cry`` at once with the process ID, and never to ``beg``."""
    if params.name == "beg":
        await anyio.sleep_forever()
    text = json.dumps({"tool": params.name, "pid": os.getpid(), "meta": bool(params.meta)})
    await ctx.session.report_progress(1, 1, "done")
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


SERVER: Server[Any] = Server("real", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio() -> None:
    async with stdio_server() as (read, write):
        await SERVER.run(read, write, SERVER.create_initialization_options())


def over_http(port: int) -> None:
    import uvicorn

    listening = socket.create_server(("127.0.0.1", port), backlog=256)
    print(listening.getsockname()[1], os.getpid(), flush=True)
    settings = uvicorn.Config(SERVER.streamable_http_app(), log_level="error", ws="none")
    uvicorn.Server(settings).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        anyio.run(over_stdio)
    else:
        over_http(int(sys.argv[1]))
