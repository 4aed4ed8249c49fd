"""Holds the connection to a server while a script runs, and sends its calls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TextIO

from mcp import Client, MCPError, types

from mcpgen import __version__
from mcpgen.errors import unforeseen
from mcpgen.jsontext import Json
from mcpgen.scripting.broker import CallError, Send, StoppedError
from mcpgen.servers.endpoint import Http, InProcess, Stdio
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.recording import in_process
from mcpgen.servers.recording.wire import recording_transport
from mcpgen.servers.recording.wire.sdk_attempt import root_cause
from mcpgen.servers.recording.wire.transcript import Transcript


@contextlib.asynccontextmanager
async def connect(target: Live, log: TextIO, timeout: float) -> AsyncGenerator[Send]:
    """Connect to a server. Its output goes to ``log``, and calls time out after ``timeout``
    seconds.
    """
    is_sse = isinstance(target, Http) and target.kind == "sse"
    client = Client(
        _open_transport(target, log),
        mode="legacy" if is_sse else "auto",
        cache=None,
        client_info=types.Implementation(name="mcpgen", version=__version__),
        read_timeout_seconds=timeout,
    )
    async with client:
        # The broker validates results against the schemas of the recorded contract.
        vars(client.session)["validate_tool_result"] = _accept

        async def send(tool: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
            try:
                result = await client.call_tool(tool, dict(arguments))
            except TimeoutError:
                raise CallError("CallTimeout", f"{tool}: no answer in {timeout:g} s") from None
            except MCPError as error:
                if error.code == types.REQUEST_TIMEOUT:
                    raise CallError("CallTimeout", f"{tool}: no answer in {timeout:g} s") from None
                raise CallError("ToolError", f"{tool}: {error.message}") from None
            except Exception as error:
                raise StoppedError(f"the connection is lost: {root_cause(error)}") from None
            document: dict[str, Json] = result.model_dump(
                mode="json", by_alias=True, exclude_unset=True
            )
            return document

        yield send


def _open_transport(target: Live, log: TextIO) -> AbstractAsyncContextManager[Any]:
    match target:
        case Stdio():
            return recording_transport.stdio(target, Transcript(), log)
        case Http():
            return recording_transport.http(target, Transcript())
        case InProcess():
            return recording_transport.memory(in_process.load(target)[1], Transcript())
        case _:
            raise unforeseen(target)


async def _accept(_name: str, _result: types.CallToolResult) -> None:
    """Leave a result to the broker."""
