"""Deliberate faults of a mock: closed connections, and invalid responses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from typing import Any, NoReturn, TypeAlias

import anyio
from mcp import MCPError, types

from mcpgen.testing.mock.results import Context

_Message: TypeAlias = MutableMapping[str, Any]
_Scope: TypeAlias = MutableMapping[str, Any]

over_stdio: ContextVar[bool] = ContextVar("over_stdio", default=False)
"""Whether a mock is served over this process's stdin and stdout."""

_FAULT = "mcpgen.fault"
_DROPPED = "dropped"


async def drop(ctx: Context) -> NoReturn:
    """Close the connection without a response."""
    if over_stdio.get():
        sys.stdout.flush()
        os._exit(1)
    if fault := _of_request(ctx):
        fault[_FAULT] = _DROPPED
    raise MCPError(types.CONNECTION_CLOSED, "Connection closed")


async def garbage(ctx: Context, text: str | None) -> NoReturn:
    """Send text that isn't a message, by default the start of one."""
    if text is None:
        head = json.dumps({"jsonrpc": "2.0", "id": ctx.request_id, "result": {"content": []}})
        text = head[:-4]
    if over_stdio.get():
        os.write(1, text.encode("utf-8", "replace") + b"\n")
        await anyio.sleep_forever()
    if fault := _of_request(ctx):
        fault[_FAULT] = text
    raise MCPError(types.INTERNAL_ERROR, text)


def _of_request(ctx: Context) -> dict[str, str] | None:
    scope: _Scope = getattr(ctx.request, "scope", {})
    result: dict[str, str] | None = scope.get(_FAULT)
    return result


App: TypeAlias = Callable[[_Scope, Any, Callable[[_Message], Awaitable[None]]], Awaitable[None]]


def failing(app: App) -> App:
    """Wrap an ASGI application so that handlers can replace its response by a fault."""

    async def serve(
        scope: _Scope, receive: Any, send: Callable[[_Message], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        fault: dict[str, str] = {"": ""}
        scope[_FAULT] = fault
        start: list[_Message] = []

        async def look(message: _Message) -> None:
            """Delay the start of the response until its body is known."""
            if message["type"] == "http.response.start":
                start.append(message)
                return
            fault_name = fault.get(_FAULT)
            if fault_name is None:
                for start_message in start:
                    await send(start_message)
                start.clear()
                await send(message)
            elif fault_name != _DROPPED and start:
                await _send_text(start.pop(), fault_name.encode("utf-8", "replace"), send)
            elif start:  # the announced length is too large, so the server closes the connection
                start_message = start.pop()
                headers = {**dict(start_message["headers"]), b"content-length": b"1000000"}
                await send({**start_message, "headers": list(headers.items())})

        await app(scope, receive, look)

    return serve


async def _send_text(
    start: _Message, text: bytes, send: Callable[[_Message], Awaitable[None]]
) -> None:
    headers = dict(start["headers"])
    if headers.get(b"content-type", b"").startswith(b"text/event-stream"):
        text = b"event: message\r\ndata: " + text + b"\r\n\r\n"
    headers[b"content-length"] = str(len(text)).encode()
    await send({**start, "headers": list(headers.items())})
    await send({"type": "http.response.body", "body": text})
