"""Lists with a limit and no further pages."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.lists import pagination


class Search:
    """A search with a limit and an order. With ``cuts_first``, it sorts after the limit."""

    def __init__(
        self,
        *,
        cuts_first: bool = False,
        is_from_end: bool = False,
        is_made_up: bool = False,
        ignores_one: bool = False,
        is_off_by_one: bool = False,
        ignores_order: bool = False,
    ) -> None:
        self.cuts_first, self.is_from_end = cuts_first, is_from_end
        self.is_made_up, self.ignores_one = is_made_up, ignores_one
        self.is_off_by_one, self.ignores_order = is_off_by_one, ignores_order
        self.last_pages: dict[str, Json] = {}
        self.with_cursor: dict[str, Json] = {}

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object"})

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool
        ids, limit = [4, 2, 7, 1, 9], arguments["limit"]
        if self.cuts_first:
            ids = ids[:limit]
        if "order" in arguments:
            ids.sort()
        limit = 5 if self.ignores_order and "order" in arguments else limit
        listed_ids = ids[-limit:] if self.is_from_end else ids[:limit]
        if self.is_off_by_one:
            listed_ids = ids[: limit + 1]
        if self.ignores_one and limit == 1:
            listed_ids = ids[:2]
        title = f"title {limit}" if self.is_made_up else "title"
        books: list[Json] = [{"id": number, "title": title} for number in listed_ids]
        return Answer({"content": [], "structuredContent": {"books": books}})


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (Search(cuts_first=True), ["C612"]),
        (Search(), []),
        (Search(is_from_end=True), []),
        (Search(cuts_first=True, is_made_up=True), []),
        (Search(ignores_one=True), ["C610"]),
        (Search(is_off_by_one=True), ["C610"]),
        (Search(ignores_order=True), ["C610"]),
    ],
    ids=[
        *("cut before the order", "right", "the last ones", "made up", "more than the limit"),
        *("always one more", "unlimited with an order"),
    ],
)
def test_list_with_a_limit_only(search: Any, expected: list[str]) -> None:
    data: Json = {"arguments": {}, "paging": {"limit": "limit"}, "largest": 20, "small": 3}
    data["filters"] = [["order", "number"]]
    verdicts = pagination.check_walk(search, Case("walk", "tool find", data))
    assert [verdict.judge for verdict in verdicts] == expected
