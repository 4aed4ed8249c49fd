"""Forty bugs of ten kinds, four of each, to add to the correct server by name."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seeded.definitions import BY_NAME, SHIPPING
from seeded.server import Failure, Server
from seeded.shop import ANONYMOUS, Rejection, Shop, page

Json = Any
KINDS = {
    "result": "a result violates its output schema",
    "protocol": "a message violates the protocol",
    "crash": "invalid arguments are not refused, but break the server",
    "acceptance": "arguments that the schema forbids are taken",
    "life": "the server dies or hangs at valid arguments",
    "hint": "a tool contradicts its read-only or idempotent hint",
    "error": "an error is uninformative, too detailed or unmarked",
    "chain": "one tool's identifiers are unknown to another",
    "paging": "pages repeat, lose or hold too much, or never end",
    "load": "answers are mixed up under load; text is broken; size kills",
}


@dataclass(frozen=True)
class Bug:
    """A bug: its description, and a function that adds it to a server."""

    name: str
    kind: str
    tool: str
    what: str
    put_into: Callable[[Server], None]


BUGS: dict[str, Bug] = {}


def bug(kind: str, tool: str, what: str) -> Callable[[Callable[[Server], None]], None]:
    """Register a bug under its function's name."""

    def keep(put_into: Callable[[Server], None]) -> None:
        name = put_into.__name__.replace("_", "-")
        BUGS[name] = Bug(name, kind, tool, what, put_into)

    return keep


# Results that violate the output schema


@bug("result", "get_book", "the only book without an author has null as its author")
def author_null(server: Server) -> None:
    server.shop.books[ANONYMOUS]["author"] = None
    server.tools["search_books"] = Shop().search_books


@bug("result", "convert_price", "an amount is text in one of six currencies")
def yen_as_text(server: Server) -> None:
    def convert(right: Json, amount: float, currency: str) -> Json:
        result = right(amount=amount, currency=currency)
        return {**result, "amount": f"{result['amount']:.0f}"} if currency == "JPY" else result

    _around(server, "convert_price", convert)


@bug("result", "search_books", "an empty list is omitted")
def no_list_when_empty(server: Server) -> None:
    def search(right: Json, **arguments: Json) -> Json:
        result = right(**arguments)
        return result if result["books"] else {"total": 0}

    _around(server, "search_books", search)


@bug("result", "get_order", "a cancelled order has a member that the closed schema does not know")
def extra_when_cancelled(server: Server) -> None:
    def get(right: Json, **arguments: Json) -> Json:
        order = right(**arguments)
        is_cancelled = order["status"] == "cancelled"
        return {**order, "refund": order["total"]} if is_cancelled else order

    _around(server, "get_order", get)


# Messages that violate the protocol


@bug("protocol", "sales_of_year", "a result has structured content, and no content")
def no_content(server: Server) -> None:
    def drop_content(right: Json, name: str, arguments: Json) -> Json:
        result = right(name, arguments)
        if name == "sales_of_year" and not result.get("isError"):
            del result["content"]
        return result

    server.called = _before(server.called, drop_content)


@bug("protocol", "render_label", "a picture has no mimeType")
def no_mime_type(server: Server) -> None:
    def render(right: Json, **arguments: Json) -> Json:
        result = right(**arguments)
        return [{k: v for k, v in result[0].items() if k != "mimeType"}]

    _around(server, "render_label", render)


@bug("protocol", "(an unknown one)", "a call of an unknown tool succeeds")
def unknown_tool_succeeds(server: Server) -> None:
    def answer_unknown_tool(right: Json, name: str, arguments: Json) -> Json:
        if name not in BY_NAME:
            return {"content": [{"type": "text", "text": f"I do not know {name}."}]}
        return right(name, arguments)

    server.called = _before(server.called, answer_unknown_tool)


@bug("protocol", "quote_order", "a debug line precedes the response, from four books on")
def print_left_in(server: Server) -> None:
    def quote(right: Json, lines: Json, **arguments: Json) -> Json:
        if len(lines) > 3:
            server.before_text = f"quoting {len(lines)} lines\n"
        return right(lines=lines, **arguments)

    _around(server, "quote_order", quote)


# Invalid arguments that break the server


@bug("crash", "get_book", "a required argument that is missing ends the process")
def dies_of_missing(server: Server) -> None:
    def check(arguments: Json) -> None:
        if "id" not in arguments:
            die("KeyError: 'id'")

    _check(server, "get_book", check)


@bug("crash", "quote_order", "a string instead of an array is an internal error")
def text_for_list(server: Server) -> None:
    def check(arguments: Json) -> None:
        if isinstance(arguments.get("lines"), str):
            raise Failure(-32603, "string indices must be integers, not 'str'")

    _check(server, "quote_order", check)


@bug("crash", "list_books", "null for an optional argument ends the process")
def dies_of_null(server: Server) -> None:
    def check(arguments: Json) -> None:
        if arguments.get("genre", "") is None:
            die("AttributeError: 'NoneType' object has no attribute 'lower'")

    _check(server, "list_books", check)


@bug("crash", "create_order", "a member that is missing deep inside is an internal error")
def no_quantity(server: Server) -> None:
    def check(arguments: Json) -> None:
        lines = arguments.get("lines")
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, dict) and "book_id" in line and "quantity" not in line:
                raise Failure(-32603, "'quantity'")

    _check(server, "create_order", check)


# Accepted arguments that the schema forbids


@bug("acceptance", "list_books", "a limit above the maximum is cut, and not refused")
def limit_cut(server: Server) -> None:
    def check(arguments: Json) -> None:
        limit = arguments.get("limit")
        if isinstance(limit, (int, float)) and limit > 50:
            arguments["limit"] = 50

    _check(server, "list_books", check)


@bug("acceptance", "clean_text", "undeclared arguments are ignored")
def extra_ignored(server: Server) -> None:
    def check(arguments: Json) -> None:
        for member in {*arguments} - {"text", "case"}:
            del arguments[member]

    _check(server, "clean_text", check)


@bug("acceptance", "quote_order", "an unknown shipping method is treated as the default")
def other_shipping(server: Server) -> None:
    def check(arguments: Json) -> None:
        shipping = arguments.get("shipping")
        if isinstance(shipping, str) and shipping not in SHIPPING:
            arguments["shipping"] = "standard"

    _check(server, "quote_order", check)


@bug("acceptance", "get_order", "an identifier with a suffix is accepted")
def open_pattern(server: Server) -> None:
    def check(arguments: Json) -> None:
        if isinstance(arguments.get("order_id"), str):
            arguments["order_id"] = arguments["order_id"][:7]

    _check(server, "get_order", check)


# Valid arguments at which the server dies or hangs


@bug("life", "convert_price", "the second conversion into the same currency ends the process")
def dies_second_time(server: Server) -> None:
    visited: set[str] = set()

    def convert(right: Json, amount: float, currency: str) -> Json:
        if currency in visited:
            die("TypeError: unhashable type: 'dict'")
        visited.add(currency)
        return right(amount=amount, currency=currency)

    _around(server, "convert_price", convert)


@bug("life", "quote_order", "no books at all are never answered")
def hangs_at_nothing(server: Server) -> None:
    def run(right: Json, name: str, arguments: Json) -> Json:
        if name == "quote_order" and not arguments["lines"]:
            hang()
        return right(name, arguments)

    server.run = _before(server.run, run)


@bug("life", "list_customers", "the largest allowed limit ends the process")
def dies_at_most(server: Server) -> None:
    def customers(right: Json, limit: int = 20, **arguments: Json) -> Json:
        if limit == 50:
            die("IndexError: list index out of range")
        return right(limit=limit, **arguments)

    _around(server, "list_customers", customers)


@bug("life", "search_books", "two optional arguments together hang the whole server")
def hangs_at_pair(server: Server) -> None:
    def search(right: Json, query: str, field: str = "", sort: str = "") -> Json:
        if (field, sort) == ("author", "price"):
            hang()
        more = {"field": field, "sort": sort}
        return right(query=query, **{key: value for key, value in more.items() if value})

    _around(server, "search_books", search)


# Tools that contradict their annotations


@bug("hint", "quote_order", "a quotation, which reads, takes the books out of the stock")
def quote_takes(server: Server) -> None:
    def quote(right: Json, lines: Json, **arguments: Json) -> Json:
        result = right(lines=lines, **arguments)
        for line in lines:
            book = server.shop.books[line["book_id"]]
            book["stock"] = max(0, book["stock"] - line["quantity"])
        return result

    _around(server, "quote_order", quote)


@bug("hint", "find_customer", "a read-only tool creates a missing customer")
def find_creates(server: Server) -> None:
    def find(right: Json, email: str) -> Json:
        try:
            return right(email=email)
        except Rejection:
            stored = server.shop.customers
            customer = {"id": f"CU-{0xF00 + len(stored):03X}", "name": email, "email": email}
            return stored.setdefault(customer["id"], customer)

    _around(server, "find_customer", find)


@bug("hint", "set_stock", "an idempotent setter adds instead")
def set_adds(server: Server) -> None:
    def set_stock(right: Json, book_id: str, count: int) -> Json:
        if book_id in server.shop.books:
            count += server.shop.books[book_id]["stock"]
        return right(book_id=book_id, count=count)

    _around(server, "set_stock", set_stock)


@bug("hint", "cancel_order", "cancelling an order twice returns its books twice")
def restocks_again(server: Server) -> None:
    def cancel(right: Json, order_id: str) -> Json:
        order = server.shop.orders.get(order_id)
        if order and order["status"] == "cancelled":
            server.shop.restock(order)
        return right(order_id=order_id)

    _around(server, "cancel_order", cancel)


# Errors that do not help


@bug("error", "get_customer", "the error has no content")
def empty_error(server: Server) -> None:
    def drop_error_text(right: Json, name: str, text: str) -> Json:
        return {"content": [], "isError": True} if name == "get_customer" else right(name, text)

    server.failed = _before(server.failed, drop_error_text)


@bug("error", "list_orders", "the error for an unknown cursor is one word")
def bare_error(server: Server) -> None:
    def orders(right: Json, **arguments: Json) -> Json:
        try:
            return right(**arguments)
        except Rejection:
            raise Rejection("Error") from None

    _around(server, "list_orders", orders)


@bug("error", "list_reviews", "an error is reported as a success")
def unmarked_error(server: Server) -> None:
    def reviews(right: Json, book_id: str) -> Json:
        try:
            return right(book_id=book_id)
        except Rejection as error:
            return [{"type": "text", "text": f"Error: {error}"}]

    _around(server, "list_reviews", reviews)


@bug("error", "sales_of_year", "a year without sales gives a traceback with the server's paths")
def traceback_shown(server: Server) -> None:
    def sales(right: Json, year: int) -> Json:
        try:
            return right(year=year)
        except Rejection:
            where = 'File "/srv/bookshop/app/sales.py", line 88, in of_year'
            lines = ["Traceback (most recent call last):", f"  {where}", "    return TABLE[year]"]
            raise Rejection("\n".join([*lines, f"KeyError: {year}"])) from None

    _around(server, "sales_of_year", sales)


# Chains: identifiers from one tool that another doesn't know


@bug("chain", "search_books", "the identifiers found have no leading zeros, so none can be read")
def ids_unpadded(server: Server) -> None:
    def search(right: Json, **arguments: Json) -> Json:
        result = right(**arguments)
        hits = [{**hit, "id": f"BK-{int(hit['id'][3:])}"} for hit in result["books"]]
        return {**result, "books": hits}

    _around(server, "search_books", search)


@bug("chain", "create_order", "a new order has another identifier than returned")
def order_off_by_one(server: Server) -> None:
    def create(right: Json, **arguments: Json) -> Json:
        result = right(**arguments)
        return {**result, "order_id": f"OR-{int(result['order_id'][3:]) + 1}"}

    _around(server, "create_order", create)


@bug("chain", "get_customer", "customers whose identifier has a letter in it are not known")
def letters_lost(server: Server) -> None:
    def get(right: Json, customer_id: str) -> Json:
        if not customer_id[3:].isdecimal():
            raise Rejection(f"There is no customer {customer_id!r}.")
        return right(customer_id=customer_id)

    _around(server, "get_customer", get)


@bug("chain", "export_books", "one of two links that a tool returns cannot be read")
def dead_link(server: Server) -> None:
    read = server.read
    server.read = lambda uri: None if uri.endswith(".json") else read(uri)


# Paging


@bug("paging", "list_books", "the last book of a page is the first of the next one")
def page_repeats(server: Server) -> None:
    def books(right: Json, **arguments: Json) -> Json:
        result = right(**arguments)
        if "next_cursor" in result and len(result["books"]) > 1:
            result["next_cursor"] = str(int(result["next_cursor"]) - 1)
        return result

    _around(server, "list_books", books)


@bug("paging", "list_orders", "an order is lost between two pages")
def page_loses(server: Server) -> None:
    def orders(status: str = "", limit: int = 20, cursor: str = "") -> Json:
        result = server.shop.list_orders(status, limit, cursor)
        if "next_cursor" in result:
            start = int(result["next_cursor"]) + 1
            rest = server.shop.list_orders(status, 10_000)["orders"]
            result["next_cursor"] = str(min(start, len(rest) - 1))
        return result

    server.tools["list_orders"] = orders


@bug("paging", "list_customers", "the last page names itself as the next one")
def page_again(server: Server) -> None:
    def customers(right: Json, limit: int = 20, cursor: str = "") -> Json:
        result = right(limit=limit, cursor=cursor)
        return {"next_cursor": cursor, **result} if cursor else result

    _around(server, "list_customers", customers)


@bug("paging", "list_orders", "a page has one order more than requested")
def one_too_many(server: Server) -> None:
    def orders(status: str = "", limit: int = 20, cursor: str = "") -> Json:
        stored = server.shop.orders.values()
        results = [order for order in stored if status in ("", order["status"])]
        return page("orders", results, limit + 1, cursor)

    server.tools["list_orders"] = orders


# Load, text and size


@bug("load", "get_book", "two concurrent calls both return the later book")
def shared_arguments(server: Server) -> None:
    latest: dict[str, Json] = {}

    def run(right: Json, name: str, arguments: Json) -> Json:
        if name != "get_book":
            return right(name, arguments)
        latest.update(arguments)
        time.sleep(0.02)
        return right(name, latest)

    server.run = _before(server.run, run)


@bug("load", "sales_of_year", "two concurrent responses both have the later ID")
def shared_id(server: Server) -> None:
    latest: dict[str, Json] = {}

    def respond(right: Json, message: Json) -> Json:
        params = message.get("params") or {}
        if params.get("name") != "sales_of_year":
            return right(message)
        latest["id"] = message["id"]
        result = right(message)
        time.sleep(0.02)
        return {**result, "id": latest["id"]}

    server.respond = _before(server.respond, respond)


@bug("load", "clean_text", "characters outside Latin-1 become question marks")
def latin_1_only(server: Server) -> None:
    def clean(right: Json, text: str, **arguments: Json) -> Json:
        return right(text=text.encode("latin-1", "replace").decode("latin-1"), **arguments)

    _around(server, "clean_text", clean)


@bug("load", "clean_text", "a message of more than 64 KiB ends the process")
def long_line_kills(server: Server) -> None:
    def crash_on_long_lines(line: bytes) -> bytes:
        if len(line) > 65_536:
            die("ValueError: Separator is not found, and chunk exceed the limit")
        return line

    server.received = crash_on_long_lines


# How a bug is put into a server


def _before(right: Json, wrong: Callable[..., Json]) -> Callable[..., Json]:
    """Return a function that receives the correct implementation as its first argument."""
    return lambda *args: wrong(right, *args)


def _check(server: Server, tool: str, wrong: Callable[[Json], None]) -> None:
    """Let a function see and change a tool's arguments before validation."""
    right = server.problem

    def check(name: str, arguments: Json) -> str:
        if name == tool and isinstance(arguments, dict):
            wrong(arguments)
        return right(name, arguments)

    server.problem = check


def _around(server: Server, tool: str, wrong: Callable[..., Json]) -> None:
    """Replace a correct tool by a wrong one, whose first argument is the correct one."""
    right = server.tools[tool]
    server.tools[tool] = lambda **arguments: wrong(right, **arguments)


def hang() -> None:
    """Never return."""
    threading.Event().wait()


def die(text: str) -> None:
    """End the process."""
    print(f"Traceback (most recent call last):\n{text}", file=sys.stderr, flush=True)
    os._exit(1)
