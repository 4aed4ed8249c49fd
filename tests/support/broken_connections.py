"""Connections that break."""

from __future__ import annotations

import sys
from typing import Any

import anyio
import pytest
from runtime.packages import import_client
from runtime.raw_server import TOOLS

from mcpgen.contract.document import Contract

if sys.version_info < (3, 11):
    from exceptiongroup import BaseExceptionGroup

OFFERED = {tool["name"]: tool for tool in TOOLS}


def raw_contract(**more: Any) -> Contract:
    cache = {"tools": OFFERED, "revision": "2025-11-25", "server": {"name": "raw"}}
    return Contract(**{**cache, **more})


MADE = import_client(raw_contract(), "lost")

MODERN = import_client(raw_contract(revision="2026-07-28"), "lost_modern")


async def error_of(request: Any) -> BaseException:
    """Return the exception of a request."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the tests look at it closely
        await request
    assert not isinstance(caught.value, BaseExceptionGroup)
    return caught.value


def failing_call(
    target: Any, tool: str = "beg", client_package: Any = MADE, **options: Any
) -> BaseException:
    """Connect, make a failing call, check that another call works, and return the error."""

    async def inside() -> BaseException:
        async with client_package.Client.connect(target, **options) as client:
            error = await error_of(getattr(client, tool)())
            assert (await client.ask()).json()["tool"] == "ask"
            return error

    return anyio.run(inside)
