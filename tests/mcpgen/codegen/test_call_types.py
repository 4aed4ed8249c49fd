"""Type checkers know the types of every call: they accept correct uses and reject wrong ones."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
from pathlib import Path

import pytest
from checkers import typed, write
from paths import ROOT

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read
from mcpgen.demo import server
from mcpgen.jsontext import loads

RIGHT = '''\
"""Uses of the demo's client as its users write them; they are run too."""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.types import CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult
from typing_extensions import assert_type

from bookshelf import (
    BorrowItemOutput,
    BookshelfClient,
    ResourceResult,
    Response,
    SearchCatalogueOutput,
    SyncBookshelfClient,
    ToolResult,
)


async def calls(bookshelf: BookshelfClient) -> None:
    assert_type(await bookshelf.search_catalogue(query="night"), SearchCatalogueOutput)
    await bookshelf.search_catalogue(query="a", from_=1990, genre="crime", limit=3)
    await bookshelf.search_catalogue(query="a", language=None)
    assert_type(await bookshelf.show_cover(id="B-1"), ToolResult)
    table: dict[str, Callable[..., Awaitable[object]]] = {"search": bookshelf.search_catalogue}
    await table["search"](query="night")
    nights = functools.partial(bookshelf.search_catalogue, query="night")
    assert_type(await nights(limit=1), SearchCatalogueOutput)
    known: Any = await bookshelf.call("get_item", {"id": "B-1"})
    assert known


async def options(bookshelf: BookshelfClient) -> None:
    seen: list[float] = []

    def show(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    assert_type(bookshelf.with_options(timeout=10), BookshelfClient)
    found = await bookshelf.with_options(timeout=10).search_catalogue(query="night")
    assert_type(found, SearchCatalogueOutput)
    both = bookshelf.with_options(timeout=math.inf).with_options(meta={"example.org/t": "1"})
    await both.get_item(id="B-1")
    await bookshelf.with_options(on_progress=show).take_inventory()
    await bookshelf.with_options(on_progress=tell).take_inventory()
    assert seen
    await bookshelf.prompts.with_options(timeout=5).recommend(genre="crime")
    await bookshelf.with_options(timeout=5).resources.rules()


async def responses(bookshelf: BookshelfClient) -> None:
    answer = await bookshelf.response(bookshelf.search_catalogue, query="night")
    assert_type(answer, Response[SearchCatalogueOutput])
    assert_type(answer.data, SearchCatalogueOutput)
    assert_type(answer.raw, CallToolResult | GetPromptResult | ReadResourceResult)
    assert isinstance(answer.raw, CallToolResult)
    assert answer.raw.structured_content
    assert_type(answer.content, list[ContentBlock])
    assert_type(answer.text, str)
    anything: Response[object] = answer
    assert anything.meta is not None
    cover = await bookshelf.response(bookshelf.show_cover, id="B-1")
    assert_type(cover, Response[ToolResult])
    assert cover.images[0].mime_type
    await bookshelf.response(bookshelf.list_opening_hours)
    await bookshelf.with_options(timeout=5).response(bookshelf.get_item, id="B-1")
    nights = functools.partial(bookshelf.search_catalogue, query="night")
    assert_type(await bookshelf.response(nights, limit=1), Response[SearchCatalogueOutput])
    prompt = await bookshelf.response(bookshelf.prompts.recommend, genre="crime")
    assert_type(prompt.data, GetPromptResult)
    assert isinstance(prompt.raw, GetPromptResult)
    assert prompt.raw.messages
    rules = await bookshelf.response(bookshelf.resources.rules)
    assert_type(rules.data, ResourceResult)
    assert isinstance(rules.raw, ReadResourceResult)
    assert rules.raw.contents
    by_name: Any = (await bookshelf.response(bookshelf.call, "get_item", {"id": "B-1"})).data
    assert by_name

    async def first(words: str) -> str:
        found = await bookshelf.search_catalogue(query=words)
        return found.items[0].title if found.items else ""

    assert_type(await bookshelf.response(first, "night"), Response[str])
    one, two = await asyncio.gather(
        bookshelf.response(bookshelf.get_item, id="B-1"),
        bookshelf.response(bookshelf.get_item, id="F-1"),
    )
    assert one.data.item.kind != two.data.item.kind


def waits(bookshelf: SyncBookshelfClient) -> None:
    assert_type(bookshelf.with_options(timeout=1), SyncBookshelfClient)
    answer = bookshelf.with_options(timeout=10).response(bookshelf.search_catalogue, query="night")
    assert_type(answer, Response[SearchCatalogueOutput])
    assert_type(bookshelf.search_catalogue(query="a"), SearchCatalogueOutput)
    assert_type(bookshelf.borrow_item(id="B-1", member="ada@example.org"), BorrowItemOutput)
    bookshelf.prompts.with_options(timeout=5).recommend(genre="crime")
    assert_type(bookshelf.response(bookshelf.resources.rules).data, ResourceResult)
'''

WRONG = [
    'await bookshelf.search_catalogue("night")',
    'await bookshelf.search_catalogue(query="night", timeout=3)',
    'await bookshelf.search_catalogue(qeury="night")',
    "await bookshelf.search_catalogue()",
    "await bookshelf.search_catalogue(query=3)",
    'await bookshelf.search_catalogue(query="a", genre="western")',
    "bookshelf.with_options(10)",
    "bookshelf.with_options(timeuot=10)",
    'bookshelf.with_options(timeout="10")',
    "bookshelf.with_options(on_progress=lambda progress: None)",
    'bookshelf.with_options(meta="trace")',
    "bookshelf.prompts.with_options(10)",
    "waiting.with_options(timeuot=10)",
    "await bookshelf.response(bookshelf.search_catalogue)",
    "await bookshelf.response(bookshelf.search_catalogue, query=3)",
    'await bookshelf.response(bookshelf.search_catalogue, qeury="night")',
    'await bookshelf.response(bookshelf.search_catalogue, "night")',
    'await bookshelf.response(bookshelf.search_catalogue, query="night", timeout=3)',
    'await bookshelf.response(bookshelf.search_catalogue(query="night"))',
    'await bookshelf.response("search_catalogue", query="night")',
    'await bookshelf.response(method=bookshelf.search_catalogue, query="night")',
    'a: Response[int] = await bookshelf.response(bookshelf.search_catalogue, query="a"); print(a)',
    'print((await bookshelf.response(bookshelf.search_catalogue, query="a")).total)',
    '(await bookshelf.response(bookshelf.search_catalogue, query="a")).data = None',
    'await bookshelf.response(waiting.search_catalogue, query="night")',
    "await bookshelf.response(bookshelf.prompts.recommend, genre=3)",
    'waiting.response(waiting.get_item, ident="B-1")',
    'print(waiting.response(waiting.get_item, id="B-1").data.lend)',
    'print(waiting.response(bookshelf.get_item, id="B-1").data.item)',
    'print(bookshelf.response(bookshelf.get_item, id="B-1").data)',
    "bookshelf.raw.get_item",
    "print((await bookshelf.response(bookshelf.resources.rules)).raw.structured_content)",
]
"""Statements, each wrong in one way."""

HEADER = """\
from __future__ import annotations

from bookshelf import BookshelfClient, Response, SyncBookshelfClient


async def wrong(
    bookshelf: BookshelfClient, waiting: SyncBookshelfClient, kind: type[Response[int]]
) -> None:
"""


@typed("bookshelf", "uses")
def uses(folder: Path) -> None:
    """The demo's package next to correct and wrong uses of it. Every line of the latter is an
    error.
    """
    contract = read(loads((ROOT / "golden/demo/contract.json").read_bytes()))
    write(generate(contract, Options()).files, folder / "bookshelf")
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
def test_pyright_tells_right_calls_from_wrong_ones() -> None:
    assert errors_and_misses(uses.pyright()) == ([], [])


@pytest.mark.slow
def test_mypy_tells_right_calls_from_wrong_ones() -> None:
    assert errors_and_misses(uses.mypy()) == ([], [])


def test_right_calls_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uses.fill(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    right, bookshelf = importlib.import_module("uses.right"), importlib.import_module("bookshelf")

    async def use() -> None:
        async with bookshelf.Client.connect(server) as client:
            for item in (right.calls, right.options, right.responses):
                await item(client)

    try:
        asyncio.run(use())
        with bookshelf.Client.sync.connect(server) as client:
            right.waits(client)
    finally:
        for name in [
            module for module in sys.modules if module.split(".")[0] in ("bookshelf", "uses")
        ]:
            del sys.modules[name]
