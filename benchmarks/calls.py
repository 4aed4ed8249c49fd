"""Compares a typed call with the SDK's ``call_tool``, by the number of returned items.

Both call the same tool of a server in the same process. The SDK validates the result by jsonschema
and returns dictionaries, the generated client returns dataclasses.
"""

from __future__ import annotations

import gc
import importlib
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
import timing
from mcp import Client, types
from mcp.server import Server
from timing import Row

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract
from mcpgen.files import write
from mcpgen.jsontext import Json

SIZES = (1, 10, 100, 1000)
ITEM: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "rank": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "rank", "tags"],
    "additionalProperties": False,
}
RESULT: Json = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
    "required": ["items"],
    "$defs": {"Item": ITEM},
}
# No type expresses this, so the generated client validates by the schema, like the SDK.
CHECKED: Json = {**RESULT, "not": {"required": ["error"]}}
ARGUMENTS: Json = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
}
TOOLS: dict[str, dict[str, Json]] = {
    "list_items": {"name": "list_items", "inputSchema": ARGUMENTS, "outputSchema": RESULT},
    "list_checked": {"name": "list_checked", "inputSchema": ARGUMENTS, "outputSchema": CHECKED},
    "list_unsaid": {"name": "list_unsaid", "inputSchema": ARGUMENTS},
}
ITEMS = {
    size: {"items": [{"id": str(n), "rank": n, "tags": ["a", "b"]} for n in range(size)]}
    for size in SIZES
}


def server() -> Server[Any]:
    """Return a server that returns the requested number of items."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(t) for t in TOOLS.values()])

    async def call_tool(_context: Any, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[], structured_content=ITEMS[params.arguments["count"]])

    return Server("bench", on_list_tools=list_tools, on_call_tool=call_tool)


async def measure(package: Any, repeat: int) -> list[Row]:
    """Call the same server in each way, in turn."""
    rows: list[Row] = []
    async with (
        Client(server()) as sdk,
        package.BenchClient.connect(server(), confirm=None) as typed,
    ):
        await sdk.list_tools()  # the SDK validates only results of listed tools
        for size in SIZES:
            rows.append(await _row(sdk, typed, size, repeat))
    return rows


async def _row(sdk: Client, typed: Any, size: int, repeat: int) -> Row:
    count = {"count": size}
    result = await timing.awaited(
        {
            "sdk": lambda: sdk.call_tool("list_items", count),
            "sdk, no schema": lambda: sdk.call_tool("list_unsaid", count),
            "typed": lambda: typed.list_items(count=size),
            "typed, schema": lambda: typed.list_checked(count=size),
            "response": lambda: typed.response(typed.list_items, count=size),
        },
        rounds=repeat,
        calls=max(3, 100 // size),
    )
    return {
        "items": size,
        **result,
        "sdk / typed": result["sdk"] / result["typed"],
        "schema / typed": result["typed, schema"] / result["typed"],
    }


def main() -> None:
    """Print the duration of each kind of call in milliseconds."""
    repeat = timing.repeat(__doc__ or "", 11)
    logging.disable(logging.CRITICAL)
    generated = generate(Contract(tools=TOOLS), Options(name="bench"))
    with tempfile.TemporaryDirectory() as folder:
        write.write(generated.files, Path(folder) / "bench")
        sys.path.insert(0, folder)
        package = importlib.import_module("bench")
        gc.freeze()
        print("Milliseconds a call, in process\n")
        print(timing.table(anyio.run(measure, package, repeat)))


if __name__ == "__main__":
    main()
