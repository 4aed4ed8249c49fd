"""A server that lists a contract's definitions and returns data generated from its schemas."""

from __future__ import annotations

import json
from typing import Any

from instances import NoInstanceError, instance
from mcp import types
from mcp.server import Server, ServerRequestContext

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

MODERN = "2026-07-28"
Context = ServerRequestContext[Any]


class StandIn:
    """The server, and the arguments with which each tool was last called.

    ``page`` splits lists, as servers with many tools do.
    """

    def __init__(self, contract: Contract, page: int = 50) -> None:
        self.contract, self.page = contract, page
        self.calls: dict[str, Json] = {}
        self.server: Server[Any] = Server(
            "stand-in",
            version="1",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )

    async def list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:
        start = int(params.cursor) if params and params.cursor else 0
        raw = list(self.contract.tools.values())
        tools = [sdk_tool(tool, ctx.protocol_version) for tool in raw[start : start + self.page]]
        more = start + self.page < len(raw)
        return types.ListToolsResult(
            tools=tools, next_cursor=str(start + self.page) if more else None
        )

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        self.calls[params.name] = arguments
        schema = self.contract.tools[params.name].get("outputSchema")
        if observed := self.contract.observed.get(params.name):
            return observed_result(observed)
        if schema is None:
            return types.CallToolResult(content=[types.TextContent(type="text", text="done")])
        answer = answers(schema)
        text = types.TextContent(type="text", text=json.dumps(answer))
        if ctx.protocol_version < MODERN and not isinstance(answer, dict):
            return types.CallToolResult(content=[text])
        return types.CallToolResult(content=[text], structured_content=answer)

    async def list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:
        raw = self.contract.prompts.values()
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(item) for item in raw])

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        text = json.dumps(params.arguments or {}, sort_keys=True)
        block = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=block)])

    async def list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:
        raw = self.contract.resources.values()
        items = [types.Resource.model_validate(item) for item in raw]
        return types.ListResourcesResult(resources=items)

    async def list_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        raw = self.contract.resource_templates.values()
        items = [types.ResourceTemplate.model_validate(item) for item in raw]
        return types.ListResourceTemplatesResult(resource_templates=items)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        contents = types.TextResourceContents(uri=str(params.uri), text=f"read {params.uri}")
        return types.ReadResourceResult(contents=[contents])


def observed_result(observed: Json) -> types.CallToolResult:
    """Return a result of the observed kind."""
    source, data = observed["from"], answers(observed.get("schema", {"const": "done"}))
    text = data if source == "text" else json.dumps(data)
    texts = [json.dumps(item) for item in data] if source == "json blocks" else [text]
    blocks: list[Any] = [types.TextContent(type="text", text=item) for item in texts]
    contents = {"structured": data, "json in result": {"result": text}}.get(source)
    if source == "structured" and not isinstance(data, dict):
        contents = {"result": data}
    return types.CallToolResult(content=blocks, structured_content=contents)


def answers(schema: Json) -> Json:
    """Return the stand-in's result for an output schema."""
    try:
        return instance(schema)
    except NoInstanceError:
        return {}


def sdk_tool(raw: Any, revision: str) -> types.Tool:
    """Return a definition that the SDK can send. The SDK rejects non-object roots."""
    schema = raw.get("inputSchema")
    tool = {
        **raw,
        "inputSchema": {**(schema if isinstance(schema, dict) else {}), "type": "object"},
    }
    output = tool.get("outputSchema")
    if not isinstance(output, dict) or (revision < MODERN and output.get("type") != "object"):
        tool.pop("outputSchema", None)
    return types.Tool.model_validate(tool)
