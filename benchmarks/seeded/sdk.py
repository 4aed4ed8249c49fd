"""Shared code of the seeded servers on the SDK's low-level server: tools, checks, and the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anyio
from jsonschema import Draft202012Validator
from mcp import MCPError, types
from mcp.server import Server
from mcp.server.stdio import stdio_server

READ = {"read_only_hint": True}
SAFE = {"read_only_hint": False, "destructive_hint": False}
DESTROYS = {"read_only_hint": False, "destructive_hint": True}
TOOLS: dict[str, types.Tool] = {}
BODIES: dict[str, Any] = {}


def tool(text: str, arguments: Any, result: Any = None, **hints: Any) -> Any:
    """Make a tool of a function."""

    def add(body: Any) -> Any:
        TOOLS[body.__name__] = types.Tool(
            name=body.__name__,
            description=text,
            input_schema=arguments,
            output_schema=result,
            annotations=types.ToolAnnotations(**hints),
        )
        BODIES[body.__name__] = body
        return body

    return add


def validators(schema_of: Callable[[str, Any], Any]) -> dict[str, Draft202012Validator]:
    """Return the validator of each tool's arguments, by a function that may change schemas."""
    return {
        name: Draft202012Validator(schema_of(name, item.input_schema))
        for name, item in TOOLS.items()
    }


def valid_arguments(checks: Mapping[str, Draft202012Validator], params: Any) -> Any:
    """Return the arguments of a call, or refuse it."""
    if params.name not in TOOLS:
        raise MCPError(types.INVALID_PARAMS, f"unknown tool {params.name}")
    arguments = params.arguments or {}
    for error in checks[params.name].iter_errors(arguments):
        pointer = "/".join(map(str, error.absolute_path))
        raise MCPError(types.INVALID_PARAMS, f"invalid arguments: {pointer}: {error.validator}")
    return arguments


def user_prompt(text: str) -> types.GetPromptResult:
    """Return a prompt with a single text."""
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


async def _list_tools(_ctx: Any, _page: Any) -> Any:
    return types.ListToolsResult(tools=list(TOOLS.values()))


def serve(name: str, **handlers: Any) -> None:
    """Serve the tools over stdio, with further handlers of the SDK."""
    server: Server[Any] = Server(name, version="1", on_list_tools=_list_tools, **handlers)

    async def main() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
