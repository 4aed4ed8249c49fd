"""A server of bus lines over stdio, JSON-RPC without the SDK. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import threading
import time
import traceback
from itertools import pairwise
from typing import Any

from jsonschema import Draft202012Validator
from stdio import (
    READ,
    SAFE,
    TEXT,
    RpcError,
    ToolError,
    bug,
    initialized,
    integral,
    obj,
    say,
    serve,
    tool,
)

JPEG = base64.b64encode(b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 40).decode()
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 40).decode()
COLORS = ["red", "green", "blue"]


LINE_ID = {"type": "string", "pattern": "^L-[0-9]+$", "description": "ID of a line."}
TICKET_ID = {"type": "string", "pattern": "^T-[0-9]+$", "description": "ID of a ticket."}
NAME = {"type": "string", "minLength": 1, "maxLength": 40}
NOTES = {"type": ["string", "null"], "maxLength": 200}
TAGS = {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 5}
STOPS = {"type": "array", "items": NAME, "minItems": 2, "maxItems": 30, "uniqueItems": True}
LINE = obj(
    ["id", "name", "color", "stops", "notes", "tags"],
    id=LINE_ID,
    name=TEXT,
    color={"enum": COLORS},
    stops={"type": "array", "items": TEXT},
    notes={"type": ["string", "null"]},
    tags={"type": "array", "items": TEXT},
)
TICKET = obj(
    ["id", "line", "holder", "kind", "void"],
    id=TICKET_ID,
    line=LINE_ID,
    holder=TEXT,
    kind={"enum": ["single", "day", "month"]},
    void={"type": "boolean"},
)
NODE = {
    "type": "object",
    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["name", "children"],
    "additionalProperties": False,
}
FILTER = {
    "anyOf": [
        obj(["field", "value"], field={"enum": ["name", "color"]}, value=TEXT),
        obj(
            ["op", "args"],
            op={"enum": ["and", "or"]},
            args={"type": "array", "items": {"$ref": "#/$defs/filter"}, "maxItems": 4},
        ),
    ]
}
PASSENGER = obj(
    ["type", "count"],
    type={"enum": ["adult", "child", "senior"]},
    count={"type": "integer", "minimum": 1, "maximum": 20},
)


TOOLS = [
    tool(
        "add_line",
        "Add a bus line.",
        obj(
            ["name", "color", "stops"],
            name=NAME,
            color={"enum": COLORS},
            stops=STOPS,
            notes=NOTES,
            tags=TAGS,
        ),
        obj(["line"], line=LINE),
        **SAFE,
    ),
    tool("get_line", "Show a line.", obj(["id"], id=LINE_ID), obj(["line"], line=LINE), **READ),
    tool(
        "list_lines",
        "List the lines, a page at a time.",
        obj(
            [],
            cursor={"type": "string", "description": "next_cursor of the page before."},
            page_size={"type": "integer", "minimum": 1, "maximum": 50},
            color={"enum": COLORS},
            order={"enum": ["asc", "desc"]},
        ),
        obj(
            ["lines", "next_cursor", "total"],
            lines={"type": "array", "items": LINE},
            next_cursor={"type": ["string", "null"]},
            total={"type": "integer", "minimum": 0},
        ),
        **READ,
    ),
    tool(
        "update_line",
        "Change some members of a line.",
        obj(["id"], id=LINE_ID, name=NAME, color={"enum": COLORS}, notes=NOTES, tags=TAGS),
        obj(["line"], line=LINE),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "remove_line",
        "Remove a line for good.",
        obj(["id"], id=LINE_ID),
        obj(["removed"], removed={"type": "boolean"}),
        readOnlyHint=False,
        destructiveHint=True,
    ),
    tool(
        "search_stops",
        "Find stops by a part of their names.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 200},
            limit={"type": "integer", "minimum": 1, "maximum": 100},
        ),
        obj(
            ["text", "stops"],
            text=TEXT,
            stops={
                "type": "array",
                "items": obj(["name", "lines"], name=TEXT, lines={"type": "integer"}),
            },
        ),
        **READ,
    ),
    tool(
        "plan_trip",
        "Plan a trip between two stops.",
        obj(
            ["from", "to"],
            **{"from": NAME},
            to=NAME,
            via={"type": "array", "items": NAME, "maxItems": 3},
            depart={"type": "string", "format": "date-time"},
            options=obj(
                [],
                max_changes={"type": "integer", "minimum": 0, "maximum": 5},
                modes={
                    "type": "array",
                    "items": {"enum": ["bus", "tram", "metro"]},
                    "minItems": 1,
                    "uniqueItems": True,
                },
            ),
        ),
        obj(
            ["legs", "minutes"],
            legs={"type": "array", "items": obj(["from", "to"], **{"from": TEXT}, to=TEXT)},
            minutes={"type": "integer", "minimum": 0},
        ),
        **READ,
    ),
    tool(
        "fare",
        "Compute a fare.",
        obj(
            ["zones", "passengers"],
            zones={"type": "integer", "minimum": 1, "maximum": 9},
            passengers={"type": "array", "items": PASSENGER, "minItems": 1, "maxItems": 5},
            discount={"type": "number", "minimum": 0, "maximum": 1},
        ),
        obj(
            ["total", "currency"],
            total={"type": "number", "minimum": 0},
            currency={"enum": ["EUR"]},
        ),
        **READ,
    ),
    tool(
        "sell_ticket",
        "Sell a ticket for a line.",
        obj(
            ["line_id", "holder", "kind"],
            line_id=LINE_ID,
            holder=NAME,
            kind={"enum": ["single", "day", "month"]},
        ),
        obj(["ticket"], ticket=TICKET),
        **SAFE,
    ),
    tool(
        "get_ticket",
        "Show a ticket.",
        obj(["id"], id=TICKET_ID),
        obj(["ticket"], ticket=TICKET),
        **READ,
    ),
    tool(
        "list_tickets",
        "List tickets.",
        obj(
            [],
            offset={"type": "integer", "minimum": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 50},
        ),
        obj(
            ["tickets", "total"],
            tickets={"type": "array", "items": TICKET},
            total={"type": "integer"},
        ),
        **READ,
    ),
    tool(
        "void_ticket",
        "Void a ticket.",
        obj(["id"], id=TICKET_ID),
        obj(["ticket"], ticket=TICKET),
        readOnlyHint=False,
        destructiveHint=True,
        idempotentHint=True,
    ),
    tool(
        "stop_tree",
        "Show stops as a tree.",
        obj([], depth={"type": "integer", "minimum": 0, "maximum": 6}),
        {**obj(["root"], root={"$ref": "#/$defs/node"}), "$defs": {"node": NODE}},
        **READ,
    ),
    tool(
        "count_lines",
        "Count the lines that a filter matches.",
        {**obj(["filter"], filter={"$ref": "#/$defs/filter"}), "$defs": {"filter": FILTER}},
        obj(["count"], count={"type": "integer", "minimum": 0}),
        **READ,
    ),
    tool("draw_line", "Draw a line as a picture.", obj(["id"], id=LINE_ID), **READ),
]
PROMPTS = [
    {
        "name": "describe_line",
        "description": "Describe a line for a leaflet.",
        "arguments": [{"name": "line", "required": True}, {"name": "tone"}],
    }
]
SCHEMAS = {item["name"]: item for item in TOOLS}


class Store:
    """The lines and the tickets."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.lines: dict[str, dict[str, Any]] = {}
        self.tickets: dict[str, dict[str, Any]] = {}
        self.numbers = {"L": 0, "T": 0}
        self.kept: list[bytes] = []
        self.searches = 0
        self.last_text = ""
        stops = ["Harbour", "Market", "Museum", "Station", "Zoo", "Park", "Bridge"]
        for number in range(7):
            self.add(f"Line {number}", COLORS[number % 3], stops[number % 3 :][:4], "", ["city"])
        self.lines["L-2"].update(notes=None, tags=[])

    def number(self, letter: str) -> str:
        value = self.numbers[letter] + 1
        if bug("s_race") and letter == "T":
            self.lock.release()
            time.sleep(0.02)
            self.lock.acquire()
        self.numbers[letter] = value
        return f"{letter}-{value}"

    def add(self, name: str, color: str, stops: list[str], notes: Any, tags: list[str]) -> Any:
        line = {"id": self.number("L"), "name": name, "color": color, "stops": list(stops)}
        line |= {"notes": notes, "tags": list(tags)}
        self.lines[line["id"]] = line
        return line

    def line(self, id: str) -> dict[str, Any]:
        if id not in self.lines:
            if bug("l_trace"):
                try:
                    self.lines[id]
                except KeyError:
                    raise ToolError(traceback.format_exc()) from None
            raise ToolError(f"line {id} not found")
        return self.lines[id]

    def ticket(self, id: str) -> dict[str, Any]:
        if id not in self.tickets:
            if bug("l_conn"):
                raise ToolError("lookup failed on postgres://transit:s3cr3t@db.internal:5432/t")
            raise ToolError(f"ticket {id} not found")
        return self.tickets[id]


STORE = Store()


def add_line(name: str, color: str, stops: list[str], notes: Any = None, tags: Any = ()) -> Any:
    if bug("c_astral") and any(ord(item) > 0xFFFF for item in name):
        os._exit(3)
    if bug("a_unicode") and not name.isascii():
        raise RpcError(-32602, "invalid arguments: name must match [ -~]+")
    if bug("a_tags_empty") and tags == []:
        raise ToolError("invalid argument tags: at least one tag is needed")
    return {"line": STORE.add(name, color, stops, notes, list(tags))}


def get_line(id: str) -> Any:
    if bug("f_pattern_end"):
        return {"line": STORE.line(re.sub("(?<=[0-9])[^0-9].*", "", id))}
    if bug("g_memory"):
        STORE.kept.append(os.urandom(1 << 20))
    return {"line": STORE.line(id)}


def list_lines(cursor: str = "0", page_size: int = 3, color: Any = None, order: str = "asc") -> Any:
    start = int(cursor) if cursor.isdecimal() else -1
    if start < 0:
        raise ToolError("the cursor is not one of this server")
    lines = list(STORE.lines.values())
    if bug("n_sort") and order == "desc":
        for line in lines:
            line["stops"].reverse()
    lines.sort(key=lambda line: int(line["id"][2:]), reverse=order == "desc")
    if color and not (bug("g_filter") and start):
        lines = [line for line in lines if line["color"] == color]
    page = lines[start : start + page_size]
    following = start + page_size
    if bug("g_gap") and page_size == 1 and start >= 2:
        page = lines[start + 1 : start + 2]
    more = following < len(lines)
    if bug("g_last") and not more and lines:
        return {"lines": page, "next_cursor": str(max(0, start)), "total": len(lines)}
    return {"lines": page, "next_cursor": str(following) if more else None, "total": len(lines)}


def update_line(id: str, **changes: Any) -> Any:
    line = STORE.line(id)
    if bug("a_notes_empty") and changes.get("notes") == "":
        raise ToolError("invalid argument notes: must not be empty")
    if bug("s_falsy"):
        changes = {key: value for key, value in changes.items() if value}
    if bug("s_other") and "name" in changes:
        line["color"] = "red"
    if bug("n_destroys") and "color" in changes:
        line["notes"] = None
    if bug("n_idempotent") and "tags" in changes:
        changes["tags"] = [*line["tags"], *changes["tags"]]
    line.update(changes)
    result = copy.deepcopy(line)
    if bug("o_notes") and result["notes"] is None:
        del result["notes"]
    return {"line": result}


def remove_line(id: str) -> Any:
    if id not in STORE.lines:
        if bug("l_path"):
            raise ToolError("cannot open /srv/transit/data/lines.db: no such row")
        raise ToolError(f"line {id} not found")
    if not bug("s_removed"):
        del STORE.lines[id]
    return {"removed": True}


def search_stops(text: str, limit: int = 10) -> Any:
    if bug("c_quote") and "'" in text:
        raise RuntimeError("unterminated string")
    if bug("l_sql") and "\\" in text:
        raise ToolError("OperationalError: near '\\': SELECT name FROM stops WHERE name LIKE ?")
    if bug("a_limit_max") and limit == 100:
        raise ToolError("invalid argument limit: must be less than 100")
    if bug("h_bracket") and text.count("(") + text.count("[") > text.count(")") + text.count("]"):
        time.sleep(600)
    if bug("h_repeat") and re.search(r"(.)\1{20,}", text):
        time.sleep(600)
    if bug("g_slow"):
        STORE.searches += 1
        time.sleep(0.002 * STORE.searches)
    if bug("n_search") and text == "":
        STORE.lines["L-1"]["stops"].append("")
    output = text
    if bug("s_cross"):
        STORE.last_text = text
        STORE.lock.release()
        time.sleep(0.01)
        STORE.lock.acquire()
        output = STORE.last_text
    counts: dict[str, int] = {}
    for line in STORE.lines.values():
        for stop in line["stops"]:
            if text.lower() in stop.lower():
                counts[stop] = counts.get(stop, 0) + 1
    stops = [{"name": name, "lines": count} for name, count in sorted(counts.items())][:limit]
    return {"text": output, "stops": None if bug("o_search") and not stops else stops}


def plan_trip(**arguments: Any) -> Any:
    options = arguments.get("options") or {}
    if bug("c_depart") and "options" in arguments and "depart" not in arguments:
        raise KeyError("depart")
    if bug("h_changes") and options.get("max_changes") == 0:
        time.sleep(600)
    stops = [arguments["from"], *arguments.get("via", []), arguments["to"]]
    legs = [{"from": a, "to": b} for a, b in pairwise(stops)]
    minutes: Any = 7 * len(legs)
    return {
        "legs": legs,
        "minutes": minutes + 0.5 if bug("o_via") and "via" in arguments else minutes,
    }


def fare(zones: int, passengers: list[Any], discount: Any = None) -> Any:
    if bug("a_discount") and discount is not None and not discount:
        raise ToolError("invalid argument discount: is required")
    count = sum(passenger["count"] for passenger in passengers)
    if bug("l_env") and count >= 20:
        say({"method": "notifications/message", "params": {"level": "info", "data": KEY}})
    if bug("n_fare") and discount == 1:
        sell_ticket("L-1", "free", "single")
    prices = {"adult": 2.0, "child": 1.0, "senior": 1.5}
    total = sum(prices[passenger["type"]] * passenger["count"] for passenger in passengers) * zones
    total *= 1 - (discount or 0)
    only_children = all(passenger["type"] == "child" for passenger in passengers)
    return {"total": str(total) if bug("o_fare") and only_children else total, "currency": "EUR"}


KEY = "loaded key sk-live-51Hq8s7dKJ3nd9aPzQw8xRt2"


def sell_ticket(line_id: str, holder: str, kind: str) -> Any:
    if bug("c_percent") and "%" in holder:
        raise TypeError("not enough arguments for format string")
    STORE.line(line_id)
    ticket = {"id": STORE.number("T"), "line": line_id, "holder": holder, "kind": kind}
    STORE.tickets[ticket["id"]] = {**ticket, "void": False}
    return {"ticket": STORE.tickets[ticket["id"]]}


def get_ticket(id: str) -> Any:
    return {"ticket": STORE.ticket(id)}


def list_tickets(offset: int = 0, limit: int = 20) -> Any:
    tickets = list(STORE.tickets.values())
    if bug("h_offset") and offset > len(tickets):
        time.sleep(600)
    return {"tickets": tickets[offset : offset + limit], "total": len(tickets)}


def void_ticket(id: str) -> Any:
    ticket = STORE.ticket(id)
    if bug("h_void") and ticket["void"]:
        time.sleep(600)
    ticket["void"] = True
    return {"ticket": ticket}


def stop_tree(depth: int = 2) -> Any:
    def node(level: int) -> Any:
        value_: dict[str, Any] = {"name": f"level {level}"}
        if not (bug("o_tree") and level == 0 and depth >= 4):
            value_["children"] = [node(level - 1)] * 2 if level else []
        return value_

    return {"root": node(depth)}


def count_lines(filter: Any) -> Any:
    def depth(value: Any) -> int:
        return 1 + max((depth(arg) for arg in value.get("args", [])), default=0)

    def matches(line: Any, value: Any) -> bool:
        if "field" in value:
            return bool(line[value["field"]] == value["value"])
        function = all if value["op"] == "and" else any
        return function(matches(line, item) for item in value["args"])

    if bug("c_deep") and depth(filter) > 15:
        os._exit(3)
    return {"count": sum(matches(line, filter) for line in STORE.lines.values())}


def draw_line(id: str) -> Any:
    line = STORE.line(id)
    data = f"{PNG[:20]}*{PNG[20:]}" if bug("p_base64") else PNG
    data = JPEG if bug("p_mime") else data
    return [
        {"type": "text", "text": f"The line {line['name']}"},
        {"type": "image", "data": data, "mimeType": "image/png"},
    ]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = copy.deepcopy(schema)
    members = schema["properties"]
    if bug("f_unique") and name == "add_line":
        members["stops"]["uniqueItems"] = False
    if bug("f_nested") and name == "plan_trip":
        members["options"]["additionalProperties"] = True
    if bug("f_pattern_end") and name == "get_line":
        members["id"]["pattern"] = "^L-[0-9]+"
    if bug("f_count") and name == "fare":
        members["passengers"]["items"]["properties"]["count"]["minimum"] = 0
    if bug("f_boolean") and name == "list_lines":
        members["page_size"] = {"type": ["integer", "boolean"], "minimum": 1, "maximum": 50}
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError("404" if bug("p_code") else -32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    with STORE.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    text = json.dumps(result)
    return {"content": [{"type": "text", "text": text}], "structuredContent": result}


def answer(method: str, params: Any) -> Any:  # noqa: PLR0911 - one for each method
    if method == "initialize":
        return initialized("transit", params, logging={})
    if method in ("ping", "logging/setLevel"):
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params.get("arguments") or {})
    if method == "resources/list":
        return {
            "resources": [{"uri": "transit://stops", "name": "stops", "mimeType": "text/plain"}]
        }
    if method == "resources/templates/list":
        return {"resourceTemplates": [{"uriTemplate": "transit://lines/{id}", "name": "line"}]}
    if method == "resources/read":
        return {"contents": [read(params["uri"])]}
    if method == "prompts/list":
        return {"prompts": PROMPTS}
    if method == "prompts/get":
        return prompt(params["name"], params.get("arguments") or {})
    raise RpcError(-32601, f"method {method} not found")


def read(uri: str) -> Any:
    with STORE.lock:
        if uri == "transit://stops":
            stops = sorted({stop for line in STORE.lines.values() for stop in line["stops"]})
            return {"uri": uri, "mimeType": "text/plain", "text": "\n".join(stops)}
        number = uri.removeprefix("transit://lines/")
        if number in STORE.lines:
            text = json.dumps(STORE.lines[number])
            return {"uri": uri, "mimeType": "application/json", "text": text}
    raise RpcError(-32602, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "describe_line" or "line" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument line is missing")
    text = f"Describe line {arguments['line']} in a {arguments.get('tone', 'plain')} tone."
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    del method, failed
    is_number = bug("p_id") and isinstance(given, str) and given.isdecimal()
    return int(given) if is_number else given


def answers_twice(method: str, params: Any) -> bool:
    return bug("p_twice") and method == "tools/call" and params.get("name") == "get_ticket"


if __name__ == "__main__":
    serve(answer, id_of, answers_twice)
