"""Tools for Pydantic AI, with the server's schemas."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..messages import text_for
from ..tool import AgentTool, result_of


def adapt_tools(
    tools: Iterable[AgentTool[Any]], *, approval: bool = False, waits: bool = False
) -> list[Any]:
    """Return a ``pydantic_ai.Tool`` for each tool."""
    framework = import_module("pydantic_ai")
    return [
        _adapt_tool(framework, tool, approval=approval and tool.needs_approval, waits=waits)
        for tool in tools
    ]


def _adapt_tool(framework: Any, tool: AgentTool[Any], *, approval: bool, waits: bool) -> Any:
    async def call(**arguments: Any) -> Any:
        result = await result_of(tool, arguments, waits=waits)
        if result.is_error:
            # The model gets the error. It doesn't count as a retry, because retries end
            # the run.
            raise framework.ToolFailed(text_for("mcp", result))
        if not result.media:
            return result.text
        return [
            (
                part
                if isinstance(part, str)
                else framework.BinaryContent(part.data, media_type=part.mime_type)
            )
            for part in result.ordered
        ]

    adapted = framework.Tool.from_schema(
        call, tool.name, tool.description, copy.deepcopy(dict(tool.schema))
    )
    adapted.requires_approval = approval
    return adapted
