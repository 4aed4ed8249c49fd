"""A generated server: its lists, responses and failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from checkers import ignores, mypy, pyright
from mcp import Client, StdioServerParameters, types
from skeletons import (
    AUTHOR,
    MODES,
    call,
    demo,
    expected_definitions,
    http,
    import_server,
    list_raw_tools,
    project,
    raises_mcp,
    text,
)

from mcpgen.contract.document import read
from mcpgen.jsontext import Json

TOOLS = sorted(demo().tools)


@pytest.fixture
def bookshelf(tmp_path: Path) -> Iterator[ModuleType]:
    """The demo's contract, as its author implements it."""
    with import_server(project(demo(), tmp_path, author=AUTHOR)) as module:
        yield module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return project(demo(), tmp_path, author=AUTHOR)


def run(function: Any, *arguments: Any) -> Any:
    return anyio.run(function, *arguments)


# Lists


@pytest.mark.parametrize("mode", MODES)
def test_the_contracts_own_json_is_listed_in_its_order(bookshelf: ModuleType, mode: str) -> None:
    result = run(list_raw_tools, bookshelf.server, mode)
    assert json.dumps(result) == json.dumps(expected_definitions(demo(), mode))


@pytest.mark.parametrize("mode", MODES)
def test_the_sdks_client_sees_every_schema_as_it_is(bookshelf: ModuleType, mode: str) -> None:
    async def schemas() -> dict[str, Json]:
        async with Client(bookshelf.server, mode=mode) as client:
            tools = (await client.list_tools()).tools
        return {tool.name: (tool.input_schema, tool.output_schema) for tool in tools}

    expected = expected_definitions(demo(), mode)
    assert run(schemas) == {
        n: (t["inputSchema"], t.get("outputSchema")) for n, t in expected.items()
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["tools", "prompts", "resources", "resource_templates"])
def test_unknown_cursor_is_rejected(bookshelf: ModuleType, mode: str, kind: str) -> None:
    async def pages() -> None:
        async with Client(bookshelf.server, mode=mode) as client:
            ask = getattr(client, f"list_{kind}")
            assert (await ask(cursor=None)).next_cursor is None
            with raises_mcp() as raised:
                await ask(cursor="no-such-cursor")
        assert (raised.code, raised.message) == (types.INVALID_PARAMS, "Unknown cursor")

    run(pages)


def test_properties_unknown_to_the_sdk_are_listed(tmp_path: Path) -> None:
    tool = {
        "name": "odd",
        "x-vendor": {"a": None},
        "inputSchema": {"type": "object", "default": None, "properties": {"a": {"default": None}}},
        "outputSchema": {"type": ["null", "string"], "default": None},
    }
    contract = read({"tools": [tool], "server": {"name": "odd"}})
    with import_server(project(contract, tmp_path)) as module:
        assert run(list_raw_tools, module.server, "auto") == {"odd": tool}


def test_prompts_and_resources_are_listed_as_in_the_contract(bookshelf: ModuleType) -> None:
    async def names() -> list[str]:
        async with Client(bookshelf.server) as client:
            prompts = (await client.list_prompts()).prompts
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
        return [*(p.name for p in prompts), *(r.name for r in [*resources, *templates])]

    assert run(names) == ["recommend", "welcome", "rules", "card"]


def test_server_info_equals_the_contracts(bookshelf: ModuleType) -> None:
    async def read_server_info() -> tuple[Any, str | None]:
        async with Client(bookshelf.server) as client:
            return client.server_info, client.instructions

    info, instructions = run(read_server_info)
    assert (info.name, info.version) == ("bookshelf", "1.0.0")
    assert instructions == demo().instructions


# Responses


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


# Failures


@pytest.mark.parametrize("mode", MODES)
def test_invalid_arguments_are_an_error_with_paths(bookshelf: ModuleType, mode: str) -> None:
    result = run(call, bookshelf.server, "search_catalogue", {"query": "", "limit": 99}, mode)
    assert result.is_error
    assert text(result) == (
        "Invalid arguments for search_catalogue:\n"
        "  /limit: 99 is greater than the maximum of 50\n"
        "  /query: '' should be non-empty"
    )


def test_unknown_names_are_protocol_errors(bookshelf: ModuleType) -> None:
    async def ask(method: str, *arguments: Any) -> Any:
        async with Client(bookshelf.server) as client:
            return await getattr(client, method)(*arguments)

    questions = [
        ("call_tool", "no", {}),
        ("get_prompt", "no", {}),
        ("read_resource", "bookshelf://no"),
    ]
    for question in [*questions, ("get_prompt", "recommend", {}), ("read_resource", CARD)]:
        with raises_mcp() as raised:
            run(ask, *question)
        assert raised.code == types.INVALID_PARAMS, question


CARD = "bookshelf://items/B-9"


def test_missing_resource_has_the_legacy_error_code(bookshelf: ModuleType) -> None:
    async def ask() -> Any:
        async with Client(bookshelf.server, mode="legacy") as client:
            return await client.read_resource(CARD)

    with raises_mcp() as raised:
        run(ask)
    assert (raised.code, raised.message) == (-32002, f"no such item: {CARD}")


def test_a_crash_stays_in_the_log(bookshelf: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    arguments = {"id": "B-1", "member": "a@b.c", "weeks": 3}
    result = run(call, bookshelf.server, "borrow_item", arguments)
    assert result.is_error
    assert text(result) == "The tool borrow_item failed; its server's log has the reason."
    assert "KeyError: 'a secret'" in caplog.text


def test_a_prompts_crash_stays_in_the_log(
    bookshelf: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask() -> Any:
        async with Client(bookshelf.server) as client:
            return await client.get_prompt("welcome", {})

    with raises_mcp() as raised:
        run(ask)
    assert "secret" not in raised.message
    assert "RuntimeError: a secret" in caplog.text


def test_the_authors_own_words_reach_the_caller(bookshelf: ModuleType) -> None:
    arguments = {"id": "B-1", "member": "a@b.c", "weeks": 1}
    result = run(call, bookshelf.server, "borrow_item", arguments)
    assert (result.is_error, text(result)) == (True, "B-1 is lent; try another item")


def test_unimplemented_tool_reports_it(bookshelf: ModuleType) -> None:
    result = run(call, bookshelf.server, "get_item", {"id": "B-1"})
    assert (result.is_error, text(result)) == (True, "The tool get_item is not implemented yet.")


@pytest.mark.parametrize("arguments", [{"query": "a", "limit": 50}, {"query": "long"}])
def test_invalid_result_is_never_sent(
    bookshelf: ModuleType, arguments: Json, caplog: pytest.LogCaptureFixture
) -> None:
    result = run(call, bookshelf.server, "search_catalogue", arguments)
    assert result.is_error
    assert result.structured_content is None
    assert text(result) == "The tool search_catalogue returned an invalid result."
    assert "/total: -1" in caplog.text or "/items/0" in caplog.text


# How it is started


@pytest.mark.slow
def test_it_serves_over_stdio(folder: Path) -> None:
    assert set(over_stdio(folder, "-m", "bookshelf")) == set(TOOLS)


def over_stdio(folder: Path, *arguments: str) -> list[str]:
    parameters = StdioServerParameters(
        command=sys.executable, args=list(arguments), env={"PYTHONPATH": str(folder / "src")}
    )

    async def names() -> list[str]:
        async with Client(parameters) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return list(run(names))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_it_serves_over_http(folder: Path, mode: str) -> None:
    with http(folder) as url:
        result = run(call, url, "show_cover", {"id": "B-1"}, mode)
        assert text(result) == "B-1"


@pytest.mark.slow
def test_a_page_of_another_site_is_refused(folder: Path) -> None:
    import httpx2

    with http(folder) as url:
        answer = httpx2.post(url, json={}, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403


@pytest.mark.slow
def test_invalid_http_address_is_rejected(folder: Path) -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "bookshelf", "--http", "nowhere"],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert "is not [HOST:]PORT" in completed.stderr


# Type checkers


@pytest.mark.slow
def test_both_type_checkers_are_silent(tmp_path: Path) -> None:
    folder = project(demo(), tmp_path)
    assert not any(ignores(path.read_text("utf-8")) for path in folder.rglob("*.py"))
    assert pyright(folder) == []
    assert mypy(folder / "src", "bookshelf") == []
