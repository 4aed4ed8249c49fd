"""Tools for the tool runner of Anthropic's SDK."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..definitions.dialects import adapt_schema, restore_names
from ..error_messages import UNEXPECTED
from ..messages import anthropic_blocks
from ..result import AgentResult
from ..tool import AgentTool


def adapt_tools(tools: Iterable[AgentTool[Any]], *, waits: bool = False) -> list[Any]:
    """Wrap each tool with ``beta_async_tool`` or ``beta_tool``."""
    framework = import_module("anthropic")
    tool_error: type[Exception] = import_module("anthropic.lib.tools").ToolError
    return [_adapt_tool(framework, tool_error, tool, waits=waits) for tool in tools]


def _adapt_tool(framework: Any, tool_error: Any, tool: AgentTool[Any], *, waits: bool) -> Any:
    def make_error() -> Exception:
        # The runner continues and would send internal details to the model.
        tool.logger.exception("a tool failed: %s", tool.name)
        error: Exception = tool_error(UNEXPECTED)
        return error

    def answer(result: AgentResult) -> Any:
        blocks = anthropic_blocks(result)
        if result.is_error:
            raise tool_error(blocks)
        return blocks

    async def call(**arguments: Any) -> Any:
        try:
            result = await tool.call(restore_names(arguments, tool.schema, "anthropic"))
        except Exception:
            raise make_error() from None
        return answer(result)

    def call_and_wait(**arguments: Any) -> Any:
        try:
            result = tool.call(restore_names(arguments, tool.schema, "anthropic"))
        except Exception:
            raise make_error() from None
        return answer(result)

    fit = adapt_schema(tool.schema, "anthropic")
    make = framework.beta_tool if waits else framework.beta_async_tool
    return make(
        call_and_wait if waits else call,
        name=tool.name,
        description=f"{tool.description}{fit.note}",
        input_schema=fit.schema,
    )
