"""Calls of a fake are kept."""

from __future__ import annotations

import math
from typing import Any

import anyio
import pytest
from fake_clients import MODELS, catalogue_page, run


def test_calls_are_kept_with_their_arguments_and_results() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).returns(catalogue_page(3))
        await fake.with_options(meta={"a/b": 1}).search_catalogue(query="night", limit=5)
        await fake.search_catalogue(query="day")
        first, second = fake.calls(fake.search_catalogue)
        assert first.arguments == MODELS.SearchCatalogueInput(query="night", limit=5)
        assert (first.arguments.query, first.sent) == ("night", {"query": "night", "limit": 5})
        assert (first.kind, first.name, first.meta) == ("tool", "search_catalogue", {"a/b": 1})
        assert first.result.total == 3
        assert repr(second) == "<FakeCall: search_catalogue(query='day')>"
        assert fake.calls(fake.search_catalogue, query="day") == [second]
        assert fake.calls(fake.search_catalogue, query="night") == []
        assert fake.calls() == [first, second]
        assert fake.calls(fake.get_item) == []

    run(act)


def test_pending_call_has_no_result() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).after(math.inf).generates()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: fake.get_item(id="B-1"))
            await anyio.wait_all_tasks_blocked()
            (call,) = fake.calls()
            with pytest.raises(LookupError, match="has not been answered yet"):
                _ = call.result
            tasks.cancel_scope.cancel()

    run(act)
