"""Serves an object of a Python file or module over stdio, in a process that may crash or hang."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

import anyio

from mcpgen.servers.endpoint import InProcess
from mcpgen.servers.recording import in_process


def main(module: str, name: str) -> None:
    """Load and serve a server. Its output to stdout goes to stderr."""
    with contextlib.redirect_stdout(sys.stderr):
        _, server = in_process.load(InProcess(module, name))
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the output of native code isn't a message either
    anyio.run(_serve, server, output)


async def _serve(server: Any, output: Any) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server(stdout=anyio.wrap_file(output)) as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
