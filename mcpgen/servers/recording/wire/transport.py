"""Opens the SDK's transport for each kind of server, with a listener below the SDK's parser."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TextIO

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams
from mcpgen_runtime.connection.wire.http import AnsweringClient
from mcpgen_runtime.connection.wire.listen import Injector, Listener, listening
from mcpgen_runtime.connection.wire.messages import MOST_BYTES
from mcpgen_runtime.connection.wire.pending import Pending
from mcpgen_runtime.connection.wire.process import process

from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.recording.wire.stored_login import login_of


def stdio(
    target: Stdio,
    listener: Listener,
    stderr: TextIO,
    on_start: Callable[[int], None] | None = None,
) -> AbstractAsyncContextManager[Any]:
    """Start a command with its own environment and the few variables that the SDK passes on."""
    command = StdioServerParameters(
        command=target.argv[0],
        args=list(target.argv[1:]),
        env=dict(target.env),
        cwd=target.cwd,
    )
    return listening(process(command, stderr, on_start), listener)


@asynccontextmanager
async def http(
    target: Http,
    listener: Listener,
    pending: Pending,
    note: Callable[[httpx2.Response], Awaitable[None]] | None = None,
) -> AsyncGenerator[Any]:
    """Connect to a URL. ``note`` gets each HTTP response, the listener each message.

    ``pending`` maps stubs to the messages that they replace.
    """

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,  # noqa: ARG001 - whoever asks has a limit
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        hooks: dict[str, list[Any]] = {"response": [] if note is None else [note]}
        more: dict[str, Any] = {"headers": headers, "auth": auth, "event_hooks": hooks}
        return AnsweringClient(pending, injector, timeout=None, **more)

    injector = Injector() if target.kind == "sse" else None
    headers, auth = dict(target.headers), login_of(target)
    if injector:
        older = sse_client(target.url, headers, httpx_client_factory=client, auth=auth)
        async with listening(older, listener, injector) as streams:
            yield streams
        return
    connection = client(headers, auth=auth)
    newer = streamable_http_client(
        target.url, http_client=connection, max_sse_event_size=MOST_BYTES
    )
    async with connection, listening(newer, listener) as streams:
        yield streams


def memory(server: Any, listener: Listener) -> AbstractAsyncContextManager[Any]:
    """Run a server in this process over streams, so that it can be observed below the parser."""
    return listening(_run(server), listener)


@asynccontextmanager
async def _run(server: Any) -> AsyncGenerator[Any]:
    async with create_client_server_memory_streams() as (ours, theirs):
        read, write = theirs
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.run, read, write, server.create_initialization_options())
            try:
                yield ours
            finally:
                tasks.cancel_scope.cancel()
