"""A mock runs tools as tasks and injects faults, tested with generated clients over both
protocols.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mock_tasks import CONTRACTS, MADE, answers, using
from runtime.task_server import MODERN
from task_client import tasks_of

from mcpgen.testing import mock


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
