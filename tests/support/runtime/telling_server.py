"""A server that notifies clients of changes on request, in process, as a program or over HTTP."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from mcpgen.contract.document import Contract

LEVELS: tuple[Any, ...] = ("debug", "info", "warning", "error")


def make_server() -> MCPServer:
    """Return a new server with the recorded tools."""
    server = MCPServer("telling")

    @server.tool()
    async def grow(ctx: Context) -> str:
        """Add a tool and notify clients."""
        server.add_tool(lambda: "new", name="grown")
        await tell_tools(ctx)
        return "grown"

    @server.tool()
    async def turn(ctx: Context) -> str:
        """Replace ``echo`` incompatibly and notify clients."""
        server.remove_tool("echo")
        server.add_tool(lambda number: f"{number}", name="echo")
        await tell_tools(ctx)
        return "turned"

    @server.tool()
    async def widen(ctx: Context) -> str:
        """Add an argument to ``echo`` and notify clients."""
        server.remove_tool("echo")

        def echo(text: str, times: int = 1) -> str:
            """Repeat a text several times."""
            return text * times

        server.add_tool(echo, name="echo")
        await tell_tools(ctx)
        return "widened"

    @server.tool()
    def echo(text: str) -> str:
        """Repeat a text."""
        return text

    @server.tool()
    async def touch(uri: str, ctx: Context) -> str:
        """Notify clients that a resource has changed."""
        if ctx.request_context.protocol_version < "2026":
            if uri in subscribed:
                await ctx.request_context.session.send_resource_updated(uri)
        else:
            await ctx.notify_resource_updated(uri)
        return uri

    @server.tool()
    async def log(ctx: Context) -> str:
        """Log a message of each level."""
        for level in LEVELS:
            await ctx.log(level, f"a {level}", logger_name="telling")
        return "logged"

    @server.tool()
    def die() -> str:
        """End the process at once."""
        os._exit(3)

    @server.resource("note://1")
    def note() -> str:
        return "text"

    subscribed: set[str] = set()
    low: Any = server._lowlevel_server

    async def subscribe(ctx: Any, params: Any) -> Any:
        from mcp.types import EmptyResult

        subscribed.add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(ctx: Any, params: Any) -> Any:
        from mcp.types import EmptyResult

        subscribed.discard(str(params.uri))
        return EmptyResult()

    from mcp.types import SubscribeRequestParams, UnsubscribeRequestParams

    low.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
    return server


async def tell_tools(ctx: Context) -> None:
    if ctx.request_context.protocol_version < "2026":
        await ctx.request_context.session.send_tool_list_changed()
    else:
        await ctx.notify_tools_changed()


async def contract(revision: Literal["2025-11-25", "2026-07-28"]) -> Contract:
    """Return the recorded contract of this server."""
    server = make_server()
    tools = [t.model_dump(by_alias=True, exclude_none=True) for t in await server.list_tools()]
    resources = [
        r.model_dump(by_alias=True, exclude_none=True, mode="json")
        for r in await server.list_resources()
    ]
    return Contract(
        tools={tool["name"]: tool for tool in tools},
        resources={resource["uri"]: resource for resource in resources},
        revision=revision,
        server={"name": "telling"},
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        make_server().run("streamable-http", port=int(os.environ["PORT"]))
    else:
        make_server().run("stdio")
