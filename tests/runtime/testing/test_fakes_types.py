"""Type checkers accept a fake as its client, and reject values that no server would send."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkers import typed, write
from skeletons import demo

from mcpgen.codegen.pipeline import Options, generate

RIGHT = '''\
"""Uses of a fake as its users write them."""

from __future__ import annotations

import math
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

from typing_extensions import assert_type

from bookshelf import (
    MISSING,
    CallTimeout,
    FakeCall,
    FakeBookshelfClient,
    GetItemOutput,
    BookshelfClient,
    SearchCatalogueInput,
    SearchCatalogueOutput,
    SyncFakeBookshelfClient,
    SyncBookshelfClient,
    ToolError,
    ToolResult,
)


async def use(bookshelf: BookshelfClient) -> int:
    return (await bookshelf.search_catalogue(query="night")).total


def use_waiting(bookshelf: SyncBookshelfClient) -> int:
    return bookshelf.search_catalogue(query="night").total


def search(query: str, **others: Any) -> SearchCatalogueOutput:
    return SearchCatalogueOutput(items=[], total=len(query))


async def get(*, id: str) -> GetItemOutput:
    raise ToolError(id)


def cover(id: str) -> str:
    return id


async def cover_too(*, id: str) -> ToolResult | dict[str, Any]:
    return {"id": id}


def card(id: str) -> bytes:
    return id.encode()


def welcome() -> str:
    return "Hello"


async def asynchronous(result: SearchCatalogueOutput) -> None:
    fake = BookshelfClient.fake("generate", retry=None, confirm=lambda tool, arguments: True)
    assert_type(fake, FakeBookshelfClient)
    fake.on(fake.search_catalogue).returns(result, result).raises(ToolError("gone"))
    fake.on(fake.search_catalogue).when(query="night", limit=MISSING).after(math.inf).generates()
    fake.on(fake.search_catalogue).runs(search)
    fake.on(fake.search_catalogue, query="night", limit=3).returns(result)
    fake.on(fake.get_item).runs(get).raises(CallTimeout("get_item", 5.0))
    fake.on(fake.show_cover).returns("text", {"a": 1}, [1]).runs(cover).runs(cover_too)
    fake.on(fake.prompts.recommend).returns("text")
    fake.on(fake.prompts.welcome).runs(welcome)
    fake.on(fake.resources.rules).returns("text", b"text")
    fake.on(fake.resources.card).runs(card)
    fake.on(fake.resources.read).when(uri="a://b").returns("text")
    fake.on(fake.with_options(timeout=1).get_item).generates()
    await use(fake)
    async with fake as bookshelf:
        assert_type(bookshelf, FakeBookshelfClient)
    calls = fake.calls(fake.search_catalogue)
    assert_type(calls, list[FakeCall[SearchCatalogueOutput]])
    assert calls == fake.calls(fake.search_catalogue, query="night", limit=3)
    assert_type(calls[0].result.total, int)
    assert calls[0].arguments == SearchCatalogueInput(query="night")
    assert_type(calls[0].arguments_as(SearchCatalogueInput).query, str)
    assert fake.calls(fake.resources.card, id="B-1") == fake.calls()
    connected: AbstractAsyncContextManager[BookshelfClient] = fake
    del connected


def waiting(result: SearchCatalogueOutput) -> None:
    fake = BookshelfClient.sync.fake()
    assert_type(fake, SyncFakeBookshelfClient)
    fake.on(fake.search_catalogue).returns(result).runs(search)
    fake.on(fake.get_item).runs(get)
    fake.on(fake.show_cover).returns("text").runs(cover)
    fake.on(fake.prompts.recommend).returns("text")
    fake.on(fake.resources.rules).returns("text", b"text")
    use_waiting(fake)
    with fake as bookshelf:
        use_waiting(bookshelf)
    calls = fake.calls(fake.search_catalogue, query="night")
    assert_type(calls, list[FakeCall[SearchCatalogueOutput]])
    connected: AbstractContextManager[SyncBookshelfClient] = fake
    del connected
'''

WRONG = [
    "fake.on(fake.get_item).returns(found)",
    "fake.on(fake.search_catalogue).returns(3)",
    "fake.on(fake.search_catalogue).returns(found, None)",
    'fake.on(fake.search_catalogue).returns("text")',
    "fake.on(fake.show_cover).returns(3)",
    'fake.on(fake.prompts.recommend).returns(b"text")',
    "fake.on(fake.get_item).runs(of_number)",
    "fake.on(fake.get_item).runs(to_number)",
    "fake.on(fake.show_cover).runs(to_number)",
    "fake.on(fake.get_item).raises(ValueError())",
    'fake.on(fake.get_item).raises("text")',
    'fake.on("get_item")',
    "fake.on(fake.get_items)",
    "fake.calls(fake.get_item, id=1)",
    'fake.calls(fake.get_item, ident="B-1")',
    'fake.on(fake.get_item, ident="B-1")',
    "fake.on(fake.get_item, id=1)",
    "waiting.on(waiting.get_item, id=1)",
    'fake.on(fake.get_item, id="B-1").returns(found)',
    "print(fake.calls(fake.get_item)[0].arguments_as(SearchCatalogueOutput).typo)",
    'print(fake.calls(fake.get_item, id="B-1")[0].result.lend)',
    'BookshelfClient.fake("make up")',
    "BookshelfClient.fake(verify=False)",
    "waiting.on(waiting.get_item).returns(found)",
    "waiting.on(waiting.get_item).runs(of_number)",
    "waiting.on(waiting.show_cover).returns(3)",
    "waiting.calls(waiting.get_item, id=1)",
    "taken: BookshelfClient = waiting; print(taken)",
]
"""Statements, each wrong in one way."""

HEADER = """\
from __future__ import annotations

from bookshelf import (
    BookshelfClient, FakeBookshelfClient, GetItemOutput, SearchCatalogueOutput,
    SyncFakeBookshelfClient,
)


def of_number(*, id: int) -> GetItemOutput:
    raise NotImplementedError


def to_number(*, id: str) -> int:
    raise NotImplementedError


def wrong(
    fake: FakeBookshelfClient, waiting: SyncFakeBookshelfClient, found: SearchCatalogueOutput
) -> None:
"""


@typed("bookshelf", "uses")
def uses(folder: Path) -> None:
    """The demo's package next to correct and wrong uses of its fake. Every line of the latter is
    an error.
    """
    write(generate(demo(), Options(name="bookshelf")).files, folder / "bookshelf")
    wrong = HEADER + "".join(f"    {statement}\n" for statement in WRONG)
    write({"__init__.py": "", "right.py": RIGHT, "wrong.py": wrong}, folder / "uses")


def errors_and_misses(messages: list[str]) -> tuple[list[str], list[str]]:
    """Return the errors about correct uses, and the wrong lines without an error."""
    lines = {
        int(match[1]) - HEADER.count("\n") - 1
        for message in messages
        if (match := re.match(r"uses[/\\]wrong\.py:(\d+)", message))
    }
    rest = [message for message in messages if "wrong.py" not in message]
    return rest, [text for number, text in enumerate(WRONG) if number not in lines]


@pytest.mark.slow
def test_pyright_distinguishes_correct_and_wrong_fake_uses() -> None:
    assert errors_and_misses(uses.pyright()) == ([], [])


@pytest.mark.slow
def test_mypy_distinguishes_correct_and_wrong_fake_uses() -> None:
    assert errors_and_misses(uses.mypy()) == ([], [])
