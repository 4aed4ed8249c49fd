"""Progress and status messages of tasks."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from runtime.task_server import (
    LEGACY,
    MODERN,
    TaskServer,
)
from task_clients import REVISIONS, using

from runtime import task_server


def test_progress_is_reported_after_task_creation() -> None:
    notifications: list[Any] = []

    async def act(client: Any) -> None:
        options = client.with_options(on_progress=lambda *messages: notifications.append(messages))
        await options.make(how="tells")

    using(act, TaskServer(LEGACY))
    assert notifications[0] == (0.0, None, "step 0")
    assert (2.0, 3.0, "sawing") in notifications
    assert (2.0, 3.0, "step 2") in notifications


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_status_message_is_reported_once(revision: str) -> None:
    notifications: list[Any] = []

    async def act(client: Any) -> None:
        options = client.with_options(on_progress=lambda *messages: notifications.append(messages))
        await options.make(how="ok")

    using(act, TaskServer(revision))
    assert notifications == [(0.0, None, f"step {n}") for n in range(task_server.STEPS + 1)]


def test_failing_callback_ends_call_and_task() -> None:
    def on_progress(*messages: Any) -> None:
        raise ZeroDivisionError

    async def act(client: Any) -> None:
        with pytest.raises(ZeroDivisionError):
            await client.with_options(on_progress=on_progress).make(how="endless")

    server = TaskServer(MODERN)
    using(act, server)
    assert server.methods[-1] == "tasks/cancel"


def test_callback_is_called_again_after_a_failure() -> None:
    notifications: list[Any] = []

    def on_progress(*messages: Any) -> None:
        notifications.append(messages)
        if len(notifications) == 1:
            raise ZeroDivisionError

    async def act(client: Any) -> None:
        telling = client.with_options(on_progress=on_progress)
        task = await telling.start(client.make, how="ok")
        with pytest.raises(ZeroDivisionError):
            await task.result()
        assert (await task.result()).made == "made ok"
        assert len(notifications) > 1

    using(act, TaskServer(MODERN))


@pytest.mark.slow
def test_progress_extends_the_time_limit_of_a_task() -> None:
    async def act(client: Any) -> None:
        limited = client.with_options(timeout=1, timeout_resets_on_progress=True)
        with anyio.move_on_after(2.5) as scope:
            await limited.make(how="endless")
        assert scope.cancelled_caught

    using(act, TaskServer(MODERN))
