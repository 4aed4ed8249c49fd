"""Subscriptions: kept over sessions, reopened, and many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcpgen_runtime import Callbacks
from notifying_servers import (
    REVISIONS,
    WAYS,
    heard_by,
    package_for,
    target,
    until,
)
from runtime.web import web

from runtime import telling_server

pytestmark = pytest.mark.filterwarnings("ignore:The logging capability is deprecated")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_new_session_has_the_same_subscriptions(revision: str) -> None:
    resources: list[str] = []

    async def inside() -> None:
        package = package_for(revision)
        client = await package.Client.open(
            target("stdio"), callbacks=Callbacks(on_resource_updated=resources.append)
        )
        await client.resources.subscribe("note://1")
        with pytest.raises(package.ConnectionLost):
            await client.die()
        assert (await client.echo(text="a")).result == "a"
        await until(lambda: resources)
        # The note may have changed meanwhile, so one update is reported.
        assert resources == ["note://1"]
        await client.touch(uri="note://1")
        await until(lambda: len(resources) == 2)
        await client.aclose()

    anyio.run(inside)
    assert resources == ["note://1"] * 2


class Breaking:
    """A server over HTTP, whose streams of changes can be broken off."""

    def __init__(self) -> None:
        self.app = telling_server.make_server().streamable_http_app()
        self.streams: list[Callable[[], object]] = []

    def streamable_http_app(self) -> Any:
        return self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if headers.get(b"mcp-method") != b"subscriptions/listen":
            await self.app(scope, receive, send)
            return
        with anyio.CancelScope() as stream:
            loop = asyncio.get_running_loop()
            self.streams.append(lambda: loop.call_soon_threadsafe(stream.cancel))
            await self.app(scope, receive, send)


def test_broken_stream_reopens_and_missed_changes_are_reported() -> None:
    resources: list[str] = []
    tools: list[Any] = []
    server = Breaking()

    async def inside(url: str) -> None:
        connecting = package_for(REVISIONS[1]).Client.connect(
            url,
            callbacks=Callbacks(
                on_resource_updated=resources.append, on_tools_changed=tools.append
            ),
        )
        async with connecting as client:
            await client.resources.subscribe("note://1")
            assert len(server.streams) == 2
            server.streams[-1]()
            await until(lambda: resources and tools)
            assert len(server.streams) == 3
            await client.touch(uri="note://1")
            await until(lambda: len(resources) == 2)

    with web(server) as (url, _):  # type: ignore[arg-type]
        anyio.run(inside, url)


@pytest.mark.slow
def test_many_subscriptions_at_once_are_all_held() -> None:
    resources: list[str] = []
    uris = [f"note://{number}" for number in range(12)]

    async def inside() -> None:
        connecting = package_for(REVISIONS[1]).Client.connect(
            target("stdio"), callbacks=Callbacks(on_resource_updated=resources.append)
        )
        async with connecting as client:
            async with anyio.create_task_group() as tasks:
                for uri in uris:
                    tasks.start_soon(client.resources.subscribe, uri)
            for uri in uris:
                await client.touch(uri=uri)
            await until(lambda: len(resources) >= len(uris))

    anyio.run(inside)
    assert sorted(resources) == sorted(uris)


@pytest.mark.parametrize("revision", REVISIONS)
def test_without_callbacks_nothing_is_asked_for(revision: str) -> None:
    async def inside(url: str) -> None:
        async with package_for(revision).Client.connect(url) as client:
            await client.log()
            assert heard_by(client) is None

    with web(telling_server.make_server()) as (url, transcript):  # type: ignore[arg-type]
        anyio.run(inside, url)
    methods = {headers.get("mcp-method") for headers in transcript.headers}
    assert "subscriptions/listen" not in methods
    assert "logging/setLevel" not in methods


def test_a_subscription_needs_someone_to_tell() -> None:
    async def inside() -> None:
        async with package_for(REVISIONS[1]).Client.connect(target(WAYS[0])) as client:
            with pytest.raises(TypeError, match="on_resource_updated"):
                await client.resources.subscribe("note://1")

    anyio.run(inside)
