"""Servers to connect to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import anyio
import pytest
from guards import patient
from mcp import StdioServerParameters
from runtime.packages import import_client, package
from runtime.raw_server import TOOLS
from runtime.scripted import Scripted
from runtime.web import RAW, RecordingApp, web

from mcpgen.contract.document import Contract

if sys.version_info < (3, 11):
    pass


def raw_contract(origin: Any = None, tools: Any = TOOLS) -> Contract:
    named = {tool["name"]: tool for tool in tools}
    server = {"name": "raw"}
    return Contract(tools=named, revision="2025-11-25", server=server, origin=origin or {})


@cache
def raw() -> Any:
    """Return the package of the raw server."""
    return import_client(raw_contract(), "raw")


def command(behaviour: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[RAW, behaviour])


def call_ask(package: Any, target: Any = None, **options: Any) -> Any:
    """Connect, call `ask` and return its JSON."""

    async def inside() -> Any:
        async with package.Client.connect(target, **options) as client:
            return (await client.ask()).json()

    return anyio.run(inside)


def failing(target: Any = None, *, of: Any = None, calls: bool = False, **options: Any) -> Any:
    """Connect, call if requested, and return the exception raised."""

    async def inside() -> None:
        async with (of or raw()).Client.connect(target, **options) as client:
            if calls:
                await client.ask()

    with patient(), pytest.raises(Exception) as failure:  # noqa: PT011 - looked at closely
        anyio.run(inside)
    assert "ExceptionGroup" not in type(failure.value).__name__
    return failure.value


ANSWER = {"tool": "ask", "token": ""}


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[str, RecordingApp, Scripted]]:
    server = Scripted(count=3)
    with web(server.server) as (url, transcript):
        yield url, transcript, server


def forget(name: str) -> None:
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


def call_count(target: Any, **options: Any) -> Any:
    async def inside() -> Any:
        async with package().Client.connect(target, **{"verify": "off", **options}) as client:
            return await client.count()

    return anyio.run(inside)
