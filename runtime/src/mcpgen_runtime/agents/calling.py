"""Tool calls of a model, whose errors become results where possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..calls.caller import Caller, connection_of, options_of, package_of
from ..contract import ToolInfo
from ..errors import ClientError, ToolError
from ..package import Tool
from .definitions.numbers import whole
from .error_messages import error_result
from .result import AgentResult, agent_result

if TYPE_CHECKING:
    from mcp.types import CallToolResult


async def call(client: Caller, info: ToolInfo, arguments: Mapping[str, Any]) -> AgentResult:
    """Call a tool with JSON arguments, validated by its schema.

    Any exception except ``ClientError`` propagates, for example from a callback.
    """
    package = package_of(client)
    schema = info.definition.get("inputSchema")
    try:
        wire = whole(dict(arguments), schema, schema)
        result: CallToolResult = await connection_of(client).call(
            info.name, wire, options_of(client), _check_result
        )
    except ClientError as error:
        return error_result(error, info, package)
    if result.is_error:
        return error_result(ToolError(info.name, result), info, package)
    return agent_result(result)


def _check_result(tool: Tool[Any], result: CallToolResult) -> CallToolResult:
    """Validate a result, which may be an error of the tool."""
    from ..models.values import decode_result

    if not result.is_error:
        decode_result(tool, result, "ignore")
    return result
