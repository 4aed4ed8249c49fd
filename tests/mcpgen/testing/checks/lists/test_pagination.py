"""Arguments that turn pages, and lists known to be complete."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.lists import pages, pagination

PAGES: dict[str, tuple[list[str], list[str], dict[str, str]]] = {
    "cursor": (["cursor", "limit"], [], {"cursor": "cursor", "limit": "limit"}),
    "token of the next page": (["pageToken"], [], {"cursor": "pageToken"}),
    "after, with a next page in results": (["after"], ["id", "next"], {"cursor": "after"}),
    "after, which is a date": (["after", "limit"], ["id", "created"], {"limit": "limit"}),
    "after the end of a page": (
        *(["after", "first"], ["end", "has_more"]),
        {"cursor": "after", "limit": "first"},
    ),
    "after a day, of events with an end": (["after", "limit"], ["end"], {"limit": "limit"}),
    "first day": (["first", "last"], ["end"], {}),
    "offset": (["offset", "max_results"], [], {"offset": "offset", "limit": "max_results"}),
    "page": (["page", "per_page"], [], {"page": "page", "limit": "per_page"}),
    "none": (["query"], ["next"], {}),
    "skip and take": (["skip", "take"], [], {"offset": "skip", "limit": "take"}),
    "most entries": (["text", "max"], [], {"limit": "max"}),
    "highest price": (["min", "max"], [], {}),
}


@pytest.mark.parametrize("name", PAGES)
def test_paging_arguments_are_known_by_name_and_by_results(name: str) -> None:
    names, result_names, expected = PAGES[name]
    assert pages.paging(names, result_names) == expected


class Lab:
    """The part of a run that lists entries: each call has the same result."""

    def __init__(self, data: Json, **members: Json) -> None:
        self.data = data
        self.schema = Schema({"type": "object", "properties": members})
        self.calls: list[Json] = []

    def input(self, tool: str) -> Schema:
        del tool
        return self.schema

    def call(self, tool: str, arguments: Json) -> Any:
        del tool
        self.calls.append(arguments)
        return SimpleNamespace(is_success=True, data=lambda: self.data)


ENTRIES: list[Json] = [{"id": "a"}, {"id": "b"}]
LIMIT: Json = {"type": "integer", "minimum": 1, "maximum": 60}


def listed(lab: Any) -> list[Json] | None:
    names = pages.paging(lab.schema.members(), ())
    return pages.all_entries(lab, "list_books", {}, names, 9)


def test_list_without_pages_is_complete() -> None:
    assert listed(Lab({"books": ENTRIES})) == ENTRIES


@pytest.mark.parametrize(
    "more",
    [
        {"next": "b"},
        {"nextCursor": "b"},
        {"has_more": True},
        {"total": 3},
        {"page": {"truncated": True}},
    ],
    ids=str,
)
def test_incomplete_list(more: dict[str, Json]) -> None:
    assert listed(Lab({"books": ENTRIES, **more})) is None


@pytest.mark.parametrize(
    "more", [{"next": ""}, {"next": None}, {"has_more": False}, {"total": 2}], ids=str
)
def test_complete_list(more: dict[str, Json]) -> None:
    assert listed(Lab({"books": ENTRIES, **more})) == ENTRIES


def test_largest_page_of_list() -> None:
    lab = Lab({"books": ENTRIES}, limit=LIMIT)
    assert listed(lab) == ENTRIES
    assert lab.calls == [{"limit": 60}]


def test_full_page_is_not_known_to_be_complete() -> None:
    full: list[Json] = [{"id": number} for number in range(60)]
    assert listed(Lab({"books": full}, limit=LIMIT)) is None


class Pages:
    """A server that lists entries by offset and limit. ``hidden`` is on no page of more than 5."""

    def __init__(self, entries: list[Json], *, hidden: Json = None, total: int = -1) -> None:
        self.entries, self.hidden, self.total = entries, hidden, total
        self.calls: list[Json] = []
        self.last_pages: dict[str, Json] = {}
        self.with_cursor: dict[str, Json] = {}
        integer: Json = {"type": "integer", "minimum": 0}
        members: Json = {"offset": integer, "limit": integer}
        self.schema = Schema({"type": "object", "properties": members})

    def input(self, tool: str) -> Schema:
        del tool
        return self.schema

    def call(self, tool: str, arguments: Json) -> Answer:
        del tool
        self.calls.append(arguments)
        start, limit = arguments.get("offset", 0), arguments.get("limit", 5)
        page = self.entries[start : start + limit]
        data: Json = {"items": [item for item in page if limit <= 5 or item != self.hidden]}
        if self.total >= 0:
            data["total"] = self.total
        return Answer({"content": [], "structuredContent": data})


def walk(pages: Pages) -> list[tuple[str, str]]:
    data: Json = {"arguments": {}, "paging": {"offset": "offset", "limit": "limit"}}
    data |= {"largest": 20, "small": 3}
    context: Any = pages
    verdicts = pagination.check_walk(context, Case("walk", "tool list_books", data))
    return [(verdict.judge, verdict.detail) for verdict in verdicts]


BOOKS: list[Json] = [{"id": number} for number in range(7)]


def test_id_named_after_its_entity() -> None:
    books: list[Json] = [{"bookId": number, "authorId": 1} for number in range(7)]
    assert walk(Pages(books)) == []
    assert walk(Pages(books, hidden=books[3])) == [("C605", "6 is on two pages")]


def test_repeated_id_of_another_entity() -> None:
    assert walk(Pages([{"authorId": number % 2, "title": "t"} for number in range(9)])) == []


def test_empty_large_page() -> None:
    assert walk(Pages(BOOKS[:1], hidden=BOOKS[0])) == [("C609", "0 is on no page of 20")]


@pytest.mark.parametrize(("total", "count"), [(7, 0), (3, 0), (9, 1)])
def test_fewer_entries_than_total(total: int, count: int) -> None:
    expected = [("C609", f"the pages have 7 of {total} entries")] * count
    assert walk(Pages(BOOKS, total=total)) == expected


def test_known_total_saves_a_call() -> None:
    books: list[Json] = [{"id": number} for number in range(5)]
    names = {"offset": "offset", "limit": "limit"}
    case = Case("walk", "tool list_books", {"arguments": {}, "paging": names})
    for total, count in ((5, 1), (-1, 2)):
        context: Any = Pages(books, total=total)
        whole = pages.read_pages(context, case, {}, 9, trusts_total=True)
        assert whole is not None
        assert whole.is_whole
        assert len(context.calls) == count


def test_end_of_pages() -> None:
    assert pages._next({"teams": [], "has_more": True, "end": 7}) == 7
    assert pages._next({"teams": [], "has_more": False, "end": 7}) is None
    assert pages._next({"page": {"endCursor": "c", "hasMore": False}}) is None
    assert pages._next({"page": {"endCursor": "c", "hasNextPage": False}}) is None
    assert pages._next({"page": {"endCursor": "c", "hasNextPage": True}}) == "c"
    assert pages._next({"events": [], "end": "2027-03-01"}) is None


class LastEntryLost(Pages):
    """A list that loses its last page if a single entry is on it."""

    def call(self, tool: str, arguments: Json) -> Answer:
        answer = super().call(tool, arguments)
        is_lost = arguments.get("offset", 0) == len(self.entries) - 1
        return Answer({"content": [], "structuredContent": {"items": []}}) if is_lost else answer


@pytest.mark.parametrize("entry", [{"id": 0}, {"stars": 0}], ids=["with an ID", "without an ID"])
def test_single_entry_on_last_page(entry: Json) -> None:
    (name,) = entry
    books: list[Json] = [{name: number} for number in range(12)]
    assert {judge for judge, _ in walk(LastEntryLost(books))} == {"C609"}


class FullPages(Pages):
    """A list that loses its last page if that is full."""

    def call(self, tool: str, arguments: Json) -> Answer:
        answer = super().call(tool, arguments)
        start, limit = arguments.get("offset", 0), arguments.get("limit", 5)
        is_lost = start + limit == len(self.entries)
        return Answer({"content": [], "structuredContent": {"items": []}}) if is_lost else answer


@pytest.mark.parametrize("count", [7, 12])
def test_full_last_page(count: int) -> None:
    books: list[Json] = [{"id": number} for number in range(count)]
    assert {judge for judge, _ in walk(FullPages(books))} == {"C609"}


class ShortPages:
    """A list of five entries. A page of one entry is empty from the second page on."""

    def __init__(self, *, ends_early: bool) -> None:
        self.ends_early = ends_early
        self.last_pages: dict[str, Json] = {}
        self.with_cursor: dict[str, Json] = {}

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object"})

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool
        size, page = arguments.get("size", 5), arguments.get("page", 1)
        start = (page - 1) * size
        ids = [*range(5)][start : start + size]
        if self.ends_early and page > 1 and size == 1:
            ids = []
        books: list[Json] = [{"id": number} for number in ids]
        return Answer({"content": [], "structuredContent": {"books": books}})


class Ratings(ShortPages):
    """A list whose entries have no ID. Each page but the first skips one of them."""

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool
        start = arguments.get("offset", 0)
        end = start + arguments.get("size", 9)
        ratings: list[Json] = [{"stars": number} for number in range(9)]
        page_of_ratings = ratings[start + 1 if self.ends_early and start else start : end]
        return Answer({"content": [], "structuredContent": {"ratings": page_of_ratings}})


@pytest.mark.parametrize(("skips", "expected"), [(True, ["C609"]), (False, [])])
def test_entries_without_id(*, skips: bool, expected: list[str]) -> None:
    paging: Json = {"offset": "offset", "limit": "size"}
    data: Json = {"arguments": {}, "paging": paging, "largest": 9, "small": 3}
    lab: Any = Ratings(ends_early=skips)
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    assert [verdict.judge for verdict in verdicts] == expected


@pytest.mark.parametrize("ends_early", [True, False])
def test_early_end_of_small_pages(*, ends_early: bool) -> None:
    paging: Json = {"page": "page", "limit": "size"}
    data: Json = {"arguments": {}, "paging": paging, "largest": 5, "small": 3}
    lab: Any = ShortPages(ends_early=ends_early)
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    expected = ["1 is on no page of 1"] if ends_early else []
    assert [verdict.detail for verdict in verdicts] == expected


class LastPageLost(Ratings):
    """A list without IDs whose last page is missing if it isn't full."""

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool
        start, size = arguments.get("offset", 0), arguments.get("size", 9)
        ratings: list[Json] = [{"stars": number} for number in range(9)][start : start + size]
        is_lost = self.ends_early and start and len(ratings) < size
        page_of_ratings: list[Json] = [] if is_lost else ratings
        return Answer({"content": [], "structuredContent": {"ratings": page_of_ratings}})


@pytest.mark.parametrize("ends_early", [True, False])
def test_last_page_without_ids(*, ends_early: bool) -> None:
    paging: Json = {"offset": "offset", "limit": "size"}
    data: Json = {"arguments": {}, "paging": paging, "largest": 9, "small": 5}
    lab: Any = LastPageLost(ends_early=ends_early)
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    expected = ["pages of 5 have 5 of 9 entries"] if ends_early else []
    assert [verdict.detail for verdict in verdicts] == expected


class Shelves(Ratings):
    """A list whose entries have no ID. Its second page ignores the filter if it ends early."""

    def call(self, tool: str, arguments: Any) -> Answer:
        del tool
        start, size = arguments.get("offset", 0), arguments.get("size", 9)
        shelves: list[Json] = [{"kind": "ab"[number // 4], "row": number} for number in range(8)]
        if "kind" in arguments and not (self.ends_early and start):
            shelves = [shelf for shelf in shelves if shelf["kind"] == arguments["kind"]]
        page_of_shelves = shelves[start : start + size]
        return Answer({"content": [], "structuredContent": {"shelves": page_of_shelves}})


@pytest.mark.parametrize(("ignores", "expected"), [(True, ["C611"]), (False, [])])
def test_filter_of_entries_without_id(*, ignores: bool, expected: list[str]) -> None:
    paging: Json = {"offset": "offset", "limit": "size"}
    data: Json = {"arguments": {}, "paging": paging, "largest": 9, "small": 3}
    data["filters"] = [["kind", "a"]]
    lab: Any = Shelves(ends_early=ignores)
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    assert [verdict.judge for verdict in verdicts] == expected


class Accounts(Pages):
    """A list with two filters. Its total ignores some of them."""

    def __init__(self, counted: list[str], *, filters: tuple[str, ...] = ("kind", "state")) -> None:
        every: list[Json] = [
            {"id": number, "kind": "ab"[number % 2], "state": "xyz"[number % 3]}
            for number in range(12)
        ]
        super().__init__(every)
        self.counted, self.filters = counted, filters

    def call(self, tool: str, arguments: Json) -> Answer:
        del tool
        start, limit = arguments.get("offset", 0), arguments.get("limit", 5)
        part = self._matching(arguments, self.filters)
        total = len(self._matching(arguments, self.counted))
        data: Json = {"items": part[start : start + limit], "total": total}
        return Answer({"content": [], "structuredContent": data})

    def _matching(self, arguments: Json, names: Iterable[str]) -> list[Json]:
        filters = [name for name in names if name in arguments]
        return [
            entry
            for entry in self.entries
            if all(entry[name] == arguments[name] for name in filters)
        ]


@pytest.mark.parametrize(
    ("lab", "expected"),
    [
        (Accounts(["kind", "state"]), []),
        (Accounts([]), []),  # the total of all entries, with any filter
        (Accounts(["kind"]), ["C609"]),
        (Accounts(["kind", "state"], filters=("kind",)), ["C611"]),
    ],
    ids=["right", "total of all", "total of one filter", "ignored filter"],
)
def test_two_filters_at_once(lab: Any, expected: list[str]) -> None:
    paging: Json = {"offset": "offset", "limit": "limit"}
    data: Json = {"arguments": {}, "paging": paging, "largest": 20, "small": 3}
    data["filters"] = [["kind", "a"], ["state", "x"]]
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    assert [verdict.judge for verdict in verdicts] == expected


def test_order_on_late_pages() -> None:
    class Sorted(Pages):
        """A list in the order of its titles. Its second page and later ones are in another."""

        def call(self, tool: str, arguments: Json) -> Answer:
            del tool
            start, limit = arguments.get("offset", 0), arguments.get("limit", 5)
            entries = self.entries
            if start and "sort" in arguments:
                entries = [*entries[:20], *reversed(entries[20:])]
            data: Json = {"items": entries[start : start + limit]}
            return Answer({"content": [], "structuredContent": data})

    lab: Any = Sorted([{"id": number} for number in range(30)])
    data: Json = {"arguments": {}, "paging": {"offset": "offset", "limit": "limit"}}
    data |= {"largest": 50, "small": 3, "filters": [["sort", "title"]]}
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    assert [verdict.judge for verdict in verdicts] == ["C612"]


class EndLost(Pages):
    """A list whose largest page lacks its last entry, although the next page begins behind it."""

    def call(self, tool: str, arguments: Json) -> Answer:
        del tool
        start, limit = int(arguments.get("cursor", 0)), arguments.get("limit", 5)
        page = self.entries[start : start + limit]
        more = start + limit < len(self.entries)
        data: Json = {"items": page[:-1] if limit == 20 and more else page}
        data |= {"next_cursor": str(start + limit)} if more else {}
        return Answer({"content": [], "structuredContent": data})


def test_last_entry_of_a_large_page() -> None:
    lab: Any = EndLost([{"id": number} for number in range(47)])
    lab.schema = Schema({"type": "object", "properties": {"cursor": {}, "limit": LIMIT}})
    data: Json = {"arguments": {}, "paging": {"cursor": "cursor", "limit": "limit"}}
    data |= {"largest": 20, "small": 3}
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    assert [verdict.detail for verdict in verdicts] == ["19 is on no page of 20"]


class Capped(Pages):
    """A list that makes pages of 3 out of the largest ones, or of all."""

    def __init__(self, *, caps_all: bool) -> None:
        super().__init__([{"id": number} for number in range(7)])
        self.caps_all = caps_all

    def call(self, tool: str, arguments: Json) -> Answer:
        is_capped = arguments.get("limit", 5) == 50 or self.caps_all
        return super().call(tool, {**arguments, "limit": 3} if is_capped else arguments)


@pytest.mark.parametrize("caps_all", [True, False])
def test_large_page_with_fewer_entries_than_a_smaller_one(*, caps_all: bool) -> None:
    lab: Any = Capped(caps_all=caps_all)
    data: Json = {"arguments": {}, "paging": {"offset": "offset", "limit": "limit"}}
    data |= {"largest": 50, "small": 3}
    verdicts = pagination.check_walk(lab, Case("walk", "tool list", data))
    details = [verdict.detail for verdict in verdicts]
    assert details == ([] if caps_all else ["a page of 50 has 3 entries, and one of 20 has 7"])
