"""A correct bookshop: its books, customers and orders, and the implementation of each tool."""

from __future__ import annotations

import base64
import json
import random
import struct
import threading
import zlib
from collections.abc import Callable
from copy import deepcopy
from datetime import date, datetime, timedelta, timezone
from typing import Any

from seeded.definitions import GENRES

Json = Any

RATES = {"EUR": 1.0, "USD": 1.08, "GBP": 0.84, "CHF": 0.95, "SEK": 11.2, "JPY": 161.0}
POSTAGE = {"collect": 0.0, "standard": 4.5, "express": 12.0}
FIRST_YEAR, LAST_YEAR = 2015, 2026
ANONYMOUS = "BK-0042"
_NOUNS = "Harbour Winter Garden Clock River Letter Stone Island Lantern Orchard".split()
_ENDS = "at Night|of the North|in Blue|and Salt|without End|for Two".split("|")
_NAMES = "Ada Boris Chloé Daniel Eszter Farid Grace Hiroshi Ines Jörg Katya Łukasz".split()


class Rejection(Exception):
    """Raised by a tool that can't fulfill a request."""


class Shop:
    """The state of the server. One call at a time changes it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.books = {book["id"]: book for book in map(_book, range(1, 64))}
        self.customers = {item["id"]: item for item in map(_customer, range(57))}
        self.orders: dict[str, Json] = {}
        for number in range(1, 46):
            status = ("sent", "sent", "open", "cancelled")[number % 4]
            buyer = [*self.customers][number * 7 % len(self.customers)]
            lines = [
                {"book_id": f"BK-{number:04}", "quantity": number % 3 + 1},
                {"book_id": f"BK-{number + 9:04}", "quantity": 1},
            ]
            self._keep(f"OR-{number + 1000}", buyer, status, lines[: number % 2 + 1])
        self.reviews: dict[str, list[str]] = {"BK-0003": ["5 of 5: A joy."]}
        self.events = [
            {
                "id": f"reading/{number}",
                "title": f"{_NAMES[number % 12]} reads",
                "date": str(date(2026, 9, 1) + timedelta(days=9 * number)),
            }
            for number in range(20)
        ]

    # Reading

    def list_books(self, genre: str = "", limit: int = 20, cursor: str = "") -> Json:
        results = [book for book in self.books.values() if genre in ("", book["genre"])]
        return page("books", results, limit, cursor)

    def get_book(self, id: str) -> Json:
        return look_up(self.books, id, "book")

    def search_books(self, query: str, field: str = "anywhere", sort: str = "title") -> Json:
        fields = ("title", "author") if field == "anywhere" else (field,)
        results = [
            book
            for book in self.books.values()
            if any(query.casefold() in book[name].casefold() for name in fields)
        ]
        results.sort(key=lambda book: (book[sort], book["id"]))
        hits = [{name: book[name] for name in ("id", "title", "author")} for book in results]
        return {"books": hits, "total": len(hits)}

    def quote_order(self, lines: Json, shipping: str = "standard") -> Json:
        books = self.price(lines)
        return {
            "books": books,
            "shipping": POSTAGE[shipping],
            "total": round(books + POSTAGE[shipping], 2),
        }

    def list_customers(self, limit: int = 20, cursor: str = "") -> Json:
        return page("customers", [*self.customers.values()], limit, cursor)

    def get_customer(self, customer_id: str) -> Json:
        return look_up(self.customers, customer_id, "customer")

    def find_customer(self, email: str) -> Json:
        for customer in self.customers.values():
            if customer["email"] == email.casefold():
                return customer
        raise Rejection(f"No customer has the address {email!r}.")

    def list_orders(self, status: str = "", limit: int = 20, cursor: str = "") -> Json:
        results = [order for order in self.orders.values() if status in ("", order["status"])]
        return page("orders", results, limit, cursor)

    def get_order(self, order_id: str) -> Json:
        return look_up(self.orders, order_id, "order")

    def convert_price(self, amount: float, currency: str) -> Json:
        return {"amount": round(amount * RATES[currency], 2), "currency": currency}

    def list_events(self, first: str = "2026-01-01", last: str = "2026-12-31") -> Json:
        start, end = _day("first", first), _day("last", last)
        return {"events": [e for e in self.events if start <= _day("date", e["date"]) <= end]}

    def get_event(self, event_id: str) -> Json:
        return look_up({event["id"]: event for event in self.events}, event_id, "reading")

    def render_label(self, text: str, kind: str) -> Json:
        if kind == "png":
            return [{"type": "image", "data": _png(len(text)), "mimeType": "image/png"}]
        return [_text(f"**{text}**" if kind == "markdown" else text)]

    def clean_text(self, text: str, case: str = "keep") -> Json:
        changes: dict[str, Callable[[str], str]] = {"upper": str.upper, "lower": str.lower}
        result = changes.get(case, str)(text.strip())
        return {"text": result, "length": len(result)}

    def sales_of_year(self, year: int) -> Json:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise Rejection(f"No sales of {year} are known, only of {FIRST_YEAR} to {LAST_YEAR}.")
        return {"year": year, "months": [round(year * month % 977 * 3.1, 2) for month in range(12)]}

    def shop_clock(self) -> Json:
        return {"now": datetime.now(timezone.utc).isoformat()}

    def recommend_book(self, genre: str = "") -> Json:
        return random.choice([b for b in self.books.values() if genre in ("", b["genre"])])

    def export_books(self, format: str) -> Json:
        link = {"uri": f"bookshop://catalogue.{format}", "name": f"catalogue.{format}"}
        return [{"type": "resource_link", **link}]

    def list_reviews(self, book_id: str) -> Json:
        look_up(self.books, book_id, "book")
        reviews = self.reviews.get(book_id, [])
        return [_text("\n".join(reviews) or "There are no reviews yet.")]

    # Writing

    def add_review(self, book_id: str, stars: int, text: str = "") -> Json:
        look_up(self.books, book_id, "book")
        reviews = self.reviews.setdefault(book_id, [])
        reviews.append(f"{stars} of 5: {text}")
        return {"reviews": len(reviews)}

    def create_order(self, customer_id: str, lines: Json) -> Json:
        look_up(self.customers, customer_id, "customer")
        self.price(lines)
        counts: dict[str, int] = {}
        for line in lines:
            counts[line["book_id"]] = counts.get(line["book_id"], 0) + line["quantity"]
        for book_id, quantity in counts.items():
            if quantity > self.books[book_id]["stock"]:
                raise Rejection(f"There are only {self.books[book_id]['stock']} of {book_id}.")
        self.take(counts)
        order_id = f"OR-{len(self.orders) + 1001}"
        self._keep(order_id, customer_id, "open", lines)
        return {"order_id": order_id, "total": self.orders[order_id]["total"]}

    def cancel_order(self, order_id: str) -> Json:
        order = look_up(self.orders, order_id, "order")
        if order["status"] == "sent":
            raise Rejection(f"The order {order_id} has been sent, and cannot be cancelled.")
        if order["status"] == "open":
            self.restock(order)
            order["status"] = "cancelled"
        return order

    def set_stock(self, book_id: str, count: int) -> Json:
        book = look_up(self.books, book_id, "book")
        book["stock"] = count
        return book

    # Shared helpers

    def price(self, lines: Json) -> float:
        """Return the price of some books. All must be known."""
        prices = [look_up(self.books, line["book_id"], "book")["price"] for line in lines]
        total = sum(price * line["quantity"] for price, line in zip(prices, lines, strict=True))
        return round(total, 2)

    def take(self, counts: dict[str, int]) -> None:
        for book_id, quantity in counts.items():
            self.books[book_id]["stock"] -= quantity

    def restock(self, order: Json) -> None:
        for line in order["lines"]:
            self.books[line["book_id"]]["stock"] += line["quantity"]

    def _keep(self, order_id: str, customer_id: str, status: str, lines: Json) -> None:
        order = {"id": order_id, "customer_id": customer_id, "status": status}
        self.orders[order_id] = {**order, "lines": lines, "total": self.price(lines)}

    def read(self, uri: str) -> Json:
        """Return the contents of a resource, or None if it doesn't exist."""
        kind = uri.removeprefix("bookshop://catalogue.")
        if uri == kind or kind not in ("csv", "json"):
            return None
        rows = "\n".join(f"{book['id']},{book['title']}" for book in self.books.values())
        mime = "text/csv" if kind == "csv" else "application/json"
        return {"uri": uri, "mimeType": mime, "text": rows if kind == "csv" else "{}"}


def page(name: str, result: list[Json], limit: int, cursor: str) -> Json:
    """Return a page of a list. A cursor is the index of its first item."""
    if cursor and not (cursor.isascii() and cursor.isdecimal() and 0 < int(cursor) < len(result)):
        raise Rejection(f"The cursor {cursor!r} is not the next_cursor of any page.")
    start = int(cursor or 0)
    end = start + limit
    more = {"next_cursor": str(end)} if end < len(result) else {}
    return {name: result[start:end], **more}


def look_up(all_of_them: dict[str, Json], key: str, kind: str) -> Json:
    """Return the object with an identifier, or raise."""
    if key not in all_of_them:
        raise Rejection(f"There is no {kind} {key!r}.")
    return all_of_them[key]


def result_of(answer: Json) -> Json:
    """Return a protocol result: content unchanged, otherwise structured content and its text."""
    if isinstance(answer, list):
        return {"content": answer}
    structured = deepcopy(answer)
    text = json.dumps(structured, ensure_ascii=False)
    return {"content": [_text(text)], "structuredContent": structured}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _day(name: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Rejection(f"{name}: {text!r} is not a date such as 2026-09-10.") from None


def _book(number: int) -> Json:
    book_id = f"BK-{number:04}"
    return {
        "id": book_id,
        "title": f"{_NOUNS[number % 10]} {_ENDS[number % 6]}",
        "author": "Anonymous" if book_id == ANONYMOUS else f"{_NAMES[number * 5 % 12]} Holm",
        "genre": GENRES[number % 5],
        "year": 1950 + number,
        "price": 5 + number % 17 + 0.5 * (number % 2),
        "stock": 20 + number * 11 % 30,
    }


def _customer(number: int) -> Json:
    name = _NAMES[number % 12]
    mail = f"{name.encode('ascii', 'ignore').decode().lower()}{number}@example.org"
    return {"id": f"CU-{256 + number * 45:03X}", "name": f"{name} {number}", "email": mail}


def _png(width: int) -> str:
    """Return a grey picture of one row, in base 64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(width + 1)))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")).decode()
