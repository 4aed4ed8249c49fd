"""Tool calls of a model, whose errors become results where possible."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..contract import ToolInfo
from ..errors import ClientError, ToolError
from ..package import Tool
from .error_messages import failed
from .numbers import whole
from .result import AgentResult, agent_result

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from ..package import Package

    Read = Callable[[CallToolResult], CallToolResult]
    Make = Callable[[Tool[Any], Mapping[str, Any], Read], Awaitable[CallToolResult]]
    """Calls a tool and returns what ``Read`` makes of its result."""


async def call(
    package: Package, make: Make, info: ToolInfo, arguments: Mapping[str, Any]
) -> AgentResult:
    """Call a tool with JSON arguments, validated by its schema.

    Other exceptions than ``ClientError``, such as those of a callback, propagate.
    """
    from ..calls.call_pipeline import tool_named

    try:
        tool = tool_named(package, info.name)
        schema = info.definition.get("inputSchema")
        given = whole(dict(arguments), schema, schema)
        result = await make(tool, given, partial(_checked, tool))
    except ClientError as error:
        return failed(error, info, package)
    if result.is_error:
        return failed(ToolError(info.name, result), info, package)
    return agent_result(result)


def _checked(tool: Tool[Any], result: CallToolResult) -> CallToolResult:
    """Validate a result, which may be an error of the tool."""
    from ..models.values import decode_result

    if not result.is_error:
        decode_result(tool, result, "ignore")
    return result
