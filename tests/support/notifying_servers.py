"""Servers that notify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import sdk_programs
from guards import PATIENCE
from runtime.packages import import_client

from runtime import telling_server

REVISIONS = ["2025-11-25", "2026-07-28"]

WAYS = ["in this process", "stdio"]

SUPPORT = str(Path(telling_server.__file__).parents[1])


def _build_package(revision: Any) -> Any:
    contract = anyio.run(telling_server.contract, revision)
    return import_client(contract, f"telling_{revision[:4]}")


MADE = {revision: _build_package(revision) for revision in REVISIONS}


def package_for(revision: str) -> Any:
    return MADE[revision]


def target(way: str) -> Any:
    if way == "in this process":
        return telling_server.make_server()
    env = {"PYTHONPATH": SUPPORT}
    return sdk_programs.stdio(telling_server.__file__, env=env)


async def until(holds: Callable[[], object]) -> None:
    with anyio.fail_after(PATIENCE):
        while not holds():
            await anyio.sleep(0.01)


def heard_by(client: Any) -> Any:
    """Return the event state of a client."""
    return client._connection.connector.events
