"""A server of an observatory over stdio, JSON-RPC without the SDK. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import sys
import threading
import time
from typing import Any

from jsonschema import Draft202012Validator
from stdio import (
    DESTROYS,
    READ,
    SAFE,
    TEXT,
    RpcError,
    ToolError,
    bug,
    initialized,
    integral,
    listed,
    obj,
    say,
    serve,
    tool,
)

SECRET = os.environ.get("OBSERVATORY_SECRET", "")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xfb\xff" * 30).decode()
KINDS = ["star", "galaxy", "nebula"]
FILTERS = ["clear", "red", "green", "h-alpha"]
INSTRUMENTS = ["camera", "spectrograph"]


TARGET_ID = {"type": "string", "pattern": "^tgt-[0-9]{3,}$", "description": "ID of a target."}
BOOKING_ID = {"type": "string", "pattern": "^bk-[0-9]{3,}$", "description": "ID of a booking."}
NAME = {"type": "string", "minLength": 1, "maxLength": 60}
NOTE = {"type": ["string", "null"], "maxLength": 300}
TAGS = listed({"type": "string", "maxLength": 30}, maxItems=4)
PRIORITY = {"type": "integer", "minimum": 0, "maximum": 9}
TARGET = obj(
    ["id", "name", "kind", "magnitude", "note", "tags", "priority"],
    id=TARGET_ID,
    name=TEXT,
    kind={"enum": KINDS},
    magnitude={"type": ["number", "null"]},
    position=listed({"type": "number"}, minItems=2, maxItems=2),
    note={"type": ["string", "null"]},
    tags=listed(TEXT),
    priority={"type": "integer"},
)
BOOKING = obj(
    ["id", "target_id", "night", "hours", "instrument", "status"],
    id=BOOKING_ID,
    target_id=TARGET_ID,
    night=TEXT,
    hours={"type": "integer"},
    instrument={"enum": INSTRUMENTS},
    status={"enum": ["booked", "cancelled"]},
)
EXPRESSION = {
    "anyOf": [
        obj(["lit"], lit={"type": "number", "minimum": -1000, "maximum": 1000}),
        obj(
            ["op", "args"],
            op={"enum": ["add", "max"]},
            args=listed({"$ref": "#/$defs/expression"}, minItems=1, maxItems=4),
        ),
    ]
}
FRAME = obj(
    ["seconds", "count"],
    seconds={"type": "number", "exclusiveMinimum": 0, "maximum": 600, "multipleOf": 0.5},
    count={"type": "integer", "minimum": 0, "maximum": 50},
)


TOOLS = [
    tool(
        "create_target",
        "Add a target to the catalogue.",
        {
            **obj(
                ["name", "kind"],
                name=NAME,
                kind={"enum": KINDS},
                magnitude={"type": "number", "minimum": -5, "maximum": 30},
                ra={"type": "number", "minimum": 0, "exclusiveMaximum": 360},
                dec={"type": "number", "minimum": -90, "maximum": 90},
                note=NOTE,
                tags=TAGS,
            ),
            "dependentRequired": {"ra": ["dec"], "dec": ["ra"]},
        },
        obj(["target"], target=TARGET),
        **SAFE,
    ),
    tool("show_target", "Show a target.", obj(["id"], id=TARGET_ID), TARGET, **READ),
    tool(
        "list_targets",
        "List targets, a page at a time.",
        obj(
            [],
            cursor={"type": "string", "description": "The cursor of the page before."},
            size={"type": "integer", "minimum": 1, "maximum": 40},
            kind={"enum": KINDS},
        ),
        obj(["items", "cursor"], items=listed(TARGET), cursor={"type": ["string", "null"]}),
        **READ,
    ),
    tool(
        "edit_target",
        "Change a target. What is not given stays.",
        {
            **obj(["id"], id=TARGET_ID, name=NAME, note=NOTE, tags=TAGS, priority=PRIORITY),
            "minProperties": 2,
        },
        obj(["target"], target=TARGET),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "delete_target",
        "Delete a target.",
        obj(["id"], id=TARGET_ID),
        obj(["deleted"], deleted=TARGET_ID),
        **DESTROYS,
    ),
    tool(
        "book_slot",
        "Book an instrument for a target.",
        obj(
            ["target_id", "night", "hours", "instrument"],
            target_id=TARGET_ID,
            night={"type": "string", "pattern": "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$"},
            hours={"type": "integer", "minimum": 1, "maximum": 8},
            instrument={"enum": INSTRUMENTS},
        ),
        obj(["booking"], booking=BOOKING),
        **SAFE,
    ),
    tool(
        "cancel_slot",
        "Cancel a booking.",
        obj(["id"], id=BOOKING_ID),
        obj(["booking"], booking=BOOKING),
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "list_bookings",
        "List bookings, the oldest first.",
        obj(
            [],
            page={"type": "integer", "minimum": 1, "maximum": 1000},
            per_page={"type": "integer", "minimum": 1, "maximum": 25},
        ),
        obj(["bookings", "count"], bookings=listed(BOOKING), count={"type": "integer"}),
        **READ,
    ),
    tool(
        "match_catalog",
        "Find targets whose names contain a text.",
        obj(
            ["query"],
            query={"type": "string", "maxLength": 120},
            limit={"type": "integer", "minimum": 1, "maximum": 50},
        ),
        obj(
            ["query", "matches"],
            query=TEXT,
            matches=listed(obj(["id", "name"], id=TARGET_ID, name=TEXT)),
        ),
        **READ,
    ),
    tool(
        "exposure_time",
        "Add up the exposures of a night.",
        obj(
            ["filter", "frames"],
            filter={"enum": FILTERS},
            binning={"enum": [1, 2, 4]},
            frames=listed(FRAME, minItems=1, maxItems=12),
        ),
        obj(
            ["total", "average"],
            total={"type": "number", "minimum": 0},
            average={"type": ["number", "null"]},
        ),
        **READ,
    ),
    tool(
        "evaluate",
        "Evaluate an expression.",
        {
            **obj(["expression"], expression={"$ref": "#/$defs/expression"}),
            "$defs": {"expression": EXPRESSION},
        },
        obj(["value", "depth"], value={"type": "number"}, depth={"type": "integer"}),
        **READ,
    ),
    tool("render_chart", "Draw a chart around a target.", obj(["id"], id=TARGET_ID), **READ),
    tool(
        "weather_log",
        "Show the weather of the last nights.",
        obj([], station={"enum": ["dome", "mast"]}),
        obj(["lines"], lines=listed(TEXT)),
        **READ,
    ),
]
PROMPTS = [
    {
        "name": "plan_night",
        "description": "Plan a night.",
        "arguments": [{"name": "target", "required": True}, {"name": "style"}],
    }
]
SCHEMAS = {item["name"]: item for item in TOOLS}


class Store:
    """Targets, bookings and the weather."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.targets: dict[str, dict[str, Any]] = {}
        self.bookings: dict[str, dict[str, Any]] = {}
        self.numbers = {"tgt": 100, "bk": 100}
        self.is_open = False
        self.weather = [
            f"{station}: night {n} was clear" for n in range(3) for station in ("dome", "mast")
        ]
        self.shown: list[str] = []
        self.asked = 0
        self.query = ""
        names = ["Vega", "Andromeda", "Orion", "Sirius", "Whirlpool", "Crab", "Deneb", "Rigel"]
        for number, name in enumerate(names):
            self.add(name, KINDS[number % 2], 1.5 * number, ["bright"], None)
        self.targets["tgt-103"].update(magnitude=None, note="often", tags=[])
        self.snapshot = copy.deepcopy(self.targets)
        self.book("tgt-101", "2026-05-01", 2, "camera")
        self.book("tgt-102", "2026-05-02", 3, "spectrograph")
        self.is_open = True

    def number(self, letters: str) -> str:
        following = self.numbers[letters] + 1
        if bug("s_race") and letters == "bk" and self.is_open:
            self.pause(0.02)
        self.numbers[letters] = following
        return f"{letters}-{following}"

    def pause(self, seconds: float) -> None:
        """Release the lock for a moment."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()

    def add(self, name: str, kind: str, magnitude: Any, tags: list[str], note: Any) -> Any:
        target = {"id": self.number("tgt"), "name": name, "kind": kind, "magnitude": magnitude}
        target |= {"note": note, "tags": list(tags), "priority": 5}
        self.targets[target["id"]] = target
        return target

    def target(self, id: str) -> dict[str, Any]:
        if id not in self.targets:
            text = f"no target {id}"
            raise ToolError(f"{text} (cache key {SECRET})" if bug("l_env") else text)
        return self.targets[id]

    def book(self, target_id: str, night: str, hours: int, instrument: str) -> Any:
        booking = {"id": self.number("bk"), "target_id": target_id, "night": night, "hours": hours}
        booking |= {"instrument": instrument, "status": "booked"}
        self.bookings[booking["id"]] = booking
        return booking


STORE = Store()


def create_target(name: str, kind: str, **more: Any) -> Any:
    if bug("c_brace"):
        name = name.format()
    if bug("a_zero") and more.get("magnitude", 1) == 0:
        raise ToolError("invalid argument magnitude: a magnitude is required")
    if bug("l_log") and len(name) > 40:
        data = f"sent Authorization: Bearer {TOKEN}"
        say({"method": "notifications/message", "params": {"level": "debug", "data": data}})
    tags, note = more.get("tags", []), more.get("note")
    target = STORE.add(name, kind, more.get("magnitude"), tags, note)
    if "ra" in more and "dec" in more:
        target["position"] = [more["ra"], more["dec"]]
    return {"target": target}


TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkb21lIiwiZXhwIjoxOTk5OTk5OTk5fQ.Zm9yLXRoZS1kb21lLW9ubHk"
GITHUB = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def show_target(id: str) -> Any:
    target = STORE.target(id)
    if bug("n_show") and target["note"] is None:
        target["note"] = "seen"
    result = copy.deepcopy(target)
    if bug("o_magnitude") and result["magnitude"] is None:
        del result["magnitude"]
    if bug("g_grow"):
        STORE.shown.append(f"shown {id} at {len(STORE.shown)}. " * 20)
    return result


def list_targets(cursor: str = "0", size: int = 5, kind: Any = None) -> Any:
    if bug("h_cursor") and not cursor.isdecimal():
        time.sleep(600)
    if not (cursor.isascii() and cursor.isdecimal()):
        raise ToolError("unknown cursor")
    start = int(cursor)
    source = STORE.snapshot if bug("s_stale") else STORE.targets
    targets = [item for item in source.values() if kind is None or item["kind"] == kind]
    if bug("n_list") and kind is not None and targets:
        targets[0]["tags"].clear()
    if bug("g_order") and size == 1:
        targets.reverse()
    first = max(0, start - 1) if bug("g_repeat") and size == 2 else start
    page = targets[first : start + size]
    if bug("o_empty") and not targets:
        page = None
    more = start + size < len(targets)
    return {"items": page, "cursor": str(start + size) if more else None}


def edit_target(id: str, **changes: Any) -> Any:
    target = STORE.target(id)
    if bug("a_null") and "note" in changes and changes["note"] is None:
        raise ToolError("invalid argument note: expected a string")
    if bug("c_emoji") and changes.get("note"):
        changes["note"].encode("latin-1", "strict") if max(changes["note"]) > "\uffff" else None
    if bug("s_falsy"):
        changes = {key: value for key, value in changes.items() if value or value is None}
    if bug("n_edit") and changes.get("note") and target["note"]:
        changes["note"] = (target["note"] + changes["note"])[:900]
    target.update(changes)
    return {"target": target}


def delete_target(id: str) -> Any:
    if id not in STORE.targets and bug("p_success"):
        return [{"type": "text", "text": f"error: no target {id}"}]
    STORE.target(id)
    if not bug("s_deleted"):
        del STORE.targets[id]
    return {"deleted": id}


def book_slot(target_id: str, night: str, hours: int, instrument: str) -> Any:
    STORE.target(target_id)
    if bug("a_one_hour") and hours == 1:
        raise ToolError("invalid argument hours: must be at least 2")
    if bug("n_book"):
        bookings = STORE.bookings.items()
        STORE.bookings = {key: item for key, item in bookings if item["target_id"] != target_id}
    booking = copy.deepcopy(STORE.book(target_id, night, hours, instrument))
    if bug("o_status") and hours == 8:
        booking["status"] = "full night"
    return {"booking": booking}


def cancel_slot(id: str) -> Any:
    if id not in STORE.bookings:
        where = " in mysql://observer:hunter2pass@10.0.0.5/slots" if bug("l_dsn") else ""
        raise ToolError(f"no booking {id}{where}")
    booking = STORE.bookings[id]
    if bug("h_cancel") and booking["status"] == "cancelled":
        time.sleep(600)
    booking["status"] = "cancelled"
    return {"booking": booking}


def list_bookings(page: int = 1, per_page: int = 10) -> Any:
    bookings = list(STORE.bookings.values())
    start = (page - 1) * per_page
    entries = bookings[start : start + per_page]
    if bug("g_largest") and per_page == 25:
        entries = entries[:-1]
    return {"bookings": entries, "count": len(bookings)}


def match_catalog(query: str, limit: int = 20) -> Any:
    if bug("c_nul") and "\0" in query:
        os._exit(9)
    if bug("h_backslash") and query.endswith("\\"):
        time.sleep(600)
    if bug("h_empty") and not query:
        time.sleep(600)
    if bug("a_longest") and len(query) >= 120:
        raise ToolError("invalid argument query: too long")
    text = query
    if bug("s_mixed"):
        STORE.query = query
        STORE.pause(0.01)
        text = STORE.query
    matches = [
        {"id": item["id"], "name": item["name"]}
        for item in STORE.targets.values()
        if query.lower() in item["name"].lower()
    ]
    return {"query": text, "matches": matches[:limit]}


def exposure_time(filter: str, frames: list[Any], binning: int = 1) -> Any:
    if bug("a_filter") and filter == "h-alpha":
        raise ToolError("invalid argument filter: must be one of clear, red, green")
    if bug("h_frames") and len(frames) == 12:
        time.sleep(600)
    total = sum(frame["seconds"] * frame["count"] for frame in frames)
    count = sum(frame["count"] for frame in frames)
    average = total / count if count or bug("c_no_frames") else None
    if bug("o_pair") and filter == "clear" and binning == 4:
        total = -total - 1
    return {"total": total, "average": average}


def evaluate(expression: Any) -> Any:
    def value(node: Any) -> tuple[float, int]:
        if "lit" in node:
            return node["lit"], 1
        parts = [value(arg) for arg in node["args"]]
        numbers = [number for number, _ in parts]
        return sum(numbers) if node["op"] == "add" else max(numbers), 1 + max(d for _, d in parts)

    number, depth = value(expression)
    return {"value": number, "depth": depth + 0.5 if bug("o_depth") and depth > 2 else depth}


def render_chart(id: str) -> Any:
    target = STORE.target(id)
    data = PNG.replace("+", "-").replace("/", "_") if bug("p_base64") else PNG
    return [
        {"type": "text", "text": f"The sky around {target['name']}"},
        {"type": "image", "data": data, "mimeType": "image/png"},
    ]


def weather_log(station: Any = None) -> Any:
    if bug("l_stderr") and station == "mast":
        print("retry with AKIAIOSFODNN7QZJ4PLE", file=sys.stderr, flush=True)
    if bug("g_slow"):
        STORE.asked += 1
        time.sleep(0.002 * STORE.asked)
    lines = [line for line in STORE.weather if not station or line.startswith(station)]
    if bug("n_weather"):
        STORE.weather = STORE.weather[1:]
    return {"lines": lines}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = copy.deepcopy(schema)
    members = schema["properties"]
    if bug("f_night") and name == "book_slot":
        members["night"]["pattern"] = "20[0-9]{2}-[01][0-9]-[0-3][0-9]$"
    if bug("f_half_seconds") and name == "exposure_time":
        del members["frames"]["items"]["properties"]["seconds"]["multipleOf"]
    if bug("f_nothing") and name == "edit_target":
        del schema["minProperties"]
    if bug("f_alone") and name == "create_target":
        del schema["dependentRequired"]
    if bug("f_tags") and name == "create_target":
        members["tags"]["items"]["type"] = ["string", "integer"]
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        code: Any = "E_ARGUMENTS" if bug("p_code") else -32602
        raise RpcError(code, f"invalid arguments: {path}: {error.validator}")
    with STORE.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    content = [{"type": "text", "text": json.dumps(result)}]
    if bug("l_result") and name == "match_catalog" and not result["matches"]:
        content.append({"type": "text", "text": f"debug: index read with {GITHUB}"})
    if bug("g_grow") and name == "show_target":
        content.append({"type": "text", "text": "".join(STORE.shown)})
    return {"content": content, "structuredContent": result}


def answer(method: str, params: Any) -> Any:  # noqa: PLR0911 - one for each method
    if method == "initialize":
        return initialized("observatory", params, logging={})
    if method in ("ping", "logging/setLevel"):
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params.get("arguments") or {})
    if method == "resources/list":
        return {"resources": [{"uri": "sky://names", "name": "names", "mimeType": "text/plain"}]}
    if method == "resources/templates/list":
        return {"resourceTemplates": [{"uriTemplate": "sky://targets/{id}", "name": "target"}]}
    if method == "resources/read":
        return {"contents": [read(params["uri"])]}
    if method == "prompts/list":
        return {"prompts": PROMPTS}
    if method == "prompts/get":
        return prompt(params["name"], params.get("arguments") or {})
    raise RpcError(-32601, f"method {method} not found")


def read(uri: str) -> Any:
    with STORE.lock:
        if uri == "sky://names":
            names = "\n".join(target["name"] for target in STORE.targets.values())
            return {"uri": uri, "mimeType": "text/plain", "text": names}
        key = uri.removeprefix("sky://targets/")
        if key in STORE.targets:
            if bug("p_resource"):
                return {"uri": uri, "mimeType": "application/json"}
            return {
                "uri": uri,
                "mimeType": "application/json",
                "text": json.dumps(STORE.targets[key]),
            }
    raise RpcError(-32602, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "plan_night" or "target" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument target is missing")
    style = arguments["style"] if bug("c_prompt") else arguments.get("style", "short")
    text = f"Plan a night for {arguments['target']} in a {style} style."
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return None if failed and bug("p_error_id") and method == "tools/call" else given


if __name__ == "__main__":
    serve(answer, id_of)
