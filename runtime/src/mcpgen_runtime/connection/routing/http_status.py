"""Observes the HTTP statuses of the SDK's transport that the caller passed."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client

from ... import tls
from ..wire.faults import HttpRejection

Note: TypeAlias = Callable[["str | int", HttpRejection], None]


@asynccontextmanager
async def observing_status(
    transport: AbstractAsyncContextManager[Any], note: Note
) -> AsyncGenerator[Any]:
    """Open a transport and note the HTTP statuses if it is one of the SDK's.

    The SDK exposes neither status nor headers, but its HTTP client does.
    """
    sdk_transport: Any = transport
    options = cast("dict[str, Any]", getattr(sdk_transport, "kwds", {}))
    if getattr(sdk_transport, "func", None) is not _SDK:
        async with transport as streams:
            yield streams
    elif client := cast("httpx2.AsyncClient | None", options.get("http_client")):
        async with _noting_status(client, note), transport as streams:
            yield streams
    else:
        # A client like the SDK's own, which exposes the statuses.
        limits = httpx2.Timeout(30, read=300)
        own = httpx2.AsyncClient(timeout=limits, verify=tls.shared_settings())
        async with own:
            options_again: dict[str, Any] = {**options, "http_client": own}
            transport_again = streamable_http_client(*sdk_transport.args, **options_again)
            async with _noting_status(own, note), transport_again as streams:
                yield streams


_SDK = cast("Any", streamable_http_client).__wrapped__


@asynccontextmanager
async def _noting_status(client: httpx2.AsyncClient, note: Note) -> AsyncGenerator[None]:
    async def note_error(response: httpx2.Response) -> None:
        request = response.request
        if response.is_error and request.method == "POST":
            request_id = json.loads(request.content).get("id")
            headers = dict(response.headers)
            in_session = "mcp-session-id" in request.headers
            status, phrase = response.status_code, response.reason_phrase
            note(request_id, HttpRejection(status, headers, "", in_session, phrase))

    hooks = client.event_hooks["response"]
    hooks.append(note_error)
    client.event_hooks = {**client.event_hooks, "response": hooks}
    try:
        yield
    finally:
        hooks_before = [hook for hook in client.event_hooks["response"] if hook is not note_error]
        client.event_hooks = {**client.event_hooks, "response": hooks_before}
