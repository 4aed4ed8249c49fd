"""The tools of a client: selections, and a mapping of their names."""

from __future__ import annotations

from typing import Any

import pytest
from model_calls import (
    BOOKSHELF,
    ROOMS,
    bookshelf,
    make_call,
    office,
)


def test_selection_applies_to_definitions_and_calls() -> None:
    async def act(client: Any) -> Any:
        reading = client.tools.select(read_only=True, exclude=["take_inventory"])
        call = make_call("openai", "withdraw_items", {"ids": ["B-1"], "reason": None})
        return list(reading), await reading.run(call)

    names, message = bookshelf(act)
    assert names == [
        "browse_shelves",
        "get_item",
        "list_opening_hours",
        "search_catalogue",
        "show_cover",
    ]
    assert "There is no tool 'withdraw_items'" in message["content"]


def test_unknown_name_in_a_selection_is_an_error() -> None:
    async def act(client: Any) -> None:
        assert [*client.tools.select(only=["write.file", "read"])] == ["read", "write_file"]
        assert [*client.tools.select(only=["write_file"])] == ["write_file"]
        with pytest.raises(ROOMS.UnknownTool):
            client.tools.select(only=["write"])
        with pytest.raises(ROOMS.UnknownTool):
            client.tools.definitions("openai", exclude=["write"])
        with pytest.raises(TypeError, match="not the string 'read'"):
            client.tools.select(only="read")

    office(act)


def test_tools_remain_a_mapping() -> None:
    async def act(client: Any) -> None:
        assert [*client.tools] == [*BOOKSHELF.Client.tools] == [*BOOKSHELF.Client.sync.tools]
        assert client.tools["get_item"] == BOOKSHELF.Client.tools["get_item"]
        assert repr(client.tools).startswith("<8 tools: 'borrow_item'")
        assert not hasattr(BOOKSHELF.Client.tools, "run")
        chosen = client.tools.select(only=["get_item"])
        assert repr(chosen) == "<AgentTools: 1 tool: 'get_item'>"
        tool = chosen["get_item"]
        assert repr(tool).startswith("<AgentTool: get_item: 'Look up an item")
        displayed = await tool.call({"id": "B-1"})
        assert repr(displayed).startswith("<AgentResult: text: '{")
        assert displayed.raw.structured_content == displayed.structured
        with pytest.raises(KeyError):
            chosen["search_catalogue"]

    bookshelf(act)
