"""A task runs at one replica, and each replica answers requests about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from guards import PATIENCE
from programs import redis
from replicated import Replicas, open_session, replicas

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are others there"),
]
EXTENSION = "io.modelcontextprotocol/tasks"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(scope="module")
def shop(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    with replicas(tmp_path_factory.mktemp("shop"), store) as running:
        yield running


def run_within(seconds: float, function: Any) -> None:
    async def run() -> None:
        with anyio.fail_after(seconds):
            await function()

    anyio.run(run)


class Modern:
    """A client of revision 2026-07-28 that accepts tasks."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def request(self, url: str, method: str, **params: Any) -> Any:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": {EXTENSION: {}},
            },
        }
        name = params.get("name") or params.get("taskId")
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        response = await self._http.post(
            url,
            json=message,
            headers={
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": method,
                "mcp-name": name,
            },
        )
        text = response.text
        if not text.startswith("{"):
            text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
        answer = json.loads(text)
        return answer.get("result", answer.get("error"))

    async def start(self, url: str, **arguments: Any) -> str:
        result = await self.request(url, "tools/call", name="task", arguments=arguments)
        return str(result["taskId"])

    async def status(self, url: str, task: str, *ends: str) -> Any:
        """Return the state of a task once it has one of these statuses."""
        while True:
            state = await self.request(url, "tasks/get", taskId=task)
            if state.get("status") in ends or "code" in state:
                return state
            await anyio.sleep(0.1)


@asynccontextmanager
async def modern() -> Any:
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:
        yield Modern(http)


def test_result_is_available_at_each_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with modern() as client:
            task = await client.start(first, seconds=0.5)
            states = [await client.request(url, "tasks/get", taskId=task) for url in shop.urls]
            assert [state["status"] for state in states] == ["working", "working"]
            done = await client.status(second, task, "completed")
            text = done["result"]["content"][0]["text"]
            assert text == f"done {shop.processes[0].pid}"

    run_within(60, check)


def test_task_is_cancelled_from_another_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with modern() as client:
            task = await client.start(first)
            await client.request(second, "tasks/cancel", taskId=task)
            for url in shop.urls:
                state = await client.request(url, "tasks/get", taskId=task)
                assert state["status"] == "cancelled"

    run_within(60, check)


def test_question_of_a_task_is_answered_at_another_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with modern() as client:
            task = await client.start(first, ask=True)
            state = await client.status(second, task, "input_required")
            assert [*state["inputRequests"]] == ["ok"]
            answers = {"ok": {"action": "accept", "content": {}}}
            await client.request(second, "tasks/update", taskId=task, inputResponses=answers)
            done = await client.status(second, task, "completed")
            assert done["result"]["content"][0]["text"] == "accept"

    run_within(60, check)


def test_unknown_task_is_not_found(shop: Replicas) -> None:
    async def check() -> None:
        async with modern() as client:
            state = await client.request(shop.urls[0], "tasks/get", taskId="nothing")
            assert state["message"] == "Task not found"

    run_within(60, check)


def test_legacy_client_gets_the_result_and_the_questions_at_another_replica(
    shop: Replicas,
) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            call = {"name": "task", "arguments": {"ask": True}, "task": {}}
            started = await session.request(first, "tools/call", **call)
            task = started["task"]["taskId"]
            message = {"id": 50, "method": "tasks/result", "params": {"taskId": task}}
            async with session.http.stream(
                "POST", second, json={"jsonrpc": "2.0", **message}, headers=session.headers
            ) as response:
                lines = response.aiter_lines()
                async for line in lines:
                    if "elicitation/create" in line:
                        question = json.loads(line[6:])
                        break
                answer = {"action": "decline"}
                await session.send(first, id=question["id"], result=answer)
                async for line in lines:
                    if line.startswith("data: {"):
                        result = json.loads(line[6:])["result"]
                        break
            assert result["content"][0]["text"] == "decline"

    run_within(60, check)


def test_task_fails_when_the_lease_of_its_replica_ends(shop: Replicas, store: str) -> None:
    import tempfile
    from pathlib import Path

    with (
        tempfile.TemporaryDirectory() as folder,
        replicas(Path(folder), store, 2) as other,
    ):

        async def check() -> None:
            first, second = other.urls
            async with modern() as client:
                task = await client.start(first)
                other.processes[0].kill()
                state = await client.status(second, task, "failed")
                assert state["error"]["message"] == "The replica that ran the task has ended"
                again = await client.request(shop.urls[0], "tasks/get", taskId=task)
                assert again["status"] == "failed"

        run_within(60, check)
