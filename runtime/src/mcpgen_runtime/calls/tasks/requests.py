"""Requests for tasks in both revisions, which the SDK's session lacks.

In 2025-11-25 the client requests a task, and ``tasks/result`` waits for its result and
carries its questions. Since 2026-07-28 (the extension of SEP-2663) only the server decides,
and ``tasks/get`` carries both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from mcp.client import ClaimContext, ClientExtension, ClientRequestContext, ResultClaim
from mcp.types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    InputRequest,
    Request,
    RequestParams,
    Result,
    TaskMetadata,
)
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from ...connection.wire.results import tool_result, whole
from ...contract import TASKS
from ...errors import ProtocolError, TaskUnsupported
from ...tool import Meta

if TYPE_CHECKING:
    from mcp import Client

ASKED_FOR = "2025-11-25"
"""The revision in which the client requests a task."""
DECIDED = "2026-07-28"
"""The first revision in which the server decides."""

_QUESTION: TypeAdapter[InputRequest] = TypeAdapter(InputRequest)


class Started(CallToolResult):
    """Placeholder for the result of a call that became a task, with the server's ``task``.

    ``token`` identifies its progress notifications.
    """

    task: dict[str, Any]
    token: str = ""
    arguments: dict[str, Any] | None = None
    """The arguments of the call, if calls are recorded."""


class _Raw(BaseModel):
    """A result that hasn't been parsed."""

    model_config = ConfigDict(extra="allow")


class _Params(RequestParams):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel, populate_by_name=True)
    task_id: str


class _Request(Request[_Params, str]):
    method: str
    params: _Params


class _RoutedRequest(_Request):
    name_param = "taskId"  # becomes the header Mcp-Name


class _Claimed(Result):
    """The response to a call that became a task."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"


class Tasks(ClientExtension):
    """Makes the SDK accept a task as the response to a call."""

    identifier = TASKS

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """Return the one claim."""
        return [ResultClaim(result_type="task", model=_Claimed, resolve=_started_result)]


async def _started_result(claimed: _Claimed, context: ClaimContext) -> CallToolResult:
    del context
    return Started(content=[], task=dict(claimed.model_extra or {}))


def decides(sdk: Client) -> bool:
    """Return True if the server decides whether a call becomes a task."""
    return sdk.protocol_version >= DECIDED


def reason_for_none(sdk: Client) -> str:
    """Return why tasks aren't available, or ``""`` if they are."""
    capabilities = sdk.server_capabilities
    if decides(sdk):
        if TASKS not in (capabilities.extensions or {}):
            return f"the server does not declare {TASKS}"
        if not any(isinstance(item, Tasks) for item in sdk.extensions or ()):
            return f"the client does not declare {TASKS}, as the contract does not"
        return ""
    if sdk.protocol_version != ASKED_FOR:
        return f"the server speaks {sdk.protocol_version}, which has no tasks"
    requests = capabilities.tasks.requests if capabilities.tasks else None
    if requests is None or requests.tools is None or requests.tools.call is None:
        return "the server does not declare tasks of tools"
    return ""


async def create(
    sdk: Client,
    tool: str,
    arguments: dict[str, Any],
    ttl: float | None,
    meta: Meta | None,
) -> CallToolResult:
    """Call a tool as a task.

    The session parses every response to a call as a result before it considers what was
    requested; the rejected JSON is in its error.
    """
    task_metadata = TaskMetadata(ttl=None if ttl is None else round(ttl * 1000))
    params = CallToolRequestParams(
        name=tool, arguments=arguments, task=task_metadata, _meta=cast("Any", meta)
    )
    try:
        raw = await _raw(sdk, CallToolRequest(params=params))
    except ValidationError as error:
        task = _task_in(error)
        if task is None:
            raise
        return Started(content=[], task=task)
    if isinstance(raw.get("task"), dict):
        return Started(content=[], task=raw["task"])
    return tool_result(raw)


def _task_in(error: ValidationError) -> dict[str, Any] | None:
    for problem in error.errors(include_url=False):
        answer = problem["input"]
        if problem["type"] == "missing" and isinstance(answer, dict):
            task = cast("dict[str, Any]", answer).get("task")
            if isinstance(task, dict):
                return cast("dict[str, Any]", task)
    return None


async def get(sdk: Client, task: str) -> dict[str, Any]:
    """Request the status of a task."""
    return await _raw(sdk, _request(sdk, "tasks/get", task))


async def result(sdk: Client, task: str) -> CallToolResult:
    """Wait for the result of a task. Its questions go to the client's callbacks."""
    request = _request(sdk, "tasks/result", task)
    return whole(await sdk.session.send_request(request, CallToolResult))


async def update(sdk: Client, task: str, answers: Mapping[str, Any]) -> None:
    """Answer questions of a task."""
    await _raw(sdk, _request(sdk, "tasks/update", task, inputResponses=dict(answers)))


async def cancel(sdk: Client, tool: str, task: str) -> dict[str, Any]:
    """Cancel a task. The response has its status before 2026-07-28."""
    declared = sdk.server_capabilities.tasks
    if not decides(sdk) and (declared is None or declared.cancel is None):
        raise TaskUnsupported(tool, "the server cannot cancel its tasks")
    return await _raw(sdk, _request(sdk, "tasks/cancel", task))


async def ask(sdk: Client, tool: str, key: str, raw: object) -> dict[str, Any]:
    """Pass a question of a task to the client's callbacks, and return their answer."""
    question = _QUESTION.validate_python(raw, by_name=False)
    params = question.params
    context = ClientRequestContext(
        session=sdk.session, request_id=key, meta=params.meta if params else None
    )
    answer = await sdk.session.dispatch_input_request(context, question)
    if isinstance(answer, ErrorData):
        raise ProtocolError(tool, answer.code, answer.message, answer.data)
    return answer.model_dump(by_alias=True, mode="json", exclude_none=True)


def final(raw: object) -> CallToolResult:
    """Parse the result in the status of a task."""
    return tool_result(raw)


def _request(sdk: Client, method: str, task: str, **more: Any) -> _Request:
    kind = _RoutedRequest if decides(sdk) else _Request
    return kind(method=method, params=_Params(task_id=task, **more))


async def _raw(sdk: Client, request: Request[Any, Any]) -> dict[str, Any]:
    answer = await sdk.session.send_request(request, _Raw)
    return answer.model_extra or {}
