"""Errors of a server: protocol errors, and crashes that stay in the log."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from generated_servers import run
from mcp import Client, types
from skeletons import (
    MODES,
    call,
    raises_mcp,
    text,
)


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
