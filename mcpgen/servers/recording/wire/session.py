"""Runs a session with a server: connects, negotiates, reads all pages of all lists, disconnects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp import Client, MCPError, types
from mcp.client import ClientRequestContext
from mcp.client.session import ElicitationFnT

from mcpgen import __version__
from mcpgen.jsontext import Json
from mcpgen.servers.recording.follow_up import FollowUpRequest, RequestPlan, answer_elicitation
from mcpgen.servers.recording.raw_responses import Answers, ErrorAnswer, Mode
from mcpgen.servers.recording.wire import handshake
from mcpgen.servers.recording.wire.transcript import Transcript
from mcpgen.servers.recording.wire.walk import walk, wished_lists


async def ask(
    transport: AbstractAsyncContextManager[Any],
    transcript: Transcript,
    mode: Mode,
    capabilities: Collection[str] | None = None,
    request_plan: RequestPlan | None = None,
) -> Answers:
    """List everything a server offers, declaring these capabilities or all."""
    declared = handshake.declaration(capabilities)
    client = Client(
        transport,
        mode=mode,
        cache=None,
        client_info=types.Implementation(name="mcpgen", version=__version__),
        elicitation_callback=_asking(request_plan, transcript)
        if "elicitation" in declared
        else None,
        sampling_callback=_reject if "sampling" in declared else None,
        sampling_capabilities=types.SamplingCapability(tools=types.SamplingToolsCapability()),
        list_roots_callback=_no_roots if "roots" in declared else None,
    )
    async with client:
        method, value = list(transcript.greetings.items())[-1]
        failed = await _walk(
            client, transcript, wished_lists(value.get("capabilities"), request_plan)
        )
        answers = Answers(
            revision=client.protocol_version,
            greeting=value,
            pages=transcript.pages,
            client_capabilities=transcript.client_capabilities.get(method, {}),
            failed=failed,
            junk=transcript.junk,
        )
        if request_plan is not None:
            # Validated by callers that need it.
            vars(client.session)["validate_tool_result"] = _accept
            await _fulfil(client, transcript, request_plan, answers)
        return answers


def _asking(request_plan: RequestPlan | None, transcript: Transcript) -> ElicitationFnT:
    """Return the SDK's elicitation callback: the user, or a refusal."""

    async def answer(
        context: ClientRequestContext,  # noqa: ARG001 - the SDK's signature
        params: types.ElicitRequestParams,
    ) -> types.ElicitResult:
        params_ = params.model_dump(mode="json", by_alias=True, exclude_unset=True)
        person = request_plan.person if request_plan else None
        with transcript.pause():
            result = await anyio.to_thread.run_sync(
                answer_elicitation, person, params_, abandon_on_cancel=True
            )
        return types.ElicitResult.model_validate(result)

    return answer


async def _accept(name: str, result: object) -> None:
    del name, result


async def _fulfil(
    client: Client, transcript: Transcript, request_plan: RequestPlan, answers: Answers
) -> None:
    """Send the further requests of a plan. Errors are thrown into its generator."""
    steps = request_plan.further(answers)
    step: Callable[[], FollowUpRequest] = partial(next, steps)
    while True:
        try:
            with transcript.pause():  # it may ask the user, too
                step_request = step()
        except StopIteration:
            return
        try:
            await _send(client, transcript, step_request)
            step = partial(steps.send, transcript.answer)
        except MCPError as error:
            step = partial(steps.throw, answer_of(error))


async def _send(client: Client, transcript: Transcript, step_request: FollowUpRequest) -> None:
    """Send a request with the SDK, which rejects some results that are useful in raw form."""
    transcript.answer = None
    method_ = _calls(client).get(step_request.method) if "task" not in step_request.params else None
    request = types.Request[dict[str, Any], str](
        method=step_request.method, params=step_request.params
    )
    try:
        if method_ is not None:
            await method_(**step_request.params)
        else:  # the SDK lacks methods for tasks
            await client.session.send_request(request, types.Result)
    except ValueError:
        if transcript.answer is None:
            raise


def _calls(client: Client) -> dict[str, Callable[..., Awaitable[Any]]]:
    return {
        "tools/call": client.call_tool,
        "prompts/get": client.get_prompt,
        "resources/read": client.read_resource,
    }


async def _reject(
    context: ClientRequestContext,  # noqa: ARG001 - the SDK's signature
    params: types.CreateMessageRequestParams,  # noqa: ARG001
) -> types.ErrorData:
    return types.ErrorData(**handshake.REJECTED)


async def _no_roots(context: ClientRequestContext) -> types.ListRootsResult:  # noqa: ARG001
    return types.ListRootsResult(roots=[])


async def _walk(client: Client, transcript: Transcript, offered: Json) -> dict[str, str]:
    calls: dict[str, Callable[..., Awaitable[Any]]] = {
        "tools/list": client.list_tools,
        "prompts/list": client.list_prompts,
        "resources/list": client.list_resources,
        "resources/templates/list": client.list_resource_templates,
    }
    pages = walk(transcript, offered)
    try:
        listing, cursor = next(pages)
        while True:
            try:
                await calls[listing.method](cursor=cursor)
            except MCPError as error:
                listing, cursor = pages.throw(answer_of(error))
            else:
                listing, cursor = next(pages)
    except StopIteration as ended:
        failed: dict[str, str] = ended.value
        return failed


def answer_of(error: MCPError) -> ErrorAnswer:
    """Convert an error of the SDK."""
    return ErrorAnswer(error.code, error.message, error.data)
