"""Recordings, and clients that replay them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcpgen_runtime import Record, Replay
from runtime.packages import package
from runtime.scripted import Scripted, using

SHOP = package()

Act = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls" / "calls.jsonl"


def record(path: Path, act: Act, server: Scripted | None = None, redact: Sequence[Any] = ()) -> Any:
    """Use a server and record the calls."""
    return using(lambda client, _: act(client), server, record=Record(path, redact))


def replay(
    path: Path,
    act: Act,
    client_package: Any = SHOP,
    backend: str = "asyncio",
    *,
    in_order: bool = False,
    **options: Any,
) -> Any:
    """Use a recording instead of a server."""
    replay = Replay(path, match="order") if in_order else path

    async def inside() -> Any:
        async with client_package.Client.connect(replay=replay, **options) as client:
            return await act(client)

    return anyio.run(inside, backend=backend)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
