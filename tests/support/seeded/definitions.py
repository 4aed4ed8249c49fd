"""The tools of a bookshop as listed over every protocol."""

from __future__ import annotations

from typing import Any

Json = Any

GENRES = ["crime", "history", "poetry", "science", "travel"]
SHIPPING = ["collect", "standard", "express"]
STATUSES = ["open", "sent", "cancelled"]
CURRENCIES = ["EUR", "USD", "GBP", "CHF", "SEK", "JPY"]

BOOK_ID = {"type": "string", "pattern": "^BK-[0-9]{4}$", "description": "Which book."}
ORDER_ID = {"type": "string", "pattern": "^OR-[0-9]{4}$", "description": "Which order."}
CUSTOMER_ID = {"type": "string", "pattern": "^CU-[0-9A-F]{3}$", "description": "Who."}
EVENT_ID = {"type": "string", "description": "Which reading."}
TEXT = {"type": "string"}
QUANTITY = {"type": "integer", "minimum": 1, "maximum": 99, "description": "How many."}
COUNT = {"type": "integer", "minimum": 0}
MONEY = {"type": "number", "minimum": 0}
PAGE = {
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "default": 20,
        "description": "How many at most.",
    },
    "cursor": {"type": "string", "description": "The next_cursor of the page before."},
}


def _object(members: Json, optional: tuple[str, ...] = (), **more: Json) -> Json:
    required = [name for name in members if name not in optional]
    schema = {"type": "object", "properties": members, "additionalProperties": False, **more}
    return {**schema, "required": required} if required else schema


def _list(items: Json, **more: Json) -> Json:
    return {"type": "array", "items": items, **more}


BOOK = _object(
    {
        "id": BOOK_ID,
        "title": TEXT,
        "author": TEXT,
        "genre": {"enum": GENRES},
        "year": {"type": "integer"},
        "price": MONEY,
        "stock": COUNT,
    }
)
LINE = _object({"book_id": BOOK_ID, "quantity": QUANTITY})
ORDER = _object(
    {
        "id": ORDER_ID,
        "customer_id": CUSTOMER_ID,
        "status": {"enum": STATUSES},
        "lines": _list(LINE, minItems=1),
        "total": MONEY,
    }
)
CUSTOMER = _object({"id": TEXT, "name": TEXT, "email": TEXT})
EVENT = _object({"id": TEXT, "title": TEXT, "date": {"type": "string", "format": "date"}})
HIT = _object({"id": TEXT, "title": TEXT, "author": TEXT})
NEXT = {"next_cursor": TEXT}

READS = {"readOnlyHint": True, "openWorldHint": False}
SETS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}


MEANINGS = {
    "genre": "Only books of this kind.",
    "query": "What to look for.",
    "field": "Where to look for it.",
    "sort": "Sort order of the books.",
    "lines": "Which books, and how many.",
    "shipping": "How the books are sent.",
    "email": "The address.",
    "status": "Only orders that are in this state.",
    "amount": "A price in euros.",
    "currency": "Into which currency.",
    "first": "The first day.",
    "last": "The last day.",
    "text": "The text.",
    "kind": "Content of the label.",
    "case": "Case of the letters.",
    "year": "Which year.",
    "format": "The format of the file.",
    "stars": "How good the book is.",
    "count": "How many copies there are.",
    "customer_id": "Which customer.",
}


def _tool(name: str, text: str, value: Json, answer: Json = None, hints: Json = READS) -> Json:
    members = value["properties"]
    for member in members:
        meaning = members[member].get("description") or MEANINGS[member]
        members[member] = {**members[member], "description": meaning}
    title = name.replace("_", " ").capitalize()
    result = {"name": name, "title": title, "description": text, "inputSchema": value}
    result["annotations"] = {**hints, "title": title}
    return result if answer is None else {**result, "outputSchema": answer}


TOOLS: list[Json] = [
    _tool(
        "list_books",
        "List the books of the shop, page by page.",
        _object({"genre": {"type": "string", "enum": GENRES}, **PAGE}, ("genre", *PAGE)),
        _object({"books": _list(BOOK), **NEXT}, ("next_cursor",)),
    ),
    _tool("get_book", "Return one book.", _object({"id": BOOK_ID}), BOOK),
    _tool(
        "search_books",
        "Search titles and authors.",
        _object(
            {
                "query": {"type": "string", "minLength": 1, "maxLength": 80},
                "field": {"type": "string", "enum": ["anywhere", "title", "author"]},
                "sort": {"type": "string", "enum": ["title", "year", "price"]},
            },
            ("field", "sort"),
        ),
        _object({"books": _list(HIT), "total": COUNT}),
    ),
    _tool(
        "quote_order",
        "Calculate the price of some books without ordering them.",
        _object(
            {
                "lines": _list(LINE, maxItems=10),
                "shipping": {"type": "string", "enum": SHIPPING, "default": "standard"},
            },
            ("shipping",),
        ),
        _object({"books": MONEY, "shipping": MONEY, "total": MONEY}),
    ),
    _tool(
        "list_customers",
        "List the customers, page by page.",
        _object(PAGE, tuple(PAGE)),
        _object({"customers": _list(CUSTOMER), **NEXT}, ("next_cursor",)),
    ),
    _tool(
        "get_customer",
        "Return one customer.",
        _object({"customer_id": {"type": "string", "minLength": 1, "maxLength": 20}}),
        CUSTOMER,
    ),
    _tool(
        "find_customer",
        "Find a customer by an address of mail.",
        _object({"email": {"type": "string", "format": "email", "maxLength": 100}}),
        CUSTOMER,
    ),
    _tool(
        "list_orders",
        "List the orders, the newest last, page by page.",
        _object({"status": {"type": "string", "enum": STATUSES}, **PAGE}, ("status", *PAGE)),
        _object({"orders": _list(ORDER), **NEXT}, ("next_cursor",)),
    ),
    _tool("get_order", "Return one order.", _object({"order_id": ORDER_ID}), ORDER),
    _tool(
        "convert_price",
        "Convert a price in euros.",
        _object(
            {
                "amount": {"type": "number", "minimum": 0, "maximum": 1_000_000},
                "currency": {"type": "string", "enum": CURRENCIES},
            }
        ),
        _object({"amount": MONEY, "currency": {"enum": CURRENCIES}}),
    ),
    _tool(
        "list_events",
        "List the readings in the shop between two days.",
        _object(
            {
                "first": {"type": "string", "format": "date"},
                "last": {"type": "string", "format": "date"},
            },
            ("first", "last"),
        ),
        _object({"events": _list(EVENT)}),
    ),
    _tool("get_event", "Return one reading.", _object({"event_id": EVENT_ID}), EVENT),
    _tool(
        "render_label",
        "Render a label for a shelf, as text or as a picture.",
        _object(
            {
                "text": {"type": "string", "minLength": 1, "maxLength": 200},
                "kind": {"type": "string", "enum": ["text", "markdown", "png"]},
            }
        ),
    ),
    _tool(
        "clean_text",
        "Remove white space around a text, and change its case.",
        _object(
            {"text": TEXT, "case": {"type": "string", "enum": ["keep", "upper", "lower"]}},
            ("case",),
        ),
        _object({"text": TEXT, "length": COUNT}),
    ),
    _tool(
        "sales_of_year",
        "Return the sales of each month of a year.",
        _object({"year": {"type": "integer", "minimum": 1990, "maximum": 2100}}),
        _object(
            {
                "year": {"type": "integer"},
                "months": _list(MONEY, minItems=12, maxItems=12),
            }
        ),
    ),
    _tool("shop_clock", "Return the time in the shop.", _object({}), _object({"now": TEXT})),
    _tool(
        "recommend_book",
        "Recommend a book, chosen at random.",
        _object({"genre": {"type": "string", "enum": GENRES}}, ("genre",)),
        BOOK,
    ),
    _tool(
        "export_books",
        "Write the catalogue as a file, and return a link to it.",
        _object({"format": {"type": "string", "enum": ["csv", "json"]}}),
    ),
    _tool("list_reviews", "Return the reviews of a book.", _object({"book_id": BOOK_ID})),
    _tool(
        "add_review",
        "Review a book.",
        _object(
            {
                "book_id": BOOK_ID,
                "stars": {"type": "integer", "minimum": 1, "maximum": 5},
                "text": {"type": "string", "maxLength": 2000},
            },
            ("text",),
        ),
        _object({"reviews": COUNT}),
        ADDS,
    ),
    _tool(
        "create_order",
        "Order books for a customer.",
        _object({"customer_id": CUSTOMER_ID, "lines": _list(LINE, minItems=1, maxItems=10)}),
        _object({"order_id": ORDER_ID, "total": MONEY}),
        ADDS,
    ),
    _tool(
        "cancel_order",
        "Cancel an order; its books are in stock again.",
        _object({"order_id": ORDER_ID}),
        ORDER,
        SETS,
    ),
    _tool(
        "set_stock",
        "Set how many copies of a book there are.",
        _object({"book_id": BOOK_ID, "count": {**COUNT, "maximum": 10_000}}),
        BOOK,
        SETS,
    ),
]
BY_NAME: dict[str, Json] = {tool["name"]: tool for tool in TOOLS}
