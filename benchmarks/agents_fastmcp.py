"""Runs scripts in FastMCP's code mode. Its Python needs fastmcp[code-mode].

Input: {"tools": [...], "scripts": [...]}. Output: the names of the tools that each script called.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.tools.base import Tool, ToolResult


class Recorded(Tool):
    """A tool that records its calls and returns nothing."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Record a call."""
        CALLED.append([self.name, arguments])
        return ToolResult(content=[], structured_content={})


CALLED: list[Any] = []


async def main() -> None:
    """Run each script, and print its calls."""
    request_ = json.load(sys.stdin)
    server = FastMCP("server", transforms=[CodeMode()])
    for tool in request_["tools"]:
        server.add_tool(
            Recorded(
                name=tool["name"],
                description="",
                parameters=tool["inputSchema"],
                output_schema=None,
            )
        )
    results = []
    async with Client(server) as client:
        for script in request_["scripts"]:
            CALLED.clear()
            result = await client.call_tool("execute", {"code": script}, raise_on_error=False)
            text = "".join(getattr(block, "text", "") for block in result.content)
            results.append(
                {"called": list(CALLED), "error": bool(result.is_error), "said": text[:300]}
            )
    print(json.dumps(results))


logging.disable(logging.CRITICAL)
asyncio.run(main())
