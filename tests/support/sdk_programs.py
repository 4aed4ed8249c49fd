"""Starts test servers that need the SDK, without importing it again for each.

The import takes longer than most tests. A server that a test kills or freezes can be such a
program, because it dies with the process that the test knows.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache

import forked
from mcp import StdioServerParameters

MODULES = ("mcp", "mcp.server.mcpserver", "mcp.server.stdio", "starlette.applications", "uvicorn")


@cache
def _launcher() -> Sequence[str]:
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(forked.serving(*MODULES))


def command(*arguments: str) -> list[str]:
    """Return the command line for ``python ARGUMENT...`` with the SDK already imported."""
    return [*_launcher(), *arguments]


def stdio(*arguments: str, env: Mapping[str, str] | None = None) -> StdioServerParameters:
    """Return a stdio server that runs such a command."""
    first, *rest = command(*arguments)
    return StdioServerParameters(command=first, args=rest, env=dict(env) if env else None)
