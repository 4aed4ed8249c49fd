"""Calls are recorded in a file and replayed without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcpgen_runtime import Callbacks, errors
from replayed_calls import SHOP, lines, record, replay
from runtime.packages import import_client
from runtime.scripted import Scripted, structured_result
from runtime.task_server import LEGACY, MODERN, TaskServer, connect_in_process, contract

from mcpgen.testing import mock
from runtime import contracts


async def whole(client: Any) -> list[Any]:
    """Make one call of each kind and return comparable results."""
    return [
        await client.add(a=1, b=2),
        await client.order(item={"id": "A", "price": 1, "made-on": "2020-01-02"}),
        (await client.explain(topic="x")).text,
        (await client.prompts.pitch(item="pen")).messages,
        (await client.resources.opening()).text,
        (await client.resources.shelf(shelf="left")).text,
    ]


def test_recorded_calls_are_replayed_without_a_server(path: Path) -> None:
    before = record(path, whole)
    assert [(line["kind"], line["name"]) for line in lines(path)] == [
        ("tool", "add"),
        ("tool", "order"),
        ("tool", "explain"),
        ("prompt", "pitch"),
        ("resource", "shop://opening"),
        ("resource", "shop://shelves/left"),
    ]
    assert replay(path, whole) == before
    assert replay(path, whole, in_order=True) == before


def test_recording_and_replay_work_in_another_event_loop(path: Path) -> None:
    async def inside() -> list[Any]:
        async with SHOP.Client.connect(Scripted().server, record=path) as client:
            return await whole(client)

    before = anyio.run(inside, backend="trio")
    assert len(lines(path)) == 6
    assert replay(path, whole, backend="trio") == before == replay(path, whole)


def test_sync_client_replays_an_async_recording(path: Path) -> None:
    before = record(path, lambda client: client.add(a=1, b=2))
    with SHOP.Client.sync.connect(replay=path) as client:
        assert client.add(a=1, b=2) == before
    client = SHOP.Client.sync.open(replay=path)
    assert client.add(a=1, b=2) == before
    client.close()
    with pytest.raises(errors.ConnectionLost):
        client.add(a=1, b=2)


def test_line_holds_request_and_response_only(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2), Scripted(add=structured_result({"sum": 3})))
    [line] = lines(path)
    assert len(line.pop("definition")) == 16
    assert line == {
        "arguments": {"a": 1, "b": 2},
        "kind": "tool",
        "name": "add",
        "result": {"content": [], "structuredContent": {"sum": 3}, "isError": False},
    }


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_both_eras_are_recorded_alike(path: Path, revision: str) -> None:
    bookshelf = contracts.shop(revision=revision)
    client_package = import_client(bookshelf, f"replay_era_{revision[:4]}")

    async def inside() -> None:
        async with client_package.Client.connect(
            mock.server(bookshelf), record=path, verify="off"
        ) as client:
            await client.add(a=1, b=2)

    anyio.run(inside)
    [line] = lines(path)
    assert line["result"].keys() <= {"content", "structuredContent", "isError"}
    assert replay(path, lambda client: client.add(a=1, b=2), client_package).sum is not None


def test_nothing_is_sent_while_calls_are_replayed(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2))
    server = Scripted()

    async def act(client: Any) -> None:
        await client.add(a=1, b=2)
        await client.resources.subscribe("shop://opening")
        with pytest.raises(RuntimeError, match="there is no connection to a server"):
            _ = client.session

    async def inside() -> None:
        callbacks = Callbacks(on_resource_updated=print)
        connecting = SHOP.Client.connect(server.server, replay=path, callbacks=callbacks)
        async with connecting as client:
            assert ": the recording calls.jsonl, open, 16 tools>" in repr(client)
            await act(client)

    anyio.run(inside)
    assert server.sent == []


def test_middleware_and_confirmation_stand_before_a_recording_too(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2))
    with pytest.raises(SHOP.NotConfirmed):
        replay(
            path,
            lambda client: client.add(a=1, b=2),
            confirm=lambda *_: False,
            confirm_when="always",
        )
    calls: list[str] = []

    async def look(call: Any, proceed: Any) -> Any:
        calls.append(call.name)
        return await proceed(call)

    replay(path, lambda client: client.add(a=1, b=2), middleware=[look])
    assert calls == ["add"]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_task_is_recorded_by_its_result(path: Path, revision: str) -> None:
    client_package = import_client(contract(revision), f"replay_tasks_{revision[:4]}")
    server = TaskServer(revision)

    async def act(client: Any) -> list[Any]:
        started = await client.start(client.make, how="well")
        return [(await started.result()).made, (await client.make(how="slowly")).made]

    async def inside() -> list[Any]:
        async with client_package.Client.connect(
            lambda: connect_in_process(server), record=path
        ) as client:
            return await act(client)

    before = anyio.run(inside)
    assert [line["arguments"] for line in lines(path)] == [{"how": "well"}, {"how": "slowly"}]
    assert replay(path, act, client_package) == before


def test_calls_at_the_same_time_are_each_answered_once(path: Path) -> None:
    numbers = iter(range(20))
    server = Scripted(count=lambda *_: next(numbers))

    async def act(client: Any) -> list[int]:
        return sorted(await asyncio.gather(*(client.count() for _ in range(20))))

    record(path, act, server)
    assert replay(path, act) == list(range(20))
