"""Tools that a running server disables and enables, over both protocols."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import anyio
import pytest
from authored import server
from guards import PATIENCE
from mcp import Client, MCPError, types
from mcp.shared.subscriptions import ToolsListChanged
from skeletons import MODES

BODY = """\
async def fetch(self, arguments, context):
    return "fetched"

async def store(self, arguments, context):
    return "stored"

async def empty(self, arguments, context):
    from .server import server
    await server.tools.disable("empty", "store")
    return "emptied"
"""
TOOLS: dict[str, Any] = {"fetch": {}, "store": {}, "empty": {}}


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[ModuleType]:
    declared = {"tools": {"listChanged": True}}
    with server(tmp_path, TOOLS, BODY, capabilities=declared) as module:
        yield module


@pytest.fixture
def server_without_changes(tmp_path: Path) -> Iterator[ModuleType]:
    with server(tmp_path, TOOLS, BODY, capabilities={"tools": {}}) as module:
        yield module


async def names(client: Client) -> list[str]:
    tools = (await client.list_tools(cache_mode="bypass")).tools
    return [tool.name for tool in tools]


@pytest.mark.parametrize("mode", MODES)
def test_disabled_tool_is_unknown_until_enabled(
    odd: ModuleType, mode: Literal["auto", "legacy"]
) -> None:
    async def act() -> None:
        async with Client(odd.server, mode=mode) as client:
            assert await names(client) == ["fetch", "store", "empty"]
            await odd.server.tools.disable("store")
            assert odd.server.tools.disabled == {"store"}
            assert await names(client) == ["fetch", "empty"]
            with pytest.raises(MCPError, match="Unknown tool: store"):
                await client.call_tool("store", {})
            assert not (await client.call_tool("fetch", {})).is_error
            await odd.server.tools.enable("store")
            assert await names(client) == ["fetch", "store", "empty"]
            assert not (await client.call_tool("store", {})).is_error

    anyio.run(act)


@pytest.mark.parametrize("mode", MODES)
def test_call_may_disable_its_own_tool(odd: ModuleType, mode: Literal["auto", "legacy"]) -> None:
    async def act() -> None:
        async with Client(odd.server, mode=mode) as client:
            result = await client.call_tool("empty", {})
            assert not result.is_error
            assert await names(client) == ["fetch"]

    anyio.run(act)


def test_legacy_clients_are_notified_of_each_change(odd: ModuleType) -> None:
    received: list[str] = []

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            received.append(message.method)

    async def act() -> None:
        async with Client(odd.server, mode="legacy", message_handler=note) as client:
            await client.list_tools()
            await odd.server.tools.disable("store", "fetch")
            await odd.server.tools.disable("store")  # no change
            await odd.server.tools.enable("store")
            with anyio.fail_after(PATIENCE):
                while len(received) < 2:
                    await anyio.sleep(0.01)
            await anyio.sleep(0.1)

    anyio.run(act)
    assert received == ["notifications/tools/list_changed"] * 2


def test_listening_clients_are_notified(odd: ModuleType) -> None:
    async def act() -> None:
        async with Client(odd.server) as client, client.listen(tools_list_changed=True) as events:
            await odd.server.tools.disable("store")
            with anyio.fail_after(PATIENCE):
                async for event in events:
                    assert event == ToolsListChanged()
                    break

    anyio.run(act)


def test_undeclared_changes_are_refused(server_without_changes: ModuleType) -> None:
    for change in (
        server_without_changes.server.tools.disable,
        server_without_changes.server.tools.enable,
    ):
        with pytest.raises(RuntimeError, match=r"doesn't declare tools\.listChanged"):
            anyio.run(change, "store")
    assert not server_without_changes.server.tools.disabled


def test_unknown_tool_is_refused_and_nothing_changes(odd: ModuleType) -> None:
    for change in (odd.server.tools.disable, odd.server.tools.enable):
        with pytest.raises(ValueError, match=r"no tools \['lose'\]"):
            anyio.run(change, "store", "lose")
    assert not odd.server.tools.disabled
