"""The SDK's transport for each kind of server."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TextIO

import anyio
import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams

from mcpgen.live import refusal
from mcpgen.live.tap import Heard
from mcpgen.source import Http, Stdio


def stdio(target: Stdio, stderr: TextIO) -> AbstractAsyncContextManager[Any]:
    """Start a command; it sees only its own environment and the few variables the SDK passes on."""
    command = StdioServerParameters(
        command=target.argv[0],
        args=list(target.argv[1:]),
        env=dict(target.env),
        cwd=target.cwd,
        # What is not UTF-8 is junk, which is reported; it must not end the conversation.
        encoding_error_handler="replace",
    )
    return stdio_client(command, errlog=stderr)


@asynccontextmanager
async def http(target: Http, heard: Heard) -> AsyncGenerator[Any]:
    """Connect to a URL; refusals are noted, because the SDK reports them without their status."""

    async def note(response: httpx2.Response) -> None:
        is_sse = target.kind == "sse"
        if response.request.method == "POST" or is_sse:
            heard.status = response.status_code
            heard.refusal = await refusal.heard(response, target)
        if is_sse and response.is_error:
            heard.give_up()  # the SDK would wait on for an answer that cannot come

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,  # noqa: ARG001 - the whole conversation has one
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        hooks: dict[str, list[Any]] = {"response": [note]}
        return httpx2.AsyncClient(headers=headers, auth=auth, timeout=None, event_hooks=hooks)

    headers = dict(target.headers)
    if target.kind == "sse":
        async with sse_client(target.url, headers, httpx_client_factory=client) as streams:
            yield streams
        return
    connection = client(headers)
    async with connection, streamable_http_client(target.url, http_client=connection) as streams:
        yield streams


@asynccontextmanager
async def memory(server: Any) -> AsyncGenerator[Any]:
    """Run a server of this process over streams, so that it too is heard below the parser."""
    async with create_client_server_memory_streams() as (ours, theirs):
        read, write = theirs
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.run, read, write, server.create_initialization_options())
            try:
                yield ours
            finally:
                tasks.cancel_scope.cancel()
