"""Clients of tools that run as tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from guards import PATIENCE
from mcp.types import ElicitResult
from runtime.packages import import_client
from runtime.task_server import (
    LEGACY,
    MODERN,
    TaskServer,
    connect_in_process,
    contract,
)

REVISIONS = [LEGACY, MODERN]

MADE = {
    revision: import_client(contract(revision), f"tasks_{revision[:4]}") for revision in REVISIONS
}

Act = Callable[[Any], Awaitable[Any]]


def using(act: Act, server: TaskServer, result: Any = None, **options: Any) -> Any:
    """Connect a client to a server that keeps its tasks when a connection ends."""

    async def inside() -> Any:
        client = (result or MADE[server.revision]).Client
        async with client.connect(lambda: connect_in_process(server), **options) as connection:
            with anyio.fail_after(PATIENCE):
                return await act(connection)

    return anyio.run(inside)


async def small(*prompts: Any) -> ElicitResult:
    assert prompts[-1].message == "How big?"
    return ElicitResult(action="accept", content={"size": "small"})


async def abandon_call(call: Callable[[], Awaitable[Any]], server: TaskServer) -> None:
    """Make a call, and cancel it once its task was polled."""
    polls = server.methods.count("tasks/get")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        while server.methods.count("tasks/get") == polls:
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
