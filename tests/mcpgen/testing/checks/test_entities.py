"""Entities that tools create, find, and delete."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import entities
from mcpgen.testing.values import Schema


class Lab:
    """A server of books. Its search may forget a deletion, or find nothing at all."""

    def __init__(self, *, forgets: bool = False, finds: bool = True) -> None:
        self.forgets, self.finds = forgets, finds
        self.books: dict[int, str] = {}
        self.deleted: set[int] = set()
        self.calls = 7

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object", "properties": {"title": {"type": "string"}}})

    def call(self, tool: str, arguments: Any) -> Answer:
        if tool == "add_book":
            self.books[len(self.books)] = arguments["title"]
            return worked({"book": {"id": len(self.books) - 1, "title": arguments["title"]}})
        self.deleted.add(arguments["id"])
        return worked({"deleted": True})

    def call_again(self, tool: str, arguments: Any) -> Answer:
        del tool
        gone = set() if self.forgets else self.deleted
        found: list[Json] = [
            {"id": number, "title": title}
            for number, title in self.books.items()
            if title == arguments["query"] and number not in gone and self.finds
        ]
        return worked({"books": found})


def worked(data: Json) -> Answer:
    return Answer({"content": [], "structuredContent": data})


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "_PAUSE", 0)


def searched(lab: Lab, **tools: Json) -> list[tuple[str, str]]:
    data: Json = {
        "arguments": {"title": "Harbor"},
        "delete": [{"tool": "delete_book", "argument": "id"}],
        "search": [{"tool": "search_books", "argument": "query"}],
        **tools,
    }
    context: Any = lab
    kind = entities._Kind(context, Case("entity", "tool add_book", data))
    return [(verdict.judge, verdict.detail) for verdict in kind.check_search()]


def test_deleted_entity_found_by_search() -> None:
    assert searched(Lab(forgets=True)) == [("C908", "search_books still finds 0")]
    assert searched(Lab()) == []


def test_search_without_results() -> None:
    lab = Lab(finds=False)
    assert searched(lab) == []
    assert lab.deleted == set()


def test_no_entity_without_search_or_deletion() -> None:
    lab = Lab()
    assert searched(lab, search=[]) == []
    assert searched(lab, delete=[]) == []
    assert lab.books == {}
