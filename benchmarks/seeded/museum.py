"""A server of a museum's collection, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import threading
import time
import traceback
from datetime import date
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

SECRET = os.environ.get("MUSEUM_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
DEPARTMENTS = ["painting", "sculpture", "prints", "textiles"]
GRADES = ["A", "B", "C", "D", "E"]
DAMAGES = ["crack", "stain", "tear", "insects"]
ROOMS = {"hall": 40, "gallery-1": 60, "gallery-2": 60, "depot": 100000}
WHOLE = {"type": "integer", "minimum": 0}
AMOUNT = {"type": "number"}
SWITCH = {"type": "boolean"}
OBJECT_ID = {"type": "string", "minLength": 1, "description": "ID of an object."}
EXHIBITION_ID = {"type": "string", "minLength": 1, "description": "ID of an exhibition."}
LOAN_ID = {"type": "string", "minLength": 1, "description": "ID of a loan."}
DEPARTMENT = {"type": "string", "enum": DEPARTMENTS}
ROOM = {"type": "string", "enum": list(ROOMS)}
DAY = {"type": "string", "format": "date"}
YEAR = {"type": ["integer", "null"], "minimum": -3000, "maximum": 2100}
LENGTH = {"type": "number", "exclusiveMinimum": 0, "maximum": 2000, "description": "Centimeters."}
SIZE = obj(["height", "width"], height=LENGTH, width=LENGTH, depth=LENGTH)
OWNER = obj(
    ["name"],
    name={"type": "string", "minLength": 1, "maxLength": 100},
    since=YEAR,
    city={"type": "string", "maxLength": 60},
)
NEW_OBJECT = {
    "title": {"type": "string", "minLength": 1, "maxLength": 160},
    "maker": {"type": ["string", "null"], "maxLength": 100},
    "department": DEPARTMENT,
    "year": YEAR,
    "materials": listed({"type": "string", "minLength": 1, "maxLength": 40}, maxItems=8),
    "size": SIZE,
    "owners": listed(OWNER, maxItems=20),
    "fragile": SWITCH,
    "text": {"type": "string", "maxLength": 4000},
}
OBJECT = obj(
    ["object_id", *NEW_OBJECT, "room", "checked"],
    object_id=OBJECT_ID,
    **NEW_OBJECT | {"size": {"anyOf": [SIZE, {"type": "null"}]}},
    room=ROOM,
    checked=SWITCH,
)
EXHIBITION = obj(
    ["exhibition_id", "title", "opens", "closes", "curator", "object_ids"],
    exhibition_id=EXHIBITION_ID,
    title=TEXT,
    opens=DAY,
    closes=DAY,
    curator={"type": ["string", "null"]},
    object_ids=listed(OBJECT_ID),
)
BORROWER = obj(
    ["name", "country"],
    name={"type": "string", "minLength": 1, "maxLength": 100},
    country={"type": "string", "pattern": "^[A-Z]{2}$", "description": "Code of a country."},
    contact={"type": "string", "maxLength": 200},
)
LOAN = obj(
    ["loan_id", "object_id", "borrower", "days", "insured_value", "open"],
    loan_id=LOAN_ID,
    object_id=OBJECT_ID,
    borrower=BORROWER,
    days={"type": "integer", "minimum": 1},
    insured_value=AMOUNT,
    open=SWITCH,
)
DAMAGE = obj(
    ["kind"],
    kind={"enum": DAMAGES},
    severity={"type": "integer", "minimum": 1, "maximum": 5},
)
REPORT = obj(
    ["grade", "damages", "remark"],
    grade={"type": "string", "enum": GRADES},
    damages=listed(DAMAGE),
    remark=TEXT,
)
FILTER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "department": DEPARTMENT,
        "before": {"type": "integer"},
        "fragile": SWITCH,
        "all": listed({"$ref": "#/$defs/filter"}),
        "any": listed({"$ref": "#/$defs/filter"}),
        "not": {"$ref": "#/$defs/filter"},
    },
    "additionalProperties": False,
}

TOOLS = [
    tool(
        "list_objects",
        "List the objects of the collection.",
        obj(
            [],
            department=DEPARTMENT,
            fragile=SWITCH,
            limit={"type": "integer", "minimum": 1, "maximum": 60, "default": 12},
            cursor={"type": "string", "description": "next_cursor of the page before."},
        ),
        obj(
            ["objects", "total"],
            objects=listed(OBJECT),
            total=WHOLE,
            next_cursor={"type": "string"},
        ),
        **READ,
    ),
    tool("get_object", "Get an object.", obj(["object_id"], object_id=OBJECT_ID), OBJECT, **READ),
    tool(
        "acquire_object",
        "Add an object to the collection.",
        obj(["title", "department"], **NEW_OBJECT),
        OBJECT,
        **SAFE,
    ),
    tool(
        "revise_object",
        "Revise an object. Only the given members change.",
        obj(["object_id"], object_id=OBJECT_ID, **NEW_OBJECT),
        OBJECT,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "deaccession_object",
        "Remove an object from the collection.",
        obj(["object_id"], object_id=OBJECT_ID, reason={"type": "string", "maxLength": 300}),
        obj(["removed"], removed=OBJECT_ID),
        **DESTROYS,
    ),
    tool(
        "search_collection",
        "Search the titles and makers of objects for a text, in upper or lower case.",
        obj(
            ["query"],
            query={"type": "string", "maxLength": 200},
            field={"enum": ["title", "maker", "both"], "default": "both"},
            page={"type": "integer", "minimum": 1, "default": 1},
            per_page={"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        ),
        obj(["objects", "pages"], objects=listed(OBJECT), pages=WHOLE),
        **READ,
    ),
    tool(
        "list_rooms",
        "List the rooms with the number of objects in each.",
        obj([], min_objects=WHOLE),
        obj(["rooms"], rooms=listed(obj(["room", "objects"], room=ROOM, objects=listed(TEXT)))),
        **READ,
    ),
    tool(
        "place_object",
        "Move an object to a room.",
        obj(["object_id", "room"], object_id=OBJECT_ID, room=ROOM),
        OBJECT,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "create_exhibition",
        "Plan an exhibition.",
        obj(
            ["title", "opens", "closes"],
            title={"type": "string", "minLength": 1, "maxLength": 120},
            opens=DAY,
            closes=DAY,
            curator={"type": ["string", "null"], "maxLength": 80},
        ),
        EXHIBITION,
        **SAFE,
    ),
    tool(
        "get_exhibition",
        "Get an exhibition.",
        obj(["exhibition_id"], exhibition_id=EXHIBITION_ID),
        EXHIBITION,
        **READ,
    ),
    tool(
        "list_exhibitions",
        "List exhibitions in the order in which they were planned.",
        obj(
            [],
            curator={"type": "string", "maxLength": 80},
            offset={"type": "integer", "minimum": 0, "default": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 40, "default": 10},
        ),
        obj(["exhibitions", "total"], exhibitions=listed(EXHIBITION), total=WHOLE),
        **READ,
    ),
    tool(
        "add_to_exhibition",
        "Add objects to an exhibition.",
        obj(
            ["exhibition_id", "object_ids"],
            exhibition_id=EXHIBITION_ID,
            object_ids=listed(OBJECT_ID, minItems=1, maxItems=50),
        ),
        EXHIBITION,
        **SAFE,
    ),
    tool(
        "lend_object",
        "Lend an object to another museum.",
        obj(
            ["object_id", "borrower", "days"],
            object_id=OBJECT_ID,
            borrower=BORROWER,
            days={"type": "integer", "minimum": 1, "maximum": 730},
            insured_value={"type": "number", "minimum": 0, "maximum": 1e9},
        ),
        LOAN,
        **SAFE,
    ),
    tool(
        "return_loan",
        "Note that an object came back.",
        obj(["loan_id"], loan_id=LOAN_ID, days_used=WHOLE),
        obj(["loan", "days_late"], loan=LOAN, days_late=WHOLE),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "list_loans",
        "List all loans, the open ones, or the returned ones.",
        obj(
            [],
            open=SWITCH,
            page={"type": "integer", "minimum": 1, "default": 1},
            size={"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        ),
        obj(["loans", "total"], loans=listed(LOAN), total=WHOLE),
        **READ,
    ),
    tool(
        "report_condition",
        "Report the condition of an object.",
        obj(
            ["object_id", "grade"],
            object_id=OBJECT_ID,
            grade={"type": "string", "enum": GRADES},
            damages=listed(DAMAGE, maxItems=10),
            remark={"type": "string", "maxLength": 500},
        ),
        REPORT,
        **SAFE,
    ),
    tool(
        "condition_history",
        "Get the reports about the condition of an object.",
        obj(["object_id"], object_id=OBJECT_ID),
        obj(["reports", "damages"], reports=listed(REPORT), damages=WHOLE, worst={"enum": GRADES}),
        **READ,
    ),
    tool(
        "quote_insurance",
        "Compute the price of an insurance, for a number of days or until a day.",
        {
            **obj(
                ["value"],
                value={"type": "number", "minimum": 0, "maximum": 1e9},
                days={"type": "integer", "minimum": 0, "maximum": 730},
                months={"type": "integer", "minimum": 0, "maximum": 24},
                objects={"type": "integer", "minimum": 0, "maximum": 500},
                fragile=SWITCH,
                courier=SWITCH,
                client={"type": "string", "maxLength": 100},
            ),
            "oneOf": [{"required": ["days"]}, {"required": ["months"]}],
        },
        obj(
            ["price", "crates", "per_mille", "client", "extras"],
            price=AMOUNT,
            crates=WHOLE,
            per_mille=AMOUNT,
            client=TEXT,
            extras=listed(obj(["name", "price"], name=TEXT, price=AMOUNT)),
        ),
        **READ,
    ),
    tool(
        "count_objects",
        "Count the objects that pass a filter.",
        {**obj(["filter"], filter={"$ref": "#/$defs/filter"}), "$defs": {"filter": FILTER}},
        obj(["count"], count=WHOLE),
        **READ,
    ),
    tool(
        "print_label",
        "Make the label of an object, as a text, an image, or a link to a page.",
        obj(["object_id"], object_id=OBJECT_ID, form={"enum": ["text", "image", "link"]}),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "tour",
        "description": "Write a tour through a department.",
        "arguments": [
            {"name": "department", "required": True},
            {"name": "minutes"},
            {"name": "audience"},
        ],
    }
]


class Museum:
    """Objects, exhibitions, loans and reports."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.objects: dict[str, Any] = {}
        self.exhibitions: dict[str, Any] = {}
        self.loans: dict[str, Any] = {}
        self.reports: dict[str, list[Any]] = {}
        self.removed: list[Any] = []
        self.acquired = 0
        self.log: list[bytes] = []
        self.waits = 0
        self.client = ""
        self.sought: list[str] = []
        titles = ["Harbor at dawn", "Blue jug", "The reader", "Winter coat", "Two hares"]
        makers = ["Ida Berg", "Pál Kós", None]
        for number in range(26):
            self.add_object(
                f"{titles[number % 5]} {number // 5 + 1}",
                DEPARTMENTS[number % 4],
                maker=makers[number % 3],
                year=1650 + 11 * number,
                materials=["oil", "canvas"][: number % 3],
                fragile=number % 4 == 1,
                size={"height": 40, "width": 30.5} if number % 2 else None,
            )
        ids = list(self.objects)
        for number, title in enumerate(["Light", "Made by hand", "New things"]):
            added = self.add_exhibition(title, "2027-03-01", f"2027-0{number + 5}-01")
            added["object_ids"] = ids[number : 3 * number + 1]
        for number in range(9):
            borrower = {"name": f"Museum of {number}", "country": "NL"}
            loan = self.add_loan(ids[number], borrower, 30 + number)
            loan["open"] = number % 3 > 0
        self.reports[ids[0]] = [{"grade": "B", "damages": [{"kind": "stain"}], "remark": ""}]

    def add_object(self, title: str, department: str, **more: Any) -> Any:
        self.acquired += 1
        added: dict[str, Any] = {"object_id": f"M{self.acquired:05}", "title": title}
        added |= {"maker": None, "department": department, "year": None, "materials": []}
        added |= {"size": None, "owners": [], "fragile": False, "text": "", **more}
        added |= {"room": "depot", "checked": False}
        self.objects[added["object_id"]] = added
        return added

    def add_exhibition(self, title: str, opens: str, closes: str, curator: Any = None) -> Any:
        added: dict[str, Any] = {"exhibition_id": f"ex-{len(self.exhibitions) + 1}"}
        added |= {"title": title, "opens": opens, "closes": closes}
        added |= {"curator": curator, "object_ids": []}
        self.exhibitions[added["exhibition_id"]] = added
        return added

    def add_loan(self, object_id: str, borrower: Any, days: int, insured_value: Any = 0) -> Any:
        added: dict[str, Any] = {"loan_id": f"loan-{len(self.loans) + 1}", "object_id": object_id}
        added |= {"borrower": borrower, "days": days}
        added |= {"insured_value": insured_value, "open": True}
        self.loans[added["loan_id"]] = added
        return added

    def object(self, object_id: str) -> Any:
        if object_id not in self.objects:
            raise ToolError(f"no object has the ID {object_id}")
        return self.objects[object_id]

    def exhibition(self, exhibition_id: str) -> Any:
        if exhibition_id not in self.exhibitions:
            if bug("l_env"):
                raise ToolError(f"no exhibition {exhibition_id} (db=main, key={SECRET})")
            raise ToolError(f"no exhibition has the ID {exhibition_id}")
        return self.exhibitions[exhibition_id]

    def pause(self, seconds: float) -> None:
        """Let other requests run, as while waiting for a database."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()


def day_of(text: str) -> date:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f"{text} is not a date, for example 2027-03-01") from None


MUSEUM = Museum()


def list_objects(
    department: Any = None, fragile: Any = None, limit: int = 12, cursor: str = ""
) -> Any:
    start = 0
    if cursor:
        if not re.fullmatch("[0-9]{1,7}", cursor, re.ASCII):
            raise ToolError("cursor: use the next_cursor of a page")
        start = int(cursor)
    matches = [
        item
        for item in MUSEUM.objects.values()
        if (department is None or item["department"] == department)
        and (fragile is None or item["fragile"] == fragile)
    ]
    end = start + limit
    result: dict[str, Any] = {"objects": matches[start:end], "total": len(matches)}
    if bug("o_total") and fragile is False:
        result["total"] = None
    if end < len(matches) - bug("g_last"):
        result["next_cursor"] = str(end)
    return result


def get_object(object_id: str) -> Any:
    return MUSEUM.object(object_id)


def acquire_object(title: str, department: str, **more: Any) -> Any:
    if bug("a_title") and len(title) > 120:
        raise ToolError("title: is too long")
    if bug("a_materials") and more.get("materials") == []:
        raise ToolError("materials: name at least one")
    return MUSEUM.add_object(title, department, **more)


def revise_object(object_id: str, **changes: Any) -> Any:
    entry = MUSEUM.object(object_id)
    if bug("a_maker") and changes.get("maker", "") is None:
        raise ToolError("maker: invalid value")
    if bug("s_falsy"):
        changes = {key: value for key, value in changes.items() if value not in (False, "", None)}
    if bug("s_owners") and "size" in changes and "owners" not in changes:
        entry["owners"] = []
        entry["materials"] = []
    entry.update(changes)
    if bug("o_year") and (changes.get("year") or 0) < 0:
        return {**entry, "year": f"{-entry['year']} BC"}
    return entry


def deaccession_object(object_id: str, reason: str = "") -> Any:
    entry = MUSEUM.object(object_id)
    if bug("l_log"):
        params = {"level": "warning", "data": {"removed": object_id, "api_key": SECRET}}
        say({"method": "notifications/message", "params": params})
    MUSEUM.removed.append(entry)
    del MUSEUM.objects[object_id]
    MUSEUM.reports.pop(object_id, None)
    return {"removed": object_id}


def search_collection(query: str, field: str = "both", page: int = 1, per_page: int = 10) -> Any:
    if bug("h_query"):
        re.search(r"^(\w+\s?)*$", query)
    if bug("l_dsn") and "'" in query:
        raise ToolError("syntax error at or near: postgres://curator:Hn7pwQ2x@db.int/museum")
    if bug("n_search") and field == "maker":
        MUSEUM.sought.append(query)
    if bug("c_query"):
        ("title like %%" + query + "%%") % ()
    names = ["title", "maker"] if field == "both" else [field]
    searched = list(MUSEUM.objects.values()) + (MUSEUM.removed if bug("s_gone") else [])
    matches = [
        item
        for item in searched
        if any(query.casefold() in (item[name] or "").casefold() for name in names)
    ]
    start = (page - 1) * per_page
    return {"objects": matches[start : start + per_page], "pages": -(-len(matches) // per_page)}


def list_rooms(min_objects: int = 0) -> Any:
    if bug("g_slow"):
        MUSEUM.waits += 1
        time.sleep(0.003 * MUSEUM.waits)
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS}
    for item in MUSEUM.objects.values():
        rooms[item["room"]].append(item["object_id"])
    matches = [{"room": room, "objects": ids} for room, ids in rooms.items()]
    return {"rooms": [item for item in matches if len(item["objects"]) >= min_objects]}


def place_object(object_id: str, room: str) -> Any:
    entry = MUSEUM.object(object_id)
    if bug("h_room") and entry["room"] == room:
        time.sleep(600)
    other_objects = [item for item in MUSEUM.objects.values() if item is not entry]
    if sum(item["room"] == room for item in other_objects) >= ROOMS[room]:
        raise ToolError(f"there is no place in {room}")
    if bug("n_place"):
        names = list(ROOMS)
        room = names[min(names.index(room) + (entry["room"] == room), 3)]
    entry["room"] = room
    return entry


def create_exhibition(title: str, opens: str, closes: str, curator: Any = None) -> Any:
    if day_of(closes) < day_of(opens):
        if bug("l_trace"):
            try:
                raise ValueError("closes < opens")
            except ValueError:
                raise ToolError(traceback.format_exc()) from None
        raise ToolError("an exhibition can't close before it opens")
    return MUSEUM.add_exhibition(title, opens, closes, curator)


def get_exhibition(exhibition_id: str) -> Any:
    return MUSEUM.exhibition(exhibition_id)


def list_exhibitions(curator: Any = None, offset: int = 0, limit: int = 10) -> Any:
    if bug("a_limit") and limit == 1:
        raise ToolError("limit: must be at least 2")
    matches = [
        item
        for item in MUSEUM.exhibitions.values()
        if curator is None or item["curator"] == curator
    ]
    start = offset - 1 if bug("g_offset") and offset else offset
    return {"exhibitions": matches[start : offset + limit], "total": len(matches)}


def add_to_exhibition(exhibition_id: str, object_ids: list[str]) -> Any:
    entry = MUSEUM.exhibition(exhibition_id)
    for object_id in object_ids:
        MUSEUM.object(object_id)
    earlier_ids = [] if bug("n_add") else entry["object_ids"]
    if bug("s_race"):
        MUSEUM.pause(0.02)
    entry["object_ids"] = [
        *earlier_ids,
        *(item for item in dict.fromkeys(object_ids) if item not in earlier_ids),
    ]
    return entry


def lend_object(object_id: str, borrower: Any, days: int, insured_value: Any = 0) -> Any:
    MUSEUM.object(object_id)
    return MUSEUM.add_loan(object_id, borrower, days, insured_value)


def return_loan(loan_id: str, days_used: Any = None) -> Any:
    if loan_id not in MUSEUM.loans:
        raise ToolError(f"no loan has the ID {loan_id}")
    loan = MUSEUM.loans[loan_id]
    if bug("h_return") and not loan["open"]:
        time.sleep(600)
    loan["open"] = False
    late = 0 if days_used is None else days_used - loan["days"]
    return {"loan": loan, "days_late": late if bug("o_late") else max(late, 0)}


def list_loans(open: Any = None, page: int = 1, size: int = 20) -> Any:
    matches = list(MUSEUM.loans.values())
    if bug("h_page"):
        while (page - 1) * size > len(matches) + 1000:
            time.sleep(0.1)
    start = (page - 1) * size
    fitting = [loan for loan in matches if open is None or loan["open"] == open]
    if bug("g_filter"):
        part = [loan for loan in matches[start : start + size] if open in (None, loan["open"])]
        return {"loans": part, "total": len(fitting)}
    return {"loans": fitting[start : start + size], "total": len(fitting)}


def report_condition(object_id: str, grade: str, damages: Any = (), remark: str = "") -> Any:
    MUSEUM.object(object_id)
    report = {"grade": grade.upper(), "damages": list(damages), "remark": remark}
    earlier_reports = MUSEUM.reports.get(object_id, [])
    if bug("n_report") and grade == "E":
        earlier_reports = []
    MUSEUM.reports[object_id] = [*earlier_reports, report]
    return report


def condition_history(object_id: str) -> Any:
    MUSEUM.object(object_id)
    if bug("g_memory"):
        MUSEUM.log.append(os.urandom(400_000))
    reports = MUSEUM.reports.get(object_id, [])
    damages = sum(len(report["damages"]) for report in reports)
    result: dict[str, Any] = {"reports": reports, "damages": damages}
    if reports or bug("o_worst"):
        result["worst"] = max((report["grade"] for report in reports), default=None)
    return result


def quote_insurance(value: float, **more: Any) -> Any:
    client = more.get("client", "")
    if bug("s_client"):
        MUSEUM.client = client
        MUSEUM.pause(0.01)
        client = MUSEUM.client
    days = more["days"] if "days" in more else 30 * more["months"]
    fragile, courier = more.get("fragile", False), more.get("courier", False)
    objects, crates = more.get("objects", 1), 0
    per_crate = 2 if fragile else 5
    if bug("h_crates") and fragile and courier:
        per_crate = 0
    while crates * per_crate < objects:
        crates += 1
    price = value * 0.00001 * days + 12 * crates
    extras: list[Any] = []
    if courier:
        extras.append({"name": "courier", "price": 180})
    if fragile:
        surcharge = {"name": "fragile", "price": price * 0.2}
        extras.append("fragile: 20 %" if bug("o_extras") and courier else surcharge)
    per_mille = price / value * 1000 if value or bug("c_value") else 0
    return {
        "price": price,
        "crates": crates,
        "per_mille": per_mille,
        "client": client,
        "extras": extras,
    }


def count_objects(filter: Any) -> Any:
    def passes(item: Any, rule: Any) -> bool:
        if "department" in rule and item["department"] != rule["department"]:
            return False
        if "before" in rule and not (item["year"] is not None and item["year"] < rule["before"]):
            return False
        if "fragile" in rule:
            if bug("n_count"):
                item["checked"] = True
            if item["fragile"] != rule["fragile"]:
                return False
        if not all(passes(item, part) for part in rule.get("all", [])):
            return False
        if "any" in rule:
            hits = [passes(item, part) for part in rule["any"]]
            if not (max(hits) if bug("c_filter") else any(hits)):
                return False
        return "not" not in rule or not passes(item, rule["not"])

    return {"count": sum(passes(item, filter) for item in MUSEUM.objects.values())}


def print_label(object_id: str, form: str = "text") -> Any:
    item = MUSEUM.object(object_id)
    if form == "image":
        kind = "image/gif" if bug("p_mime") else "image/png"
        return [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": kind}]
    if form == "link":
        uri = f"museum://labels/{object_id}" + (f"?token={SECRET}" if bug("l_uri") else "")
        return [{"type": "resource_link", "uri": uri, "name": "label"}]
    maker = item["maker"].upper() if bug("c_label") else (item["maker"] or "unknown").upper()
    return [{"type": "text", "text": f"{maker}, {item['title']}, {item['year'] or 'undated'}"}]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_size") and name == "acquire_object":
        members["size"]["properties"]["height"] = {"type": "number", "minimum": 0}
    if bug("f_materials") and name == "acquire_object":
        del members["materials"]["maxItems"]
    if bug("f_grade") and name == "report_condition":
        members["grade"]["enum"] += [grade.lower() for grade in GRADES]
    if bug("f_period") and name == "quote_insurance":
        schema["anyOf"] = schema.pop("oneOf")
    if bug("f_country") and name == "lend_object":
        members["borrower"]["properties"]["country"]["pattern"] = "^[A-Z]{2}"
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
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    if bug("a_value") and name == "lend_object" and arguments.get("insured_value") == 0:
        raise RpcError(-32602, "invalid arguments: insured_value: must be positive")
    with MUSEUM.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            content = [{"type": "text", "text": str(error)}]
            if bug("p_failed") and name == "return_loan":
                return {"content": content, "structuredContent": {}, "isError": False}
            return {"content": content, "isError": True}
    if isinstance(result, list):
        return {"content": result}
    kind = "json" if bug("p_type") and name == "list_rooms" else "text"
    return {"content": [{"type": kind, "text": json.dumps(result)}], "structuredContent": result}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        capabilities: dict[str, Any] = {"logging": {}} if bug("l_log") else {}
        return initialized("museum", params, **capabilities)
    answers = {
        "ping": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [{"uri": "museum://guide", "name": "guide", "mimeType": "text/plain"}]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [{"uriTemplate": "museum://objects/{object_id}", "name": "object"}]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
        "logging/setLevel": lambda: {},
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not entry")
    return answers[method]()


def read(uri: str) -> Any:
    with MUSEUM.lock:
        if uri == "museum://guide":
            text = "Open from ten to five. " + ", ".join(MUSEUM.sought)
            return {"uri": uri, "mimeType": "text/plain", "text": text}
        labeled = MUSEUM.objects.get(uri.partition("?")[0].removeprefix("museum://labels/"))
        if labeled:
            return {"uri": uri, "mimeType": "text/plain", "text": labeled["title"]}
        entry = MUSEUM.objects.get(uri.removeprefix("museum://objects/"))
        if entry:
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(entry)}
    raise RpcError("not_found" if bug("p_code") else -32002, f"resource {uri} not entry")


def prompt(name: str, arguments: Any) -> Any:
    if name != "tour" or "department" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument department is missing")
    minutes = arguments["minutes"] if bug("c_tour") else arguments.get("minutes", "30")
    text = f"Plan a tour of {minutes} minutes through {arguments['department']}"
    text += f" for {arguments['audience']}." if "audience" in arguments else "."
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def id_of(method: str, request_id: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return str(request_id) if bug("p_id") and failed and method == "tools/call" else request_id


if __name__ == "__main__":
    serve(answer, id_of)
