"""Server notifications: which callbacks run, in which order, and their cost."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import Client
from mcpgen_runtime import Callbacks
from mcpgen_runtime.connection import callbacks as runtime_callbacks
from mcpgen_runtime.connection import events as runtime_events
from mcpgen_runtime.package import package_of_module
from notifying_servers import (
    REVISIONS,
    WAYS,
    heard_by,
    package_for,
    target,
    until,
)
from runtime.packages import package
from runtime.scripted import Scripted, using

from runtime import telling_server

pytestmark = pytest.mark.filterwarnings("ignore:The logging capability is deprecated")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_changes_of_tools_and_resources_and_logs_are_told(revision: str, way: str) -> None:
    tools: list[Any] = []
    resources: list[str] = []
    logs: list[Any] = []

    async def inside() -> None:
        connecting = package_for(revision).Client.connect(
            target(way),
            callbacks=Callbacks(
                on_tools_changed=tools.append,
                on_resource_updated=resources.append,
                on_log=lambda level, data, logger: logs.append((level, data, logger)),
                log_level="warning",
            ),
        )
        async with connecting as client:
            assert client.session.protocol_version == revision
            await client.touch(uri="note://1")
            await client.resources.subscribe("note://1")
            await client.touch(uri="note://1")
            await until(lambda: resources)
            await client.resources.unsubscribe("note://1")
            await client.touch(uri="note://1")
            await client.log()
            await client.grow()
            await client.turn()
            await until(lambda: tools and tools[-1])

    anyio.run(inside)
    assert resources == ["note://1"]
    assert logs == [
        ("warning", "a warning", "telling"),
        ("error", "a error", "telling"),
    ]
    assert tools[0] == []
    assert {change.tool for change in tools[-1]} == {"echo"}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_callback_may_call_tools_and_not_block_calls(revision: str) -> None:
    order: list[str] = []

    async def inside() -> None:
        async def on_log(level: str, data: Any, logger: str | None) -> None:
            order.append(f"begin {level}")
            await anyio.sleep(0.05)
            order.append((await client.echo(text=f"end {level}")).result)

        connecting = package_for(revision).Client.connect(
            target("stdio"), callbacks=Callbacks(on_log=on_log)
        )
        async with connecting as client:
            response = await client.response(client.log)
            order.append("called")
            assert response.text == "logged"
            await until(lambda: len(order) == 7)

    anyio.run(inside)
    order.remove("called")
    levels = ("info", "warning", "error")
    assert order == [f"{which} {level}" for level in levels for which in ("begin", "end")]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_failing_callback_is_logged_and_harmless(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    notifications: list[str] = []

    def on_log(level: str, data: Any, logger: str | None) -> None:
        notifications.append(level)
        raise KeyError(level)

    async def inside() -> None:
        async with package_for(revision).Client.connect(
            target("stdio"), callbacks=Callbacks(on_log=on_log)
        ) as client:
            await client.log()
            await until(lambda: len(notifications) == 3)
            assert (await client.echo(text="a")).result == "a"

    anyio.run(inside)
    failures = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.message for record in failures] == ["a callback for Logged failed"] * 3
    assert failures[0].exc_info is not None
    assert failures[0].exc_info[0] is KeyError


def test_closing_does_not_wait_for_a_callback() -> None:
    begun: list[str] = []

    async def on_log(level: str, data: Any, logger: str | None) -> None:
        begun.append(level)
        await anyio.sleep_forever()

    async def inside() -> None:
        with anyio.fail_after(PATIENCE):
            async with package_for(REVISIONS[1]).Client.connect(
                target(WAYS[0]), callbacks=Callbacks(on_log=on_log)
            ) as client:
                await client.log()
                await until(lambda: begun)

    anyio.run(inside)
    assert begun == ["info"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_only_an_incompatibly_changed_tool_is_rejected(revision: str, way: str) -> None:
    async def inside() -> None:
        package = package_for(revision)
        notifications: list[Any] = []
        connecting = package.Client.connect(
            target(way),
            verify="compatible",
            callbacks=Callbacks(on_tools_changed=notifications.append),
        )
        async with connecting as client:
            await client.grow()
            await client.widen()
            await until(lambda: len(notifications) > 1)
            assert (await client.echo(text="a")).result == "a"
            with pytest.raises(package.ContractDrift, match="doesn't name"):
                await client.call("echo", {"text": "a", "times": "b"})
            await client.turn()
            await until(lambda: notifications[-1])
            with pytest.raises(package.ContractDrift, match="echo: inputSchema differs at"):
                await client.echo(text="a")
            assert (await client.grow()).result == "grown"

    anyio.run(inside)


def changed_before(change: str) -> Any:
    """Return a server whose tools change before a client connects."""
    server = telling_server.make_server()

    async def change_it() -> None:
        async with Client(server) as client:
            await client.call_tool(change)

    anyio.run(change_it)
    return server


@pytest.mark.parametrize("revision", REVISIONS)
def test_earlier_change_is_rejected_at_the_call(revision: str) -> None:
    async def inside(server: Any) -> None:
        package = package_for(revision)
        async with package.Client.connect(server, verify="compatible") as client:
            assert (await client.grow()).result == "grown"
            with pytest.raises(package.ContractDrift) as caught:
                await client.echo(text="a")
            assert {change.tool for change in caught.value.changes} == {"echo"}

    anyio.run(inside, changed_before("turn"))


def test_a_refused_call_is_neither_confirmed_nor_sent() -> None:
    questions: list[str] = []

    def confirm(tool: Any, arguments: Any) -> bool:
        questions.append(tool.name)
        return True

    async def inside(server: Any) -> None:
        package = package_for(REVISIONS[1])
        connecting = package.Client.connect(server, verify="compatible", confirm=confirm)
        async with connecting as client:
            with pytest.raises(package.ContractDrift):
                await client.echo(text="a")

    anyio.run(inside, changed_before("turn"))
    assert questions == []


@pytest.mark.parametrize("verify", ["warn", "error", "off"])
def test_each_verify_compares_again(verify: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def inside() -> None:
        package = package_for(REVISIONS[0])
        async with package.Client.connect(target(WAYS[0]), verify=verify) as client:
            session = client._connection.session
            await client.turn()
            await client.turn()
            if verify == "off":
                await anyio.sleep(0.1)
                assert session.drift is None
                return
            await until(lambda: session.drift and session.drift.changes)
            if verify == "error":
                with pytest.raises(package.ContractDrift):
                    await client.echo(text="a")
            else:
                with pytest.raises(package.ToolError):
                    await client.echo(text="a")

    anyio.run(inside)
    log_records = [
        record for record in caplog.records if "differs from the contract" in record.message
    ]
    assert len(log_records) == (verify == "warn")


@pytest.mark.slow
def test_sync_client_callbacks_run_in_its_loop() -> None:
    threads: list[threading.Thread] = []
    client = package_for(REVISIONS[0]).Client.sync.open(
        target("stdio"),
        callbacks=Callbacks(
            on_resource_updated=lambda _: threads.append(threading.current_thread())
        ),
    )
    client.resources.subscribe("note://1")
    client.touch(uri="note://1")
    deadline = time.monotonic() + PATIENCE
    while not threads and time.monotonic() < deadline:
        time.sleep(0.01)
    client.resources.unsubscribe("note://1")
    client.close()
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_a_given_client_has_callbacks_of_its_own() -> None:
    async def inside() -> None:
        client = Client(telling_server.make_server())
        with pytest.raises(TypeError, match="a callback can't be set for a client"):
            async with package_for(REVISIONS[1]).Client.connect(
                client, callbacks=Callbacks(on_log=print)
            ):
                pass

    anyio.run(inside)


def test_server_without_notifications_works() -> None:
    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(package().ClientError):
            await client.resources.subscribe("shop://opening")
        assert heard_by(client).uris == set()

    every = Callbacks(on_tools_changed=print, on_resource_updated=print, on_log=print)
    using(act, callbacks=every)


def test_unhandled_events_are_dropped_at_a_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    package = package_of_module(package_for(REVISIONS[0]).__name__)
    events, callbacks = runtime_events, runtime_callbacks
    events_ = events.Events(callbacks.Callbacks(on_resource_updated=print), "off", 1.0)

    class Nobody:
        def __init__(self) -> None:
            self.package = package

        def start(self, act: Any) -> None:
            pass

    async def inside() -> None:
        for number in range(events.MOST_WAITING + 3):
            events_.add(Nobody(), events.ResourceUpdated(f"note://{number}"))
            events_.add(Nobody(), events.ResourceUpdated(f"note://{number}"))

    anyio.run(inside)
    assert len(events_._waiting) == events.MOST_WAITING
    assert len(caplog.records) == 3
