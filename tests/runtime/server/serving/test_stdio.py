"""A server over stdio."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from generated_servers import run
from mcp import Client, StdioServerParameters
from skeletons import (
    demo,
)

TOOLS = sorted(demo().tools)


@pytest.mark.slow
def test_it_serves_over_stdio(folder: Path) -> None:
    assert set(over_stdio(folder, "-m", "bookshelf")) == set(TOOLS)


def over_stdio(folder: Path, *arguments: str) -> list[str]:
    parameters = StdioServerParameters(
        command=sys.executable, args=list(arguments), env={"PYTHONPATH": str(folder / "src")}
    )

    async def names() -> list[str]:
        async with Client(parameters) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return list(run(names))
