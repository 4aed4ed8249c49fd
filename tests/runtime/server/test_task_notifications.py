"""Clients are notified of the status of tasks."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import anyio
from guards import PATIENCE
from task_client import TaskClient
from task_servers import accept, answer_all, run


def test_legacy_session_is_notified_of_each_status(odd: ModuleType) -> None:
    messages: list[Any] = []

    def statuses() -> list[Any]:
        method = "notifications/tasks/status"
        params = [item["params"] for item in messages if item["method"] == method]
        return [(item["taskId"], item["status"]) for item in params]

    async def act(client: TaskClient) -> None:
        task = (await client.call("make"))["taskId"]
        await answer_all(client, task)
        with anyio.fail_after(PATIENCE):
            while (task, "completed") not in statuses():
                await anyio.sleep(0.01)
        assert statuses()[0] == (task, "input_required")

    run(odd.server, "legacy", act, elicitation_callback=accept, notifications=messages)


def test_listening_client_is_notified_of_its_tasks(odd: ModuleType) -> None:
    async def act(client: TaskClient, messages: list[Any]) -> None:
        task = (await client.call("give"))["taskId"]
        await client.until(task, "completed")
        waiting = (await client.call("make"))["taskId"]
        await client.until(waiting, "input_required")

        async def listen() -> None:
            wanted = {"notifications": {"taskIds": [task, "unknown", waiting]}}
            await client.ask("subscriptions/listen", None, **wanted)

        async with anyio.create_task_group() as group:
            group.start_soon(listen)
            with anyio.fail_after(PATIENCE):
                while len(messages) < 3:
                    await anyio.sleep(0.01)
                await answer_all(client, waiting)
                while messages[-1]["params"].get("status") != "completed" or len(messages) < 4:
                    await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        acknowledged, *states = messages
        assert acknowledged["params"]["notifications"] == {"taskIds": [task, waiting]}
        subscription = acknowledged["params"]["_meta"]
        assert all(state["params"]["_meta"] == subscription for state in states)
        by_task = {
            key: [state["params"] for state in states if state["params"]["taskId"] == key]
            for key in (task, waiting)
        }
        assert by_task[task][0]["result"]["structuredContent"] == {"a": None}
        statuses = [state["status"] for state in by_task[waiting]]
        assert statuses[0] == "input_required"
        assert statuses[-1] == "completed"
        assert list(by_task[waiting][0]["inputRequests"]) == ["q"]

    messages: list[Any] = []
    options: Any = {"elicitation_callback": accept, "notifications": messages}
    run(odd.server, "auto", lambda client: act(client, messages), **options)
