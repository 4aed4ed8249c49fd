"""A started task: status, result, waiting and resumption."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp.types import ElicitResult
from mcpgen_runtime.calls.tasks import run as task_run
from runtime.task_server import (
    LEGACY,
    MODERN,
    TaskServer,
    connect_in_process,
    over_http,
)
from task_clients import MADE, REVISIONS, abandon_call, small, using


@pytest.mark.parametrize("revision", REVISIONS)
def test_started_task_has_status_and_result(revision: str) -> None:
    result = MADE[revision]

    async def act(client: Any) -> None:
        task = await client.start(client.make, how="ok")
        assert isinstance(task, result.Task)
        assert repr(task) == "<Task: make, t1>"
        assert (task.id, task.tool) == ("t1", "make")
        status = await task.status()
        assert status == result.TaskStatus(
            "working", "step 1", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", 60.0, 0.02
        )
        assert not status.is_over
        assert (await task.result()).made == "made ok"
        polls = len(server.heard)
        assert (await task.result()).made == "made ok"
        assert len(server.heard) == polls
        assert (await task.status()).is_over

    server = TaskServer(revision)
    using(act, server)


@pytest.mark.parametrize("revision", REVISIONS)
def test_two_may_wait_for_one_task(revision: str) -> None:
    statuses: list[Any] = []

    async def act(client: Any) -> None:
        task = await client.start(client.make, how="asks")

        async def wait() -> None:
            statuses.append((await task.result()).made)

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(wait)

    server = TaskServer(revision)
    using(act, server, elicit=small)
    assert statuses == ["made small"] * 3
    assert server.methods.count("tasks/update") + server.methods.count("tasks/result") == 1


@pytest.mark.parametrize("revision", REVISIONS)
def test_task_continues_if_its_result_is_not_awaited(revision: str) -> None:
    async def act(client: Any) -> None:
        task = await client.start(client.make, how="endless")
        with pytest.raises(MADE[revision].CallTimeout, match=r"within 0\.1 s"):
            await task.result(timeout=0.1)
        with anyio.move_on_after(0.1):
            await task.result()
        assert (await task.status()).state == "working"
        assert "tasks/cancel" not in server.methods
        assert (await task.cancel()).state == "cancelled"
        assert (await task.cancel()).state == "cancelled"
        with pytest.raises(MADE[revision].TaskCancelled):
            await task.result()

    server = TaskServer(revision)
    using(act, server)


def test_a_response_has_the_raw_result_of_a_task() -> None:
    async def act(client: Any) -> None:
        task = await client.start(client.make, how="ok")
        for response in (
            await client.response(task.result),
            await client.response(client.make, how="ok"),
        ):
            assert response.data.made == "made ok"
            assert response.raw.structured_content == {"made": "made ok"}

    using(act, TaskServer(LEGACY))


@pytest.mark.parametrize("revision", REVISIONS)
def test_serialized_task_resumes_over_another_connection(revision: str) -> None:
    server = TaskServer(revision)
    with over_http(server) as (url, headers):

        async def start_task() -> str:
            async with MADE[revision].Client.connect(url) as client:
                task = await client.start(client.make, how="ok")
                return str(task.to_text())

        async def resume_task(text: str) -> Any:
            async with MADE[revision].Client.connect(url) as client:
                return await (await client.resume(client.make, text)).result()

        text = anyio.run(start_task)
        assert {**json.loads(text), "sha256": ""} == {
            "format": "mcpgen-task/1",
            "server": url,
            "tool": "make",
            "sha256": "",
            "task": "t1",
        }
        assert anyio.run(resume_task, text).made == "made ok"
    routed = {
        header.get("mcp-name") for header in headers if header.get("mcp-method") == "tasks/get"
    }
    assert routed == ({"t1"} if revision == MODERN else set())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"server": "elsewhere"}, "its server is 'elsewhere', and here 'the given transport'"),
        ({"tool": "may"}, "its tool is 'may', and here 'make'"),
        ({"sha256": "0"}, "its contract is '0', and here '"),
        ({"format": "mcpgen-task/2"}, "its format is 'mcpgen-task/2', and here 'mcpgen-task/1'"),
        ({"task": ""}, "the text is not of a task"),
        ({"task": 7}, "the text is not of a task"),
    ],
)
def test_a_text_of_something_else_is_refused(changed: dict[str, Any], reason: str) -> None:
    server = TaskServer(MODERN)

    async def act(client: Any) -> None:
        task = await client.start(client.make, how="ok")
        text = json.dumps({**json.loads(task.to_text()), **changed})
        with pytest.raises(MADE[MODERN].InvalidTask) as caught:
            await client.resume(client.make, text)
        assert reason in str(caught.value)
        assert isinstance(caught.value, ValueError)

    using(act, server)
    assert server.methods == ["tools/call"]


@pytest.mark.parametrize("text", ["", "t1", "[]", "7", "[" * 100_000, "{}"])
def test_invalid_task_text_is_rejected(text: str) -> None:
    async def act(client: Any) -> None:
        with pytest.raises(MADE[MODERN].InvalidTask, match="the text is not of a task"):
            await client.resume(client.make, text)

    using(act, TaskServer(MODERN))


@pytest.mark.parametrize("revision", REVISIONS)
def test_unknown_task_fails_at_once(revision: str) -> None:
    async def act(client: Any) -> None:
        text = (await client.start(client.make, how="ok")).to_text()
        server.tasks.clear()
        with pytest.raises(MADE[revision].ProtocolError, match="no such task") as caught:
            await client.resume(client.make, text)
        assert caught.value.code == -32602

    server = TaskServer(revision)
    using(act, server)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/update"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_task_is_followed_over_the_next_connection(revision: str, method: str) -> None:
    server = TaskServer(revision)
    server.losing = {method: 2}
    questions: list[Any] = []

    async def elicit(*args: Any) -> ElicitResult:
        questions.append(args)
        return await small(*args)

    async def act(client: Any) -> None:
        assert (await client.make(how="asks")).made == "made small"
        task = await client.start(client.make, how="ok")
        server.losing = {"tasks/get": 2}
        assert (await task.result()).made == "made ok"

    using(act, server, elicit=elicit, retry=None)
    assert len(questions) == 1
    assert sum(transcript == ("notifications/initialized" if revision == LEGACY else "tools/list")
               for transcript, _ in server.heard) > 1  # fmt: skip


def test_repeatedly_lost_connection_ends_the_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = TaskServer(MODERN)
    monkeypatch.setattr(task_run, "_FIRST_WAIT", 0.001)

    async def act(client: Any) -> None:
        server.losing = {"tasks/get": 1000}
        with pytest.raises(MADE[MODERN].ConnectionLost):
            await client.make(how="ok")

    using(act, server, retry=None)


def test_a_task_is_waited_for_from_another_loop() -> None:
    server, client_package = TaskServer(MODERN), MADE[MODERN]
    statuses: list[Any] = []

    async def act() -> None:
        async with client_package.Client.connect(
            lambda: connect_in_process(server), elicit=small
        ) as client:
            task = await client.start(client.make, how="asks")

            async def elsewhere() -> None:
                statuses.append(await task.result())
                statuses.append(await client.make(how="ok"))
                await abandon_call(partial(client.make, how="endless"), server)

            thread = threading.Thread(target=asyncio.run, args=(elsewhere(),))
            thread.start()
            while thread.is_alive():
                await asyncio.sleep(0.01)
            with anyio.fail_after(PATIENCE):
                while server.methods[-1] != "tasks/cancel":
                    await asyncio.sleep(0.01)

    asyncio.run(act())
    assert [status.made for status in statuses] == ["made small", "made ok"]
