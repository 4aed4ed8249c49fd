"""A server of notes in plain JSON-RPC that follows its contract. Each word in BUG breaks one
part. It starts quickly because it imports nothing, and speaks both protocols.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

BUGS = set(os.environ.get("BUG", "").split(","))
BOOKS = {
    "B-1": {"id": "B-1", "title": "A Winter Garden", "pages": 210},
    "B-2": {"id": "B-2", "title": "The Night Ferry", "pages": 180},
}
NOTES: list[str] = ["first"]
ASKED_FOR: set[str] = set()
TAGS: list[str] = []
BOOK = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "pages": {"type": "integer"},
    },
    "required": ["id", "title", "pages"],
}
READS = {"readOnlyHint": True}
RULES = "bookshelf://rules"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Rejection(Exception):
    """Rejected arguments, or an unknown item."""


def tool(name: str, properties: Any, required: list[str], **more: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {"name": name, "description": name, "inputSchema": schema, **more}


LIMIT = {"type": "integer", "minimum": 1, "maximum": 20}
BY_ID = {"id": {"type": "string"}}
TEXT = {"text": {"type": "string"}}
BOOKS_OUT = {
    "type": "object",
    "properties": {"books": {"type": "array", "items": BOOK}, "query": {"type": "string"}},
    "required": ["books"],
}
TOOLS = [
    tool(
        "search_books",
        {"query": {"type": "string"}, "limit": LIMIT, "order": {"enum": ["title", "pages"]}},
        ["query"],
        annotations=READS,
        outputSchema=BOOKS_OUT,
    ),
    tool("get_book", BY_ID, ["id"], annotations=READS, outputSchema=BOOK),
    tool("list_notes", {}, [], annotations=READS),
    tool("add_note", TEXT, ["text"]),
    tool("set_tag", TEXT, ["text"], annotations={"idempotentHint": True}),
    tool("unlock", {"password": {"type": "string"}}, ["password"], annotations=READS),
]
if "offered" in BUGS:
    TOOLS = [item for item in TOOLS if item["name"] != "get_book"]


def search_books(arguments: dict[str, Any]) -> Any:
    query, limit = arguments["query"], arguments.get("limit", 20)
    if "dies" in BUGS and "\U0001f389" in str(query):
        os._exit(3)
    if "again" in BUGS and query in ASKED_FOR:
        os._exit(3)
    ASKED_FOR.add(str(query))
    if "hangs" in BUGS and limit == 1:
        time.sleep(60)
    if "boundary" in BUGS and limit == 20:
        raise Rejection("validation error: limit must be less than 20")
    if "crash" in BUGS and query == "":
        return query[0]
    if "writes" in BUGS:
        NOTES.append(f"searched for {len(NOTES)}")
    books: list[Any] = [b for b in BOOKS.values() if str(query).lower() in b["title"].lower()]
    if "output" in BUGS and len(books) == 1:
        books = [{**books[0], "pages": str(books[0]["pages"])}]
    if "chain" in BUGS:
        books = [{**book, "id": book["id"].replace("-", "_")} for book in books]
    if "unicode" in BUGS:
        query = str(query).encode().decode("latin-1")
    return {"books": books[: limit if isinstance(limit, int) else 20], "query": str(query)}


def get_book(arguments: dict[str, Any]) -> Any:
    if arguments.get("id") not in BOOKS:
        if "soft" in BUGS:
            return {"error": "no such book"}
        if "creates" in BUGS:
            BOOKS[arguments["id"]] = {**BOOKS["B-1"], "id": arguments["id"]}
            NOTES.append(f"there are {len(BOOKS)} books")
            return BOOKS[arguments["id"]]
        raise Rejection("" if "silent" in BUGS else f"there is no book {arguments.get('id')}")
    if "another" in BUGS:
        return BOOKS["B-1"]
    return BOOKS[arguments["id"]]


def list_notes(_arguments: dict[str, Any]) -> Any:
    return {"notes": list(NOTES), "tags": list(TAGS)}


def add_note(arguments: dict[str, Any]) -> Any:
    NOTES.append(arguments["text"])
    return {"count": len(NOTES)}


def set_tag(arguments: dict[str, Any]) -> Any:
    if (
        arguments["text"] not in TAGS
        or "repeats" in BUGS
        or ("saturates" in BUGS and len(TAGS) < 4)
    ):
        TAGS.append(arguments["text"])
    return {"tags": len(set(TAGS))}


CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    item.__name__: item for item in (search_books, get_book, list_notes, add_note, set_tag)
}


def check(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    kinds: dict[str, type] = {"string": str, "integer": int}
    for name in schema["required"]:
        if name not in arguments:
            raise Rejection(f"{name} is required")
    for name, value in arguments.items():
        part = schema["properties"].get(name)
        if part is None:
            raise Rejection(f"there is no argument {name}")
        kind = kinds.get(part.get("type", ""))
        if kind is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise Rejection(f"{name} must be of type {part['type']}")
        if "enum" in part and value not in part["enum"]:
            raise Rejection(f"{name} must be one of {part['enum']}")
        if kind is int and not part.get("minimum", value) <= value <= part.get("maximum", value):
            raise Rejection(f"{name} must be between {part['minimum']} and {part['maximum']}")


def as_integer(value: Any) -> Any:
    """Return an integer for a float that is one, as JSON Schema has it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def call(params: dict[str, Any]) -> dict[str, Any]:
    name, arguments = params["name"], params.get("arguments") or {}
    cache = next((item for item in TOOLS if item["name"] == name), None)
    if "echoes" in BUGS and name == "unlock":
        return {"content": [{"type": "text", "text": f"Error: {json.dumps(arguments)} is wrong"}]}
    if cache is None or name not in CALLS:
        if "unknown" in BUGS:
            return {"content": []}
        raise LookupError(f"Unknown tool: {name}")
    arguments = {key: as_integer(value) for key, value in arguments.items()}
    try:
        if "accepts" not in BUGS:
            check(cache["inputSchema"], arguments)
        data = CALLS[name](arguments)
    except Rejection as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {"content": [{"type": "text", "text": text}], "isError": True}
    text = {"type": "txt" if "protocol" in BUGS else "text", "text": json.dumps(data)}
    if "missing" in BUGS:
        return {"content": [text]}
    return {"content": [text], "structuredContent": data}


def agreed(revision: Any) -> Any:
    """Return the revision that the client offers, or the latest of this server."""
    return revision if revision in REVISIONS or "revision" in BUGS else REVISIONS[-1]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    capabilities = {"tools": {}, "resources": {}}
    result = {"capabilities": capabilities, "serverInfo": {"name": "notes", "version": "1"}}
    fixed: dict[str, Any] = {
        "initialize": {"protocolVersion": agreed(params.get("protocolVersion")), **result},
        "server/discover": {
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities,
            **LASTING,
        },
        "resources/list": {"resources": [{"uri": RULES, "name": "rules"}], **LASTING},
        "resources/templates/list": {"resourceTemplates": [], **LASTING},
    }
    if method in fixed:
        return fixed[method]
    if method not in ASKED:
        raise NotImplementedError
    return ASKED[method](params)


def read(params: dict[str, Any]) -> dict[str, Any]:
    if params["uri"] != RULES or "resource" in BUGS:
        raise LookupError(f"Resource not found: {params['uri']}")
    return {"contents": [{"uri": RULES, "text": "quiet"}], **LASTING}


LASTING = {"ttlMs": 0, "cacheScope": "private"}


def page(params: dict[str, Any]) -> dict[str, Any]:
    cursor = params.get("cursor")
    if cursor not in (None, "2"):
        raise LookupError("Invalid cursor")
    if cursor is None:
        return {"tools": TOOLS[:3], "nextCursor": "2", **LASTING}
    return {"tools": TOOLS[2 if "pages" in BUGS else 3 :], **LASTING}


ASKED = {"tools/call": call, "tools/list": page, "resources/read": read}


def respond(message: dict[str, Any]) -> None:
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    method, params = message["method"], message.get("params") or {}
    is_modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
    try:
        result = answer(method, params)
        reply["result"] = {"resultType": "complete", **result} if is_modern else result
    except NotImplementedError:
        reply["error"] = {"code": -32601, "message": f"Method not found: {method}"}
    except LookupError as error:
        reply["error"] = {"code": -32602, "message": str(error.args[0])}
    if "frozen" in BUGS and method == "tools/call":
        time.sleep(60)
    if "logs" in BUGS and "io.modelcontextprotocol/logLevel" in params.get("_meta", {}):
        logged = {"level": "info", "data": "Authorization: Bearer q8JwzT1mVx9notes4"}
        log = {"jsonrpc": "2.0", "method": "notifications/message", "params": logged}
        sys.stdout.write(json.dumps(log) + "\n")
    if "prints" in BUGS and method == "tools/call":
        sys.stdout.write("calling\n")
    sys.stdout.write(json.dumps(reply) + "\n")


LINES: queue.SimpleQueue[str] = queue.SimpleQueue()


def main() -> None:
    notes: list[dict[str, Any]] = []
    for line in iter(LINES.get, ""):
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        if "mixed" in BUGS and message["method"] == "tools/call":
            notes.append(message)
            if not more():
                numbers = [item["id"] for item in notes]
                for item, number in zip(notes, numbers[1:] + numbers[:1], strict=True):
                    respond({**item, "id": number})
                notes = []
        else:
            respond(message)
        sys.stdout.flush()


def more() -> bool:
    """Return True if another line arrives soon."""
    ends = time.monotonic() + 0.1
    while LINES.empty() and time.monotonic() < ends:
        time.sleep(0.005)
    return not LINES.empty()


def listen() -> None:
    for line in sys.stdin:
        LINES.put(line)
    LINES.put("")


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr] # it is no pipe of others
    threading.Thread(target=listen, daemon=True).start()
    main()
