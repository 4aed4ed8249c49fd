"""A mock runs tools as tasks and injects faults, tested with generated clients over both
protocols.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import MCPError, StdioServerParameters
from mcpgen_runtime import SessionOptions
from runtime.packages import import_client
from runtime.task_server import LEGACY, MODERN, contract
from task_client import tasks_of

from mcpgen.testing import mock

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


def test_call_becoming_a_task_returns_its_result(revision: str, tmp_path: Path) -> None:
    path = answers(tmp_path, {"tool": "make", "answer": {"made": "made it"}, "delay": 0.1})
    server = mock.server(CONTRACTS[revision], answers=path)

    async def act(client: Any) -> list[str]:
        started = await client.start(client.make, how="well")
        assert started.id
        return [(await started.result()).made, (await client.make(how="well")).made]

    assert using(server, revision, act) == ["made it", "made it"]


def test_a_task_fails_is_asked_for_and_is_stopped(revision: str, tmp_path: Path) -> None:
    path = answers(
        tmp_path,
        {"tool": "make", "arguments": {"how": "badly"}, "error": "no"},
        {"tool": "make", "delay": 3600},
    )
    server = mock.server(CONTRACTS[revision], answers=path)
    package = MADE[revision]

    async def act(client: Any) -> None:
        with pytest.raises(package.ToolError, match="no"):
            await client.make(how="badly")
        started = await client.start(client.make, how="slowly")
        assert (await started.status()).state == "working"
        await started.cancel()
        with pytest.raises(package.TaskCancelled):
            await started.result()

    using(server, revision, act)


def test_a_task_asks_the_user(revision: str, tmp_path: Path) -> None:
    ask = {"message": "How big?"}
    path = answers(tmp_path, {"tool": "make", "ask": ask, "answer": {"made": "made it"}})
    server = mock.server(CONTRACTS[revision], answers=path)
    questions: list[str] = []

    async def accept(question: Any) -> Any:
        questions.append(question.message)
        return question.accept({})

    result = using(server, revision, lambda client: client.make(how="well"), elicit=accept)
    assert (result.made, questions) == ("made it", ["How big?"])


def test_invalid_answer_is_rejected_and_the_task_continues(
    tmp_path: Path,
) -> None:
    ask = {"message": "How big?"}
    path = answers(tmp_path, {"tool": "make", "ask": ask, "answer": {"made": "made it"}})

    async def decline(*_: Any) -> Any:  # declares elicitation support
        raise NotImplementedError

    async def act() -> Any:
        server = mock.server(CONTRACTS[MODERN], answers=path)
        async with tasks_of(server, MODERN, elicitation_callback=decline) as client:
            task = (await client.call("make", {"how": "well"}))["taskId"]
            (key,) = (await client.until(task, "input_required"))["inputRequests"]
            for wrong in ("yes", {"action": "perhaps"}):
                with pytest.raises(MCPError, match="isn't the key of an open question"):
                    await client.ask("tasks/update", task, inputResponses={key: wrong})
            accepted = {key: {"action": "accept", "content": {}}}
            await client.ask("tasks/update", task, inputResponses=accepted)
            return await client.result(task)

    assert anyio.run(act)["structuredContent"] == {"made": "made it"}


def test_undeclared_tasks_are_not_used(revision: str) -> None:
    plain = replace(CONTRACTS[revision], capabilities={"tools": {}})
    tools = {name: {**raw, "execution": {}} for name, raw in plain.tools.items()}
    assert not mock.runs_tasks(replace(plain, tools=tools))
    assert mock.runs_tasks(CONTRACTS[revision])


# Faults, over both transports


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
    return [sys.executable, "-m", "mcpgen", "mock", str(folder), "--answers", str(path)]


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
