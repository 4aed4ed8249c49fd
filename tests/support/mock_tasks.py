"""Mocks whose tools run as tasks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from runtime.packages import import_client
from runtime.task_server import LEGACY, MODERN, contract

CONTRACTS = {revision: contract(revision) for revision in (LEGACY, MODERN)}

MADE = {
    revision: import_client(CONTRACTS[revision], f"mocked_{revision[:4]}") for revision in CONTRACTS
}

Act = Callable[[Any], Awaitable[Any]]


@pytest.fixture(params=[LEGACY, MODERN])
def revision(request: pytest.FixtureRequest) -> str:
    revision: str = request.param
    return revision


def using(target: Any, revision: str, act: Act, **options: Any) -> Any:
    async def inside() -> Any:
        async with MADE[revision].Client.connect(target, retry=None, **options) as client:
            with anyio.fail_after(PATIENCE):
                return await act(client)

    return anyio.run(inside)


def answers(tmp_path: Path, *entries: Any) -> Path:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(entries))
    return path
