"""Serves a mock over stdio or Streamable HTTP."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from types import FrameType
from typing import Any, NoReturn

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from mcpgen.errors import UsageError
from mcpgen.testing.mock import faults


def serve_stdio(server: Server[Any]) -> None:
    """Serve over stdin and stdout until the client leaves."""
    # A thread that waits for stdin can't be stopped, and no output is pending.
    signal.signal(signal.SIGINT, _leave)
    anyio.run(_serve, server)


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    os._exit(0)


async def _serve(server: Server[Any]) -> None:
    faults.over_stdio.set(True)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def listen(host: str, port: int) -> socket.socket:
    """Bind a port, or any free one for 0. Raises ``UsageError`` if that fails."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        # The error for an unknown host name has no errno.
        number = error.errno or 0
        reason = os.strerror(number) if number > 0 else error.strerror
        problem = f"{host}:{port} cannot be listened on: {reason}"
        raise UsageError(problem, "--http", "try another port; 0 takes any free one") from None


def serve_http(server: Server[Any], listening: socket.socket, host: str) -> None:
    """Serve over Streamable HTTP at ``/mcp`` until interrupted."""
    import uvicorn

    app: Any = faults.failing(server.streamable_http_app(host=host))
    # A deliberately dropped connection should not be logged as an error.
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt):  # which is how a server is stopped
        running.run(sockets=[listening])
