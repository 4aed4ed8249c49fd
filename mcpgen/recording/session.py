"""One session with a server: connect, be greeted, walk all pages of all lists, leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp import Client, MCPError, types
from mcp.client import ClientRequestContext

from mcpgen import __version__
from mcpgen.jsontext import Json
from mcpgen.recording import greeting
from mcpgen.recording.raw_answers import Answers, ErrorAnswer, Mode
from mcpgen.recording.transcript import Transcript
from mcpgen.recording.walk import walk


async def ask(
    transport: AbstractAsyncContextManager[Any],
    transcript: Transcript,
    mode: Mode,
    capabilities: Collection[str] | None = None,
) -> Answers:
    """Ask a server for all it offers, with these declared capabilities, else those of all."""
    declared = greeting.declaration(capabilities)
    client = Client(
        transport,
        mode=mode,
        cache=None,
        client_info=types.Implementation(name="mcpgen", version=__version__),
        elicitation_callback=_decline if "elicitation" in declared else None,
        sampling_callback=_reject if "sampling" in declared else None,
        sampling_capabilities=types.SamplingCapability(tools=types.SamplingToolsCapability()),
        list_roots_callback=_no_roots if "roots" in declared else None,
    )
    async with client:
        method, said = list(transcript.greetings.items())[-1]
        failed = await _walk(client, transcript, said.get("capabilities"))
        return Answers(
            revision=client.protocol_version,
            greeting=said,
            pages=transcript.pages,
            client_capabilities=transcript.client_capabilities.get(method, {}),
            failed=failed,
            junk=transcript.junk,
        )


async def _decline(
    context: ClientRequestContext,  # noqa: ARG001 - the SDK's signature
    params: types.ElicitRequestParams,  # noqa: ARG001
) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


async def _reject(
    context: ClientRequestContext,  # noqa: ARG001 - the SDK's signature
    params: types.CreateMessageRequestParams,  # noqa: ARG001
) -> types.ErrorData:
    return types.ErrorData(**greeting.REJECTED)


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
    """Return the error of the SDK as what it stands for."""
    return ErrorAnswer(error.code, error.message, error.data)
