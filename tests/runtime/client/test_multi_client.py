"""Several servers at once, each with a client of its own package. One failure doesn't affect the
others.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import anyio
import checkers
import pytest
from mcp import StdioServerParameters
from mcpgen_runtime import SessionOptions
from runtime.packages import import_client
from runtime.raw_server import TOOLS
from runtime.web import RAW, raw_web

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract


def contract(**more: Any) -> Contract:
    cache = {"tools": {tool["name"]: tool for tool in TOOLS}, "revision": "2025-11-25"}
    return Contract(**{**cache, "server": {"name": "raw"}, **more})


WEB: Any = {"transport": "http", "url": "http://127.0.0.1:${MANY_PORT}/mcp"}
ONE = import_client(contract(), "many_one")
TWO = import_client(contract(origin=WEB), "many_two")


def command(behaviour: str = "well") -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[RAW, behaviour])


async def reported_tool(client: Any) -> str:
    """Call a tool and return the tool name it reports."""
    return str((await client.ask()).json()["tool"])


def free_port() -> int:
    with raw_web("well") as (url, _):
        return int(url.rpartition(":")[2].partition("/")[0])


def test_clients_of_different_packages_are_connected_together() -> None:
    async def inside() -> None:
        first, two = ONE.Client.connect(command()), TWO.Client.connect(command())
        async with ONE.connect_all(one=first, two=two) as servers:
            assert type(servers.one) is ONE.Client
            assert type(servers.two) is TWO.Client
            assert [await reported_tool(servers.one), await reported_tool(servers.two)] == [
                "ask",
                "ask",
            ]
            assert servers.failures == {}
            assert "two=<" in repr(servers)

    anyio.run(inside)


def test_unnamed_servers_are_a_tuple_in_order() -> None:
    async def inside() -> None:
        first, two = ONE.Client.connect(command()), TWO.Client.connect(command())
        async with TWO.connect_all(two, first) as clients:
            assert [type(client) for client in clients] == [TWO.Client, ONE.Client]
            assert clients.failures == {}

    anyio.run(inside)


def test_class_connects_to_its_recorded_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def inside() -> None:
        async with ONE.connect_all(two=TWO.Client) as servers:
            assert await reported_tool(servers.two) == "ask"

    with raw_web("well") as (url, _):
        monkeypatch.setenv("MANY_PORT", url.rpartition(":")[2].partition("/")[0])
        anyio.run(inside)


# A failing server


@pytest.mark.slow
def test_failing_server_does_not_affect_the_others() -> None:
    async def inside() -> None:
        bad, good = ONE.Client.connect(command("exits")), TWO.Client.connect(command())
        async with ONE.connect_all(bad=bad, good=good) as servers:
            assert list(servers.failures) == ["bad"]
            assert isinstance(servers.failures["bad"], ONE.ConnectionFailed)
            assert "no database" in str(servers.failures["bad"])
            assert await reported_tool(servers.good) == "ask"
            for _ in range(2):
                with pytest.raises(ONE.ConnectionFailed, match="cannot connect"):
                    await servers.bad.ask()

    anyio.run(inside)


def test_unnamed_failure_has_the_index_of_its_server() -> None:
    async def inside() -> None:
        connecting = (ONE.Client.connect(command()), ONE.Client.connect(command("exits")))
        async with ONE.connect_all(*connecting) as clients:
            assert list(clients.failures) == [1]

    anyio.run(inside)


def test_all_may_fail() -> None:
    async def inside() -> None:
        bad = command("exits")
        async with ONE.connect_all(a=ONE.Client.connect(bad), b=TWO.Client.connect(bad)) as servers:
            assert sorted(servers.failures) == ["a", "b"]

    anyio.run(inside)


@pytest.mark.slow
def test_server_started_later_is_connected_by_the_next_call() -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"

    async def inside() -> None:
        async with ONE.connect_all(late=ONE.Client.connect(url)) as servers:
            with pytest.raises(ONE.ConnectionFailed):
                await servers.late.ask()
            with raw_web("well", port):
                assert await reported_tool(servers.late) == "ask"
            assert isinstance(servers.failures["late"], ONE.ConnectionFailed)

    anyio.run(inside)


def test_without_reconnect_every_call_raises_the_connection_error() -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"

    async def inside() -> None:
        late = ONE.Client.connect(url, session=SessionOptions(reconnect=False))
        async with ONE.connect_all(late=late) as servers:
            with raw_web("well", port), pytest.raises(ONE.ConnectionFailed):
                await servers.late.ask()

    anyio.run(inside)


@pytest.mark.slow
def test_unset_variable_is_a_failure_until_it_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MANY_PORT", raising=False)

    async def inside() -> None:
        async with ONE.connect_all(one=ONE.Client.connect(command()), two=TWO.Client) as servers:
            assert "MANY_PORT" in str(servers.failures["two"])
            with pytest.raises(TWO.ConnectionFailed, match="MANY_PORT"):
                await servers.two.ask()
            assert await reported_tool(servers.one) == "ask"
            with raw_web("well") as (url, _):
                monkeypatch.setenv("MANY_PORT", url.rpartition(":")[2].partition("/")[0])
                assert await reported_tool(servers.two) == "ask"

    anyio.run(inside)


def test_caller_mistake_is_raised_and_leaves_nothing_open() -> None:
    async def inside() -> None:
        wrong = ONE.Client.connect(command(), headers={"a": "b"})
        with pytest.raises(TypeError, match="headers are for a URL"):
            async with ONE.connect_all(one=TWO.Client.connect(command()), wrong=wrong):
                raise AssertionError

    anyio.run(inside)


# Opening and closing


def test_they_are_opened_and_closed_at_the_same_time() -> None:
    reached: list[str] = []

    class Slow:
        """A client that takes its time to open and to close."""

        def __init__(self, name: str, rest: list[str]) -> None:
            self.name = name
            self.others = rest

        def attempt(self, failed: Any) -> Any:
            return self

        async def __aenter__(self) -> str:
            await self._meet("opens")
            return self.name

        async def __aexit__(self, *_: object) -> None:
            await self._meet("closes")

        async def _meet(self, what: str) -> None:
            reached.append(f"{self.name} {what}")
            with anyio.fail_after(30):
                while not all(f"{other} {what}" in reached for other in self.others):
                    await anyio.sleep(0.01)

    async def inside() -> None:
        async with ONE.connect_all(Slow("a", ["b"]), Slow("b", ["a"])) as clients:
            reached.append("body")
            assert tuple(clients) == ("a", "b")

    anyio.run(inside)
    assert reached.index("body") == 2
    assert sorted(reached[3:]) == ["a closes", "b closes"]


def test_exception_inside_the_block_is_raised_unchanged() -> None:
    async def inside() -> None:
        async with ONE.connect_all(one=ONE.Client.connect(command())) as servers:
            await servers.one.ask()
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        anyio.run(inside)


def test_after_the_end_each_client_is_closed() -> None:
    async def inside() -> None:
        async with ONE.connect_all(ONE.Client.connect(command())) as (client,):
            await client.ask()
        with pytest.raises(ONE.ConnectionLost, match="the client was closed"):
            await client.ask()

    anyio.run(inside)


@pytest.mark.slow
def test_a_time_limit_of_the_caller_ends_the_connecting() -> None:
    async def inside() -> None:
        began = time.monotonic()
        with anyio.move_on_after(1) as scope:
            async with ONE.connect_all(one=ONE.Client.connect(command("silent"))):
                raise AssertionError
        assert scope.cancelled_caught
        assert time.monotonic() - began < 20

    anyio.run(inside)


def test_named_and_unnamed_servers_cannot_be_mixed() -> None:
    with pytest.raises(TypeError, match="give all servers by name"):
        ONE.connect_all(ONE.Client, two=TWO.Client)
    with pytest.raises(TypeError, match="'failures'"):
        ONE.connect_all(failures=ONE.Client)


# Without async


def test_sync_clients_connect_together() -> None:
    good = TWO.Client.sync.connect(command())
    with ONE.connect_all_sync(bad=ONE.Client.sync.connect(command("exits")), good=good) as servers:
        assert servers.good.ask().json()["tool"] == "ask"
        assert "no database" in str(servers.failures["bad"])
        with pytest.raises(ONE.ConnectionFailed):
            servers.bad.ask()
    with pytest.raises(TWO.ConnectionLost, match="the client was closed"):
        servers.good.ask()


def test_sync_class_connects_to_its_recorded_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with raw_web("well") as (url, _):
        monkeypatch.setenv("MANY_PORT", url.rpartition(":")[2].partition("/")[0])
        with TWO.connect_all_sync(TWO.Client.sync) as (client,):
            assert client.ask().json()["tool"] == "ask"


def test_sync_caller_mistake_closes_the_other_clients() -> None:
    opened: list[Any] = []

    class Kept:
        def attempt(self, failed: Any) -> Any:
            return self

        def __enter__(self) -> None:
            opened.append("opened")

        def __exit__(self, *_: object) -> None:
            opened.append("closed")

    wrong = ONE.Client.sync.connect(command(), headers={"a": "b"})
    with pytest.raises(TypeError, match="headers are for a URL"):
        ONE.connect_all_sync(Kept(), wrong).__enter__()
    assert opened == ["opened", "closed"]


# Types

USES = """\
from __future__ import annotations

from typing_extensions import assert_type

from one import OneClient, SyncOneClient, connect_all, connect_all_sync
from two import SyncTwoClient, TwoClient


async def uses() -> None:
    async with connect_all(OneClient, TwoClient.connect("https://example.org")) as (one, two):
        assert_type(one, OneClient)
        assert_type(two, TwoClient)
        await one.ask()
    async with connect_all(OneClient, TwoClient, OneClient, TwoClient, TwoClient, OneClient) as six:
        assert_type(six[4], TwoClient)
        assert_type(six[5], OneClient)
        print(six.failures[5])
    urls = ("https://a.example", "https://b.example")
    async with connect_all(*[OneClient.connect(url) for url in urls]) as same:
        for client in same:
            assert_type(client, OneClient)
    async with connect_all(one=OneClient, two=TwoClient.connect("https://example.org")) as named:
        library: OneClient = named.one
        await library.ask()
        assert_type(named.failures.get("two"), "Exception | None")


def waits() -> None:
    with connect_all_sync(OneClient.sync.connect(), SyncTwoClient.connect("u")) as (one, two):
        assert_type(one, SyncOneClient)
        assert_type(two, SyncTwoClient)
        one.ask()
    with connect_all_sync(one=OneClient.sync.connect()) as named:
        assert_type(named.failures.get("one"), "Exception | None")
"""
WRONG = """\
from __future__ import annotations

from one import OneClient, connect_all
from two import TwoClient


async def wrong() -> None:
    async with connect_all(OneClient, TwoClient) as (one, two):
        await one.unknown()
    async with connect_all(OneClient, 7) as nothing:
        print(nothing)
"""


@checkers.typed()
def uses_of_clients(folder: Path) -> None:
    for name in ("one", "two"):
        files = generate(contract(server={"name": name}), Options(name=name)).files
        checkers.write(files, folder / name)
    checkers.write({"uses.py": USES}, folder / "right")
    checkers.write({"uses.py": WRONG, "__init__.py": ""}, folder / "wrong")


@pytest.mark.slow
def test_both_type_checkers_know_each_client() -> None:
    for errors in (uses_of_clients.pyright(), uses_of_clients.mypy()):
        assert [line for line in errors if not line.startswith("wrong")] == []
        assert {line.partition(":")[2].partition(":")[0] for line in errors} >= {"9", "10"}
