"""Tools as functions with parameters and resolvable types."""

from __future__ import annotations

import inspect
import json

import anyio
import pytest
from combined_tools import BOOKSHELF
from pydantic import TypeAdapter

from mcpgen.demo import server


def test_function_has_the_tools_parameters_and_resolved_types() -> None:
    async def inside() -> None:
        async with BOOKSHELF.Client.connect(server) as bookshelf:
            functions = bookshelf.tools.functions()
            assert [*functions] == [*BOOKSHELF.Client.tools]
            assert repr(functions).startswith("<8 functions: 'borrow_item'")
            search = functions["search_catalogue"]
            signature = inspect.signature(search)
            assert list(signature.parameters) == ["query", "from_", "genre", "language", "limit"]
            assert signature.parameters["query"].annotation is str
            assert signature.return_annotation is str
            assert search.__doc__.startswith("Find books and films")
            assert TypeAdapter(search).json_schema()["required"] == ["query"]
            assert json.loads(await search(query="night"))["total"] == 1
            assert (await search(query="")).startswith("Error: The arguments are not valid.")
            assert (await functions["get_item"](id="B-9")).startswith("Error: there is no item")
            assert "it cannot be shown here" in await functions["show_cover"](id="B-1")
            with pytest.raises(KeyError):
                functions["connect"]

    anyio.run(inside)
    with BOOKSHELF.Client.sync.connect(server) as bookshelf:
        function = bookshelf.tools.functions()["list_opening_hours"]
        assert "monday" in function()
