"""Sets of tools from several packages, and from a changing server."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from combined_tools import BOOKSHELF
from mcp import types
from mcpgen_runtime import Callbacks
from runtime.packages import import_client
from runtime.scripted import Scripted, text_result

from mcpgen.contract.document import Contract
from mcpgen.demo import server


def contract(*names: str) -> Contract:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    tools = {
        name: {"name": name, "description": f"Does {name}.", "inputSchema": schema}
        for name in names
    }
    return Contract(tools=tools, server={"name": "desk"}, revision="2025-11-25")


DESK = import_client(contract("get_item", "file.away", "x" * 60), "several_desk")


def use(name: str, **arguments: Any) -> Any:
    return {"type": "tool_use", "id": "c1", "name": name, "input": arguments}


def desk(**answers: Any) -> Scripted:
    arguments = {name.replace("__", "."): answer for name, answer in answers.items()}
    return Scripted(contract("get_item", "file.away", "x" * 60), **arguments)


def test_tools_of_several_packages_are_renamed_and_run_together() -> None:
    async def inside() -> None:
        async with (
            BOOKSHELF.Client.connect(server) as bookshelf,
            DESK.Client.connect(
                desk(get_item=text_result("a pen"), file__away=text_result("ok")).server
            ) as other,
        ):
            tools = BOOKSHELF.agent_tools(bookshelf, desk=other)
            names = [definition["name"] for definition in tools.definitions("anthropic")]
            assert {"get_item", "desk__get_item", "desk__file_away"} < set(names)
            assert all(len(name) <= 64 for name in names)
            mcp = [definition["name"] for definition in tools.definitions("mcp")]
            assert "desk__file.away" in mcp
            pen = await tools.run(use("desk__get_item"))
            assert pen["content"] == [{"type": "text", "text": "a pen"}]
            item = await tools.run(use("get_item", id="B-1"))
            assert "Rain" in item["content"][0]["text"]
            named = await tools.run({"name": "desk__file.away", "arguments": {}})
            assert named["content"][0]["text"] == "ok"
            wrong = await tools.run(use("desk__get_item", x="one"))
            assert "/x: 'one' is not of type 'integer'" in wrong["content"][0]["text"]
            few = tools.select(only=["desk__get_item", "search_catalogue"], max_chars=1_000)
            assert [*few] == ["search_catalogue", "desk__get_item", "read_more"]
            assert "There is no tool 'get_item'" in str(await few.run(use("get_item")))
            chosen = BOOKSHELF.agent_tools(a=bookshelf.tools.select(only=["get_item"]), b=other)
            assert [*chosen][:2] == ["a__get_item", "b__file_away"]
            assert next(iter(DESK.agent_tools(all=tools))) == "all__borrow_item"

    anyio.run(inside)


def test_two_tools_with_one_name_are_a_programming_error() -> None:
    async def inside() -> None:
        async with (
            BOOKSHELF.Client.connect(server) as bookshelf,
            DESK.Client.connect(desk().server) as other,
        ):
            with pytest.raises(ValueError, match="two servers have a tool 'get_item'"):
                BOOKSHELF.agent_tools(bookshelf, other)
            with pytest.raises(TypeError, match="is for agent_tools"):
                BOOKSHELF.agent_tools_sync(bookshelf)
            with pytest.raises(TypeError, match="max_chars"):
                BOOKSHELF.agent_tools(bookshelf.tools.select(max_chars=1_000))

    anyio.run(inside)


def test_sync_clients_are_combined() -> None:
    with (
        BOOKSHELF.Client.sync.connect(server) as first,
        BOOKSHELF.Client.sync.connect(server) as two,
    ):
        tools = BOOKSHELF.agent_tools_sync(first, two=two).select(max_chars=500)
        answer = tools.run(use("two__get_item", id="B-1"))
        assert json.loads(answer["content"][0]["text"])["lent"] is False
        long = tools.run(use("search_catalogue", query="i"))["content"][0]["text"]
        handle = long.split('"')[-2]
        more = tools.run(use("read_more", handle=handle, offset=100))
        assert more["content"][0]["text"][:50] == long[100:150]


class Shrinking(Scripted):
    """A server that removes tools on request."""

    is_small = False

    async def list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        listing = await super().list_tools(ctx, params)
        if self.is_small:
            listing.tools[:] = [tool for tool in listing.tools if tool.name != "file.away"]
        return listing

    async def call_tool(self, ctx: Any, params: Any) -> Any:
        if params.name == "get_item":
            self.is_small = True
            await ctx.session.send_tool_list_changed()
        return text_result("ok")


def test_toolset_follows_list_changed_notifications() -> None:
    changed: list[Any] = []

    async def inside() -> None:
        shrinking = Shrinking(contract("get_item", "file.away", "x" * 60))
        event = anyio.Event()

        def hear(changes: Any) -> None:
            changed.extend(changes)
            event.set()

        connecting = DESK.Client.connect(
            shrinking.server, callbacks=Callbacks(on_tools_changed=hear)
        )
        async with connecting as client:
            tools = client.tools.select(exclude=["x" * 60])
            assert [*tools] == ["file_away", "get_item"]
            await tools.run(use("get_item"))
            with anyio.fail_after(5):
                await event.wait()
            assert [*tools] == ["get_item"]
            assert len(tools.definitions("openai")) == len(tools) == 1
            gone = await tools.run(use("file_away"))
            assert "There is no tool 'file_away'" in gone["content"][0]["text"]
            assert list(client.tools) == [*DESK.Client.tools]

    anyio.run(inside)
    assert [change.tool for change in changed] == ["file.away"]


def test_unknown_and_certainly_rejected_tools_are_not_offered() -> None:
    live = contract("get_item", "x" * 60, "new_one")
    live.tools["get_item"]["inputSchema"] = {"type": "object", "required": ["y"]}

    async def inside(verify: str) -> list[str]:
        async with DESK.Client.connect(Scripted(live).server, verify=verify) as client:
            return [*client.tools.select()]

    assert anyio.run(inside, "warn") == ["get_item", "x" * 60]
    assert anyio.run(inside, "compatible") == ["x" * 60]
    assert anyio.run(inside, "off") == ["file_away", "get_item", "x" * 60]
