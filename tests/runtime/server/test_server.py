"""A generated server: its lists, responses and failures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checkers import ignores, typed
from generated_servers import run
from mcp import Client, types
from skeletons import (
    MODES,
    call,
    demo,
    project,
    raises_mcp,
    text,
)

from mcpgen.jsontext import Json


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_structured_and_text(bookshelf: ModuleType, mode: str) -> None:
    result = run(call, bookshelf.server, "borrow_item", {"id": "B-1", "member": "a@b.c"}, mode)
    assert not result.is_error
    assert result.structured_content["item"]["title"] == "Night"
    assert "series" not in result.structured_content["item"]
    assert json.loads(text(result)) == result.structured_content


def test_a_list_is_text_alone_before_2026_07_28(bookshelf: ModuleType) -> None:
    modern = run(call, bookshelf.server, "list_opening_hours", {})
    legacy = run(call, bookshelf.server, "list_opening_hours", {}, "legacy")
    assert modern.structured_content[0]["day"] == "monday"
    assert legacy.structured_content is None
    assert text(legacy) == text(modern)


def test_a_tool_without_output_schema_returns_content(bookshelf: ModuleType) -> None:
    result = run(call, bookshelf.server, "show_cover", {"id": "B-1"})
    assert [block.type for block in result.content] == ["text", "image"]


def test_raw_arguments_are_available_to_user_code(bookshelf: ModuleType) -> None:
    result = run(call, bookshelf.server, "browse_shelves", {})
    assert result.structured_content["shelves"][0]["name"] == "None"
    assert sys.modules["bookshelf.tools"].SEEN[-1] == {}


def test_progress_reaches_the_client(bookshelf: ModuleType) -> None:
    calls: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        calls.append(progress)

    async def take() -> Any:
        async with Client(bookshelf.server) as client:
            return await client.call_tool("take_inventory", {}, progress_callback=note)

    assert run(take).structured_content == {"counted": 2, "by_genre": {"crime": 2}}
    assert calls == [1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_the_user_is_asked_as_each_era_does(bookshelf: ModuleType, mode: str) -> None:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"sure": "B-1" in params.message})

    async def withdraw() -> Any:
        async with Client(bookshelf.server, mode=mode, elicitation_callback=answer) as client:
            arguments = {"ids": ["B-1", "B-2"], "reason": None}
            return await client.call_tool("withdraw_items", arguments)

    assert run(withdraw).structured_content == {"withdrawn": ["B-1"]}


@pytest.mark.parametrize("mode", MODES)
def test_client_without_elicitation_gets_an_error(bookshelf: ModuleType, mode: str) -> None:
    arguments = {"ids": ["B-1"], "reason": None}
    with raises_mcp() as raised:
        run(call, bookshelf.server, "withdraw_items", arguments, mode)
    assert raised.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY


@pytest.mark.parametrize("mode", MODES)
def test_prompts_and_resources_are_answered(bookshelf: ModuleType, mode: str) -> None:
    async def ask() -> list[Any]:
        async with Client(bookshelf.server, mode=mode) as client:
            prompt = await client.get_prompt("recommend", {"genre": "crime"})
            rules = await client.read_resource("bookshelf://rules")
            card = await client.read_resource("bookshelf://items/B-1")
        return [prompt.messages[0].content, rules.contents[0], card.contents[0]]

    prompt, rules, card = run(ask)
    assert prompt.text == "Recommend crime for someone None."
    assert (rules.blob, rules.mime_type) == ("QmUgcXVpZXQu", "text/plain")
    assert (card.text, card.mime_type) == ('{"id": "B-1"}', "application/json")


@pytest.mark.parametrize("arguments", [{"query": "a", "limit": 50}, {"query": "long"}])
def test_invalid_result_is_never_sent(
    bookshelf: ModuleType, arguments: Json, caplog: pytest.LogCaptureFixture
) -> None:
    result = run(call, bookshelf.server, "search_catalogue", arguments)
    assert result.is_error
    assert result.structured_content is None
    assert text(result) == "The tool search_catalogue returned an invalid result."
    assert "/total: -1" in caplog.text or "/items/0" in caplog.text


@typed("bookshelf", source="bookshelf/src")
def whole_project(folder: Path) -> None:
    project(demo(), folder)


@pytest.mark.slow
def test_both_type_checkers_are_silent(tmp_path: Path) -> None:
    folder = project(demo(), tmp_path)
    assert not any(ignores(path.read_text("utf-8")) for path in folder.rglob("*.py"))
    assert whole_project.pyright() == []
    assert whole_project.mypy() == []
