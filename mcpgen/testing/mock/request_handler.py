"""Responds to calls, prompts and resources by rules, by recorded calls, or with examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from mcp import MCPError, types
from mcp.server.mcpserver import ResourceSecurity
from mcpgen_runtime.replay.definition import definition_hash
from mcpgen_runtime.server.task_protocol.task import Task

from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, Resource, Tool
from mcpgen.contract.document import Contract
from mcpgen.isolation import reason, surviving
from mcpgen.jsontext import Json
from mcpgen.testing.mock.conversation import Conversation
from mcpgen.testing.mock.questions import ask
from mcpgen.testing.mock.response_rules import Kind, Rule
from mcpgen.testing.mock.results import (
    MODERN,
    Context,
    error_result,
    prompt_result,
    put,
    resource_contents,
    template_variables,
    tool_result,
)
from mcpgen.testing.mock.scripted_responses import ScriptedResponses
from mcpgen.testing.mock.tasks import Tasks

_NOTHING: Mapping[str, Any] = {}
_NOT_FOUND = -32002  # the code for an unknown resource, up to 2025-11-25


@dataclass(frozen=True)
class Answering:
    """Responds to requests by the contract, and by files with rules or recorded calls."""

    contract: Contract
    api: Api
    seed: int
    canned: ScriptedResponses
    conversation: Conversation
    tasks: Tasks

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The parsed tools by name."""
        return {tool.name: tool for tool in self.api.tools}

    @cached_property
    def templates(self) -> Sequence[Resource]:
        """The templates in listed order. The first match counts."""
        templates = {template.uri: template for template in self.api.templates}
        uris = [
            raw["uriTemplate"] for raw in self.contract.definitions_in_order("resourceTemplates")
        ]
        return [templates[uri] for uri in uris if uri in templates]

    @cached_property
    def logs(self) -> bool:
        """Whether requests are logged."""
        return "logging" in capabilities.capabilities_to_declare(self.contract)

    def input_schema(self, name: str) -> Mapping[str, Json] | None:
        """Return the schema that declares which arguments are repeated in headers."""
        tool = self.tools.get(name)
        return tool.input.raw if tool and tool.input else None

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Respond directly or with a task."""
        tool = self.tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        run = partial(self._call_tool, ctx, tool, params)
        rule = self.canned.rules.matching("tool", tool.name, params.arguments or {})
        is_fault = rule is not None and rule.answer in ("drop", "garbage")  # on this connection
        if self.tasks.takes(ctx, params) and not is_fault:
            return self.tasks.start(ctx, run)
        return await run(None)

    async def _call_tool(
        self,
        ctx: Context,
        tool: Tool,
        params: types.CallToolRequestParams,
        task: Task | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        arguments = params.arguments or {}
        rule = self.canned.rules.matching("tool", tool.name, arguments)
        question = self._question(tool, rule)
        if question is not None:
            answer = await ask(ctx, params, task, question)
            if isinstance(answer, types.InputRequiredResult):
                return answer
            if answer.action != "accept":
                return error_result(f"the user answered: {answer.action}")
        await self._tell(ctx, f"{tool.name} was called", rule)
        if await self._is_put("tool", tool.name, arguments, ctx, rule):
            return types.CallToolResult(content=[])
        return self._made_up(tool, arguments, ctx.protocol_version)

    def _question(self, tool: Tool, rule: Rule | None) -> Mapping[str, Json] | None:
        """Return the question of a rule, or of a tool that was recorded with elicitation."""
        if rule is not None and rule.ask is not None:
            return rule.ask
        if "elicitation" in self.contract.tool_capabilities.get(tool.name, ()):
            return {"message": f"May {tool.title or tool.name} go on?"}
        return None

    def _made_up(
        self, tool: Tool, arguments: dict[str, Json], revision: str
    ) -> types.CallToolResult:
        results, failures = surviving(
            [tool],
            lambda tools: [tool_result(item, arguments, revision, self.seed) for item in tools],
        )
        if failures:
            return error_result(f"{reason(failures[0].error)}; please report this")
        return results[0]

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Render a prompt."""
        prompt = next((p for p in self.api.prompts if p.name == params.name), None)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        arguments = params.arguments or {}
        if await self._is_told_and_put("prompt", prompt.name, arguments, ctx):
            return types.GetPromptResult(messages=[])
        return prompt_result(prompt, arguments)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read a listed resource, or one that matches a template."""
        uri = str(params.uri)
        if await self._is_told_and_put("resource", uri, _NOTHING, ctx):
            return types.ReadResourceResult(contents=[])
        fixed = [(r, _NOTHING) for r in self.api.resources if r.uri == uri]
        matched = [(t, template_variables(t.uri, uri)) for t in self.templates]
        fitting = [(r, values) for r, values in (*fixed, *matched) if values is not None]
        # The SDK's servers reject these URIs, such as paths outside a folder, and so does the mock.
        if not fitting or ResourceSecurity().validate(fitting[0][1]) is not None:
            code = types.INVALID_PARAMS if ctx.protocol_version >= MODERN else _NOT_FOUND
            raise MCPError(code, f"Unknown resource: {uri}")
        resource, variables = fitting[0]
        return types.ReadResourceResult(contents=[resource_contents(resource, uri, variables)])

    async def _is_told_and_put(
        self, kind: Kind, name: str, arguments: Mapping[str, Json], ctx: Context
    ) -> bool:
        rule = self.canned.rules.matching(kind, name, arguments)
        if rule is not None:
            await self._tell(ctx, f"{name} was requested", rule)
        return await self._is_put(kind, name, arguments, ctx, rule)

    async def _tell(self, ctx: Context, text: str, rule: Rule | None) -> None:
        """Log a request, and send the notifications of its rule."""
        if self.logs:
            for item in rule.log if rule and rule.log else (text,):
                await self.conversation.log(ctx, item)
        for changed in rule.changed if rule else ():
            await self.conversation.tell(ctx, changed)

    async def _is_put(
        self,
        kind: Kind,
        name: str,
        arguments: Mapping[str, Json],
        ctx: Context,
        rule: Rule | None,
    ) -> bool:
        """Respond by a rule or a recorded call. Return False if neither applies."""
        if rule is not None:
            rule.use()
            result = await self.canned.apply_rule(ctx, rule)
        else:
            raw = self.contract.tools.get(name) if kind == "tool" else None
            definition = definition_hash(raw) if raw is not None else ""
            result = await self.canned.replay(ctx, kind, name, arguments, definition)
        if result is not None:
            put(result)
        return result is not None
