"""An SDK server for every protocol revision without output schemas. Usage: python unpromising.py
CONTRACT [ANSWERS]. ANSWERS is a file of results by tool name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server

NOTE = {"title": "Night", "path": "night.md", "score": 0.5, "modified": "2024-05-01T10:00:00Z"}


def make_result(*values: Any, structured: Any = None) -> dict[str, Any]:
    """Return a result whose blocks are these strings, or the JSON of other values."""
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"content": blocks, **({"structuredContent": structured} if structured else {})}


ANSWERS: dict[str, dict[str, Any]] = {
    "find_notes": make_result({"items": [NOTE], "total": 1, "by_tag": {"sea": 1}, "new": True}),
    "list_tags": make_result([{"name": "sea", "count": 2}, {"name": "sky"}]),
    "read_rows": make_result({"id": 1}, {"id": 2, "note": NOTE}),
    "count_notes": make_result(3),
    "stats": make_result("2 notes", structured={"notes": 2, "bytes": 2.5}),
    "run_query": make_result("rows", structured={"result": '{"rows": [["a", 1, null]]}'}),
    "motd": make_result("Sea and sky"),
    "anything": make_result("ids", structured={"result": [{"id": 1}]}),
    "seen_once": make_result({"ok": True}),
}


def server(contract: Path, answers: dict[str, dict[str, Any]]) -> Server[Any]:
    """Return a server that lists the tools of a contract and gives these answers."""
    tools = json.loads(contract.read_text("utf-8"))["tools"]

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        del ctx, params
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        del ctx
        return types.CallToolResult.model_validate(answers[params.name])

    return Server("notes", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def main() -> None:
    more = json.loads(Path(sys.argv[2]).read_text("utf-8")) if len(sys.argv) > 2 else {}
    serving = server(Path(sys.argv[1]), {**ANSWERS, **more})
    async with stdio_server() as (read, write):
        await serving.run(read, write, serving.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
