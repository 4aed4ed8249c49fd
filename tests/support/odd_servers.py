"""Servers with unusual contracts."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from guards import PATIENCE


async def comes(what: Callable[[], bool]) -> None:
    """Wait until a message has arrived."""
    with anyio.fail_after(PATIENCE):
        while not what():
            await anyio.sleep(0.01)


DECLARED = {"capabilities": {"logging": {}, "resources": {"subscribe": True}}}
