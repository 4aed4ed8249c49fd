"""The tools in LangChain: no argument is lost, and programming errors end the run."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from framework_tools import (
    BROKEN,
    EVERYTHING,
    NEEDED,
    by_name,
    office,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason="needs the dependency group agents"),
    pytest.mark.filterwarnings("ignore"),  # from third-party libraries
]


def test_langchain_loses_no_argument_whatever_it_is_called() -> None:
    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_langchain())
        call = {"type": "tool_call", "id": "1", "name": "take_all", "args": EVERYTHING}
        message = await tools["take_all"].ainvoke(call)
        assert (message.status, message.content) == ("success", "ok")
        wrong = {**call, "name": "ask", "args": {"limit": 51}}
        message = await tools["ask"].ainvoke(wrong)
        assert message.status == "error"
        assert "/limit: 51 is greater than the maximum of 50" in message.content

    assert office(act) == [("take.all", EVERYTHING)]


def test_keywords_hidden_by_langchain_are_still_validated() -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_langchain())
        displayed = convert_to_openai_tool(tools["choose"])["function"]["parameters"]
        assert "$ref" not in json.dumps(displayed)
        deep = {"node": {"next": {"next": {"n": "one"}}}}
        call = {"type": "tool_call", "id": "1", "name": "choose", "args": deep}
        assert "/node/next/next/n" in (await tools["choose"].ainvoke(call)).content

    assert office(act) == []


def test_programming_error_ends_a_langchain_run() -> None:
    async def act(client: Any) -> None:
        tools = by_name(client.tools.as_langchain())
        with pytest.raises(KeyError, match="/home/ada"):
            await tools["ask"].ainvoke({"type": "tool_call", "id": "1", "name": "ask", "args": {}})

    office(act, **BROKEN)
