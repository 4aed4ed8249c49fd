"""Asks the client's user before a response, in the form of each protocol era."""

from __future__ import annotations

from collections.abc import Mapping

from mcp import MCPError, types
from mcp.shared.message import ServerMessageMetadata
from mcpgen_runtime.server.task_protocol.task import Task

from mcpgen.jsontext import Json
from mcpgen.testing.mock.results import MODERN, Context

_KEY = "question"
_NOTHING: Mapping[str, Json] = {"type": "object", "properties": {}}


async def ask(
    ctx: Context,
    params: types.CallToolRequestParams,
    task: Task | None,
    question: Mapping[str, Json],
) -> types.ElicitResult | types.InputRequiredResult:
    """Return the user's answer. Since 2026-07-28 the first response requests it."""
    _require(ctx)
    schema = question.get("schema") or _NOTHING
    form = types.ElicitRequestFormParams(message=question["message"], requested_schema=dict(schema))
    request = types.ElicitRequest(params=form)
    if task is not None:
        return types.ElicitResult.model_validate(await task.ask(_KEY, request))
    if ctx.protocol_version < MODERN:
        return await ctx.session.send_request(
            request,
            types.ElicitResult,
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    answer = (params.input_responses or {}).get(_KEY)
    if isinstance(answer, types.ElicitResult):
        return answer
    return types.InputRequiredResult(input_requests={_KEY: request})


def _require(ctx: Context) -> None:
    declared = ctx.session.client_capabilities
    if declared is None or declared.elicitation is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "The client didn't declare the required capability 'elicitation'",
            {"requiredCapabilities": {"elicitation": {}}},
        )
