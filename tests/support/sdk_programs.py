"""Starts test servers that need the SDK, and mcpgen's commands, without their slow imports.

The imports take longer than most tests. A server that a test kills or freezes can be such a
program, because it dies with the process that the test knows.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any
from unittest import mock

import forked
from mcp import StdioServerParameters

MODULES = (
    *("mcp", "mcp.server.mcpserver", "mcp.server.stdio", "starlette.applications", "uvicorn"),
    *("mcpgen.cli.app", "mcpgen.codegen.pipeline", "mcpgen.codegen.server_pipeline"),
)


@cache
def _launcher() -> Sequence[str]:
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(forked.serving(*MODULES))


def command(*arguments: str) -> list[str]:
    """Return the command line for ``python ARGUMENT...`` with the SDK already imported."""
    return [*_launcher(), *arguments]


def mcpgen(*arguments: str) -> list[str]:
    """Return the command line for ``mcpgen ARGUMENT...``."""
    return command("-m", "mcpgen", *arguments)


@contextmanager
def forked_demo() -> Iterator[None]:
    """Start mcpgen's demo server as such a program wherever this process starts it."""
    start = subprocess.Popen.__init__
    demo = {(sys.executable, *flags, "-m", "mcpgen.demo") for flags in ((), ("-I",))}

    def start_faster(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        is_demo = isinstance(args, list | tuple) and tuple(args) in demo
        if is_demo and forked.IS_USED:
            args = command("-m", "mcpgen.demo")
        start(self, args, *rest, **options)

    with mock.patch.object(subprocess.Popen, "__init__", start_faster):
        yield


def stdio(*arguments: str, env: Mapping[str, str] | None = None) -> StdioServerParameters:
    """Return a stdio server that runs such a command."""
    first, *rest = command(*arguments)
    return StdioServerParameters(command=first, args=rest, env=dict(env) if env else None)
