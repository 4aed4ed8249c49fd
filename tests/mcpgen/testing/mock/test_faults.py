"""Faults that a mock injects."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sdk_programs
from mcp import StdioServerParameters
from mcpgen_runtime import SessionOptions
from mock_tasks import CONTRACTS, MADE, answers, using
from runtime.task_server import LEGACY

FAULTS = [
    {"tool": "never", "arguments": {"how": "drop"}, "drop": True},
    {"tool": "never", "arguments": {"how": "garbage"}, "garbage": True},
    {"tool": "never", "arguments": {"how": "text"}, "garbage": "<html>"},
    {"tool": "never", "answer": {"made": "made it"}},
]


def command(tmp_path: Path, revision: str) -> list[str]:
    folder = tmp_path / "contract.json"
    folder.write_text(json.dumps(CONTRACTS[revision].document()))
    path = answers(tmp_path, *FAULTS)
    return sdk_programs.mcpgen("mock", str(folder), "--answers", str(path))


@pytest.mark.slow
def test_faults_over_stdio(tmp_path: Path) -> None:
    args = command(tmp_path, LEGACY)
    package = MADE[LEGACY]

    async def act(client: Any) -> None:
        with pytest.raises(package.CallTimeout):  # an unreadable response completes no request
            await client.with_options(timeout=2).never(how="text")
        with pytest.raises(package.ConnectionLost):
            await client.never(how="drop")

    target = StdioServerParameters(command=args[0], args=args[1:])
    using(target, LEGACY, act, verify="off", session=SessionOptions(reconnect=False))


@contextlib.contextmanager
def over_http(args: list[str]) -> Iterator[str]:
    with subprocess.Popen([*args, "--http", "0"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        result = next(line for line in process.stderr if " at http" in line)
        try:
            yield result.split(" at ")[1].split(";")[0]
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.sampled(1)
def test_faults_over_http(tmp_path: Path, revision: str) -> None:
    package = MADE[revision]

    async def act(client: Any) -> None:
        for how in ("garbage", "text"):
            with pytest.raises(package.InvalidResult):
                await client.never(how=how)
        with pytest.raises(package.ConnectionLost):
            await client.never(how="drop")
        assert (await client.never(how="well")).made == "made it"

    with over_http(command(tmp_path, revision)) as url:
        using(url, revision, act, verify="off")
