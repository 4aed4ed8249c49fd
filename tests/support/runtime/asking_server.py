"""A server that makes any configured request to its client, over both protocols, in process or
as a program.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Literal

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from mcpgen.contract.document import Contract

MODERN = "2026-07-28"

REQUESTS: dict[str, Any] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (
        types.CreateMessageRequest,
        types.CreateMessageResultWithTools,
    ),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}

ADD: dict[str, Any] = {
    "name": "add",
    "description": "Adds two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
}


def _tool(name: str, **properties: Any) -> dict[str, Any]:
    required = list(properties)
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema}


TOOLS = [
    _tool("ask", method={"type": "string"}, params={"type": "object"}),
    _tool("think", rounds={"type": "integer"}),
    _tool("declared"),
    _tool("news"),
    _tool("die"),
]


class AskingServer:
    """The server. `news` counts notifications about changed roots."""

    def __init__(self) -> None:
        self.news = 0
        self.server: Server[Any] = Server(
            "asking", on_list_tools=self.list_tools, on_call_tool=self.call_tool
        )
        self.server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self.on_roots_changed
        )

    async def on_roots_changed(self, ctx: Any, params: Any) -> None:
        self.news += 1

    async def list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in TOOLS])

    async def call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> Any:
        arguments = params.arguments or {}
        if params.name == "die":
            os._exit(3)
        if params.name == "news":
            return json_result(self.news)
        if params.name == "declared":
            return json_result(client_capabilities(ctx, params))
        if params.name == "think":
            return await think(ctx, params, arguments["rounds"])
        answer = await ask(ctx, params, "one", arguments["method"], arguments["params"], None)
        return answer if isinstance(answer, types.InputRequiredResult) else json_result(answer)


async def ask(ctx: Any, call: Any, key: str, *expected: Any) -> Any:
    """Return the client's answer or error, or the result that requests it."""
    method, params, state = expected
    kind, result = REQUESTS[method]
    wire = {"method": method, "params": params} if params else {"method": method}
    request = kind.model_validate(wire)
    if ctx.protocol_version < MODERN:
        try:
            answer = await ctx.session.send_request(request, result)
        except MCPError as error:
            return {"error": {"code": error.code, "message": error.message}}
        return answer.model_dump(by_alias=True, exclude_none=True, mode="json")
    if call.input_responses and key in call.input_responses:
        results = call.input_responses[key]
        return results.model_dump(by_alias=True, exclude_none=True, mode="json")
    return types.InputRequiredResult(input_requests={key: request}, request_state=state)


async def think(ctx: Any, call: Any, rounds: int) -> Any:
    """Let the client's model add numbers until it answers, and return the answer."""
    text = {"role": "user", "content": {"type": "text", "text": "How much is it?"}}
    messages = json.loads(call.request_state) if call.request_state else [text]
    for _ in range(rounds):
        params = {"messages": messages, "maxTokens": 50, "tools": [ADD]}
        state = json.dumps(messages)
        answer = await ask(ctx, call, "model", "sampling/createMessage", params, state)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        if "error" in answer:
            return json_result(answer)
        call.input_responses = None
        content = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
        uses = [block for block in content if block["type"] == "tool_use"]
        if not uses:
            return json_result({"text": content[0]["text"], "messages": len(messages)})
        results = [
            {
                "type": "tool_result",
                "toolUseId": use["id"],
                "content": [{"type": "text", "text": str(use["input"]["a"] + use["input"]["b"])}],
            }
            for use in uses
        ]
        messages = [
            *messages,
            {"role": "assistant", "content": content},
            {"role": "user", "content": results},
        ]
    return json_result({"text": "never"})


def client_capabilities(ctx: Any, params: Any) -> Any:
    """Return the declared client capabilities."""
    if ctx.protocol_version >= MODERN:
        return params.meta["io.modelcontextprotocol/clientCapabilities"]
    capabilities = ctx.session.client_params.capabilities
    return capabilities.model_dump(by_alias=True, exclude_none=True, mode="json")


def json_result(value: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=json.dumps(value))])


def contract(revision: Literal["2025-11-25", "2026-07-28"]) -> Contract:
    """Return the recorded contract of this server."""
    tools = {tool["name"]: tool for tool in TOOLS}
    return Contract(tools=tools, revision=revision, server={"name": "asking"})


async def _over_stdio() -> None:
    server = AskingServer().server
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    assert sys.argv[1:] == []
    anyio.run(_over_stdio)
