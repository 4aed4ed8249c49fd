"""The seeded server: a few calls reveal each bug, and the correct server has no bug."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from paths import SUPPORT
from seeded import bugs
from seeded.bugs import BUGS, KINDS
from seeded.definitions import BY_NAME, TOOLS
from seeded.server import Server

from mcpgen.schemas.validation import messages

Json = Any
SERVER = str(SUPPORT / "seeded_server.py")
ERAS = {"2025": "2025-11-25", "2026": "2026-07-28"}

LINE = {"book_id": "BK-0001", "quantity": 1}
ORDER = {"customer_id": "CU-100", "lines": [LINE]}
# The calls that reveal each bug, in order.
WITNESSES: dict[str, list[tuple[str, Json]]] = {
    "author-null": [("get_book", {"id": "BK-0042"})],
    "yen-as-text": [("convert_price", {"amount": 1, "currency": "JPY"})],
    "no-list-when-empty": [("search_books", {"query": "zzz"})],
    "extra-when-cancelled": [("get_order", {"order_id": "OR-1003"})],
    "no-content": [("sales_of_year", {"year": 2020})],
    "no-mime-type": [("render_label", {"text": "x", "kind": "png"})],
    "unknown-tool-succeeds": [("no_such_tool", {})],
    "print-left-in": [("quote_order", {"lines": [LINE] * 4})],
    "dies-of-missing": [("get_book", {})],
    "text-for-list": [("quote_order", {"lines": "BK-0001"})],
    "dies-of-null": [("list_books", {"genre": None})],
    "no-quantity": [("create_order", {**ORDER, "lines": [{"book_id": "BK-0001"}]})],
    "limit-cut": [("list_books", {"limit": 51})],
    "extra-ignored": [("clean_text", {"text": "x", "more": 1})],
    "other-shipping": [("quote_order", {"lines": [], "shipping": "pigeon"})],
    "open-pattern": [("get_order", {"order_id": "OR-1001x"})],
    "dies-second-time": [("convert_price", {"amount": 1, "currency": "EUR"})] * 2,
    "hangs-at-nothing": [("quote_order", {"lines": []})],
    "dies-at-most": [("list_customers", {"limit": 50})],
    "hangs-at-pair": [("search_books", {"query": "a", "field": "author", "sort": "price"})],
    "quote-takes": [("quote_order", {"lines": [LINE]}), ("get_book", {"id": "BK-0001"})],
    "find-creates": [("find_customer", {"email": "x@example.org"})],
    "set-adds": [("set_stock", {"book_id": "BK-0001", "count": 5})],
    "restocks-again": [
        ("cancel_order", {"order_id": "OR-1003"}),
        ("get_book", {"id": "BK-0003"}),
    ],
    "empty-error": [("get_customer", {"customer_id": "CU-ZZZ"})],
    "bare-error": [("list_orders", {"cursor": "nowhere"})],
    "unmarked-error": [("list_reviews", {"book_id": "BK-9999"})],
    "traceback-shown": [("sales_of_year", {"year": 1999})],
    "ids-unpadded": [("search_books", {"query": "harbour"})],
    "order-off-by-one": [("create_order", ORDER)],
    "letters-lost": [("get_customer", {"customer_id": "CU-12D"})],
    "dead-link": [],
    "page-repeats": [("list_books", {"limit": 5})],
    "page-loses": [("list_orders", {"limit": 5})],
    "page-again": [("list_customers", {"limit": 50, "cursor": "50"})],
    "one-too-many": [("list_orders", {"limit": 5})],
    "latin-1-only": [("clean_text", {"text": "Łukasz 🎈"})],
    "long-line-kills": [("clean_text", {"text": "x" * 70_000})],
}
TOGETHER = {
    "shared-arguments": [("get_book", {"id": f"BK-{n:04}"}) for n in (1, 2)],
    "shared-id": [("sales_of_year", {"year": year}) for year in (2019, 2020)],
}


class Ended(BaseException):
    """The process would have ended, or the call would never have been answered."""


@pytest.fixture(autouse=True)
def _ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> None:
        raise Ended

    monkeypatch.setattr(bugs, "die", end)
    monkeypatch.setattr(bugs, "hang", end)


def message(number: int, method: str, params: Json) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def answers_of(server: Server, calls: list[tuple[str, Json]]) -> list[Json]:
    """Return the responses to calls, and to a read of each link."""
    questions = [
        ("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls
    ]
    reads = [("resources/read", {"uri": f"bookshop://catalogue.{k}"}) for k in ("csv", "json")]
    results: list[Json] = []
    for number, (method, params) in enumerate([*questions, *reads]):
        try:
            results.append(server.answer(message(number, method, params)))
        except Ended:
            return [*results, "ended"]
    return results


def with_bug(name: str, *, is_modern: bool) -> Server:
    server = Server(is_modern=is_modern)
    BUGS[name].put_into(server)
    return server


def test_there_are_forty_bugs_of_ten_kinds() -> None:
    assert Counter(bug.kind for bug in BUGS.values()) == dict.fromkeys(KINDS, 4)
    assert {*WITNESSES, *TOGETHER} == {*BUGS}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", WITNESSES)
def test_bug_is_visible_and_absent_from_the_correct_server(name: str, era: str) -> None:
    calls = WITNESSES[name]
    right = answers_of(Server(is_modern=era == "2026"), calls)

    wrong = answers_of(with_bug(name, is_modern=era == "2026"), calls)

    assert wrong != right
    for answer, (tool, _) in zip(right, calls, strict=False):
        _is_valid(ERAS[era], tool, json.loads(answer))


def _is_valid(revision: str, tool: str, answer: Json) -> None:
    if "error" in answer:
        assert tool not in BY_NAME
        return
    assert not messages.problems(revision, "CallToolResult", answer["result"])
    if "outputSchema" in BY_NAME[tool] and not answer["result"].get("isError"):
        schema = Draft202012Validator(BY_NAME[tool]["outputSchema"])
        assert schema.is_valid(answer["result"]["structuredContent"])


@pytest.mark.parametrize("name", TOGETHER)
def test_load_bug_is_visible_in_concurrent_calls(name: str) -> None:
    def at_once(server: Server) -> set[bytes | None]:
        lines = [
            message(number, "tools/call", {"name": tool, "arguments": arguments})
            for number, (tool, arguments) in enumerate(TOGETHER[name])
        ]
        with ThreadPoolExecutor(2) as pool:
            return {*pool.map(server.answer, lines)}

    right = at_once(Server(is_modern=False))

    assert at_once(with_bug(name, is_modern=False)) != right
    assert len(right) == 2


def test_schemas_are_valid_and_listed_resources_readable() -> None:
    for tool in TOOLS:
        Draft202012Validator.check_schema(tool["inputSchema"])
        Draft202012Validator.check_schema(tool.get("outputSchema", {}))
    server = Server(is_modern=False)
    every = {"limit": 50}
    for listing, member, reader, argument in (
        ("list_books", "books", "get_book", "id"),
        ("list_customers", "customers", "get_customer", "customer_id"),
        ("list_orders", "orders", "get_order", "order_id"),
        ("list_events", "events", "get_event", "event_id"),
    ):
        has_pages = "limit" in BY_NAME[listing]["inputSchema"]["properties"]
        result = server.run(listing, every if has_pages else {})[member]
        assert len({item["id"] for item in result}) == len(result) > 10
        assert all(server.run(reader, {argument: item["id"]}) == item for item in result)


@pytest.mark.parametrize("era", ERAS)
def test_the_server_answers_over_stdio(era: str) -> None:
    request_line = message(7, "tools/call", {"name": "get_book", "arguments": {"id": "BK-0007"}})

    completed = subprocess.run(
        [sys.executable, "-S", SERVER, era],
        input=request_line + b"\n",
        capture_output=True,
        timeout=20,
        check=True,
    )

    assert json.loads(completed.stdout)["result"]["structuredContent"]["id"] == "BK-0007"
