"""One session with a server: connect, be greeted, walk all pages of all lists, leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

from mcp import Client, MCPError, types
from mcp.client import ClientRequestContext

from mcpgen import __version__
from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import ContractError
from mcpgen.jsontext import Json, is_object
from mcpgen.recording.raw_answers import Answers
from mcpgen.recording.recording_transport import Transcript

Mode = Literal["auto", "legacy"]
"""How the SDK finds the revision: by asking, or by the older handshake alone."""

MAX_PAGES = 1000
_NOT_OFFERED = (types.METHOD_NOT_FOUND, types.INVALID_PARAMS)


async def ask(
    transport: AbstractAsyncContextManager[Any], transcript: Transcript, mode: Mode
) -> Answers:
    """Ask a server for all it offers, with the same declared capabilities each time."""
    client = Client(
        transport,
        mode=mode,
        cache=None,
        client_info=types.Implementation(name="mcpgen", version=__version__),
        # Some servers list more tools to a client that can be asked back.
        elicitation_callback=_decline,
    )
    async with client:
        method, greeting = list(transcript.greetings.items())[-1]
        failed = await _walk(client, transcript, greeting.get("capabilities"))
        return Answers(
            revision=client.protocol_version,
            greeting=greeting,
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


async def _walk(client: Client, transcript: Transcript, offered: Json) -> dict[str, str]:
    calls: dict[str, Callable[..., Awaitable[Any]]] = {
        "tools/list": client.list_tools,
        "prompts/list": client.list_prompts,
        "resources/list": client.list_resources,
        "resources/templates/list": client.list_resource_templates,
    }
    failed: dict[str, str] = {}
    for listing in LISTINGS:
        if not is_object(offered) or offered.get(listing.capability) is None:
            continue
        try:
            await _pages(calls[listing.method], transcript, listing)
        except MCPError as error:
            if listing.capability == "tools" or transcript.status in (401, 403):
                raise
            if error.code not in _NOT_OFFERED:
                failed[listing.method] = error.message
    return failed


async def _pages(
    call: Callable[..., Awaitable[Any]], transcript: Transcript, listing: Listing
) -> None:
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        await call(cursor=cursor)
        after = transcript.pages[listing.method][-1].get("nextCursor")
        # An empty cursor is a cursor (specification, "Pagination").
        if not isinstance(after, str):
            return
        if after in seen:
            break
        seen.add(after)
        cursor = after
    count = len(transcript.pages[listing.method])
    raise ContractError(
        f"{listing.method} never ends: after {count} pages the server still offers a next one",
        hint="tell the server's author: the last page has no nextCursor",
    )
