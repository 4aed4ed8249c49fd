"""Tools for the OpenAI Agents SDK, strict where the schema allows it without loss."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..definitions.dialects import adapt_schema
from ..definitions.strict import is_strict
from ..messages import data_url, shown_by, shown_parts, text_for
from ..tool import AgentTool, result_of
from ..tool_requests import arguments_of


def adapt_tools(
    tools: Iterable[AgentTool[Any]], *, approval: bool = False, waits: bool = False
) -> list[Any]:
    """Return an ``agents.FunctionTool`` for each tool."""
    framework = import_module("agents")
    return [
        _adapt_tool(framework, tool, approval=approval and tool.needs_approval, waits=waits)
        for tool in tools
    ]


def _adapt_tool(framework: Any, tool: AgentTool[Any], *, approval: bool, waits: bool) -> Any:
    async def invoke(_: Any, arguments: str) -> Any:
        try:
            parsed_arguments = arguments_of(arguments)
        except ValueError as error:
            return f"Error: {error} Nothing was sent."
        result = await result_of(tool, parsed_arguments, waits=waits)
        if not shown_by("openai-responses", result):
            return text_for("openai-responses", result)  # raised, it would end the run
        return [
            (
                framework.ToolOutputText(text=part)
                if isinstance(part, str)
                else framework.ToolOutputImage(image_url=data_url(part))
            )
            for part in shown_parts("openai-responses", result)
        ]

    fit = adapt_schema(tool.schema, "openai-responses")
    return framework.FunctionTool(
        tool.name,
        f"{tool.description}{fit.note}",
        fit.schema,
        invoke,
        strict_json_schema=is_strict(fit.schema),
        needs_approval=approval,
    )
