"""A server of a parcel depot over stdio, JSON-RPC without the SDK. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
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

SECRET = os.environ.get("DEPOT_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF" + b"\0" * 60
ZONES = ["local", "national", "islands"]
EVENTS = ["accepted", "loaded", "delivered", "returned"]
STATES = ["registered", "moving", "delivered", "returned", "cancelled"]
AFTER = {
    "accepted": "registered",
    "loaded": "moving",
    "delivered": "delivered",
    "returned": "returned",
}
CUSTOMER_ID = {"type": "integer", "minimum": 1, "description": "ID of a customer."}
PARCEL_ID = {"type": "string", "pattern": "^P[0-9]{4,8}$", "description": "ID of a parcel."}
GRAMS = {"type": "integer", "minimum": 1, "maximum": 31500}
CONTACT = obj(
    ["kind", "value"],
    kind={"enum": ["email", "phone"]},
    value={"type": "string", "minLength": 3, "maxLength": 80},
)
CONTACTS = listed(CONTACT, maxItems=3)
EMAIL = {"type": ["string", "null"], "maxLength": 120}
INSURANCE = obj(
    ["value", "currency"],
    value={"type": "number", "minimum": 0, "maximum": 5000},
    currency={"type": "string", "pattern": "^[A-Z]{3}$"},
)
CUSTOMER = obj(
    ["id", "name", "city", "email", "contacts", "vip", "discount"],
    id=CUSTOMER_ID,
    name=TEXT,
    city=TEXT,
    email={"type": ["string", "null"]},
    contacts=listed(CONTACT),
    vip={"type": "boolean"},
    discount={"type": "integer"},
)
PARCEL = obj(
    ["id", "sender", "recipient", "grams", "size", "fragile", "status", "flagged"],
    id=PARCEL_ID,
    sender=CUSTOMER_ID,
    recipient=TEXT,
    grams={"type": "integer"},
    size=listed({"type": "integer"}, minItems=3, maxItems=3),
    fragile={"type": "boolean"},
    insurance=INSURANCE,
    instructions={"type": "string"},
    status={"enum": STATES},
    flagged={"type": "boolean"},
)
EVENT = obj(["number", "kind", "place"], number={"type": "integer"}, kind=TEXT, place=TEXT)
BOX = obj(
    ["label"],
    label={"type": "string", "maxLength": 40},
    grams={"type": "integer", "minimum": 0, "maximum": 1000},
    contents=listed({"$ref": "#/$defs/box"}, maxItems=5),
)
NEW_CUSTOMER = {
    "name": {"type": "string", "minLength": 1, "maxLength": 50},
    "city": {"type": "string", "minLength": 1, "maxLength": 50},
    "email": EMAIL,
    "contacts": CONTACTS,
    "vip": {"type": "boolean"},
    "discount": {"type": "integer", "minimum": 0, "maximum": 40},
}

TOOLS = [
    tool(
        "register_customer",
        "Register a customer. Only a VIP gets a discount of more than 10 percent.",
        {
            **obj(["name", "city"], **NEW_CUSTOMER),
            "if": {"properties": {"vip": {"const": True}}, "required": ["vip"]},
            "else": {"properties": {"discount": {"maximum": 10}}},
        },
        obj(["customer"], customer=CUSTOMER),
        **SAFE,
    ),
    tool(
        "get_customer",
        "Show a customer.",
        obj(["customer_id"], customer_id=CUSTOMER_ID),
        obj(["customer"], customer=CUSTOMER),
        **READ,
    ),
    tool(
        "update_customer",
        "Change what is given of a customer.",
        obj(
            ["customer_id", "changes"],
            customer_id=CUSTOMER_ID,
            changes=obj(
                [],
                **{key: NEW_CUSTOMER[key] for key in ("name", "city", "email", "contacts", "vip")},
            ),
        ),
        obj(["customer"], customer=CUSTOMER),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "delete_customer",
        "Delete a customer, not the parcels.",
        obj(["customer_id"], customer_id=CUSTOMER_ID),
        obj(["deleted"], deleted=CUSTOMER_ID),
        **DESTROYS,
    ),
    tool(
        "list_customers",
        "List the customers by number.",
        obj([], after={"type": "string"}, limit={"type": "integer", "minimum": 1, "maximum": 50}),
        obj(["customers"], customers=listed(CUSTOMER), next={"type": "string"}),
        **READ,
    ),
    tool(
        "search_customers",
        "Find customers by a part of their name or city.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 200},
            field={"enum": ["name", "city"]},
        ),
        obj(["count", "customers"], count={"type": "integer"}, customers=listed(CUSTOMER)),
        **READ,
    ),
    tool(
        "create_parcel",
        "Register a parcel of a customer.",
        obj(
            ["sender", "recipient", "grams", "size"],
            sender={**CUSTOMER_ID, "description": "ID of the customer who sends it."},
            recipient={"type": "string", "minLength": 1, "maxLength": 80},
            grams=GRAMS,
            size=listed({"type": "integer", "minimum": 1, "maximum": 200}, minItems=3, maxItems=3),
            fragile={"type": "boolean"},
            insurance=INSURANCE,
            instructions={"type": "string", "maxLength": 250},
        ),
        obj(["parcel"], parcel=PARCEL),
        **SAFE,
    ),
    tool("get_parcel", "Show a parcel.", obj(["id"], id=PARCEL_ID), PARCEL, **READ),
    tool(
        "list_parcels",
        "List the parcels, the oldest first or the lightest first.",
        obj(
            [],
            offset={"type": "integer", "minimum": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 100},
            status={"enum": STATES},
            sort={"enum": ["age", "weight"]},
        ),
        obj(
            ["total", "parcels"],
            total={"type": "integer", "minimum": 0},
            parcels=listed(PARCEL),
        ),
        **READ,
    ),
    tool(
        "scan_parcel",
        "Record where a parcel was seen.",
        obj(
            ["id", "kind", "place"],
            id=PARCEL_ID,
            kind={"enum": EVENTS},
            place={"type": "string", "minLength": 1, "maxLength": 60},
        ),
        obj(["id", "status", "events"], id=PARCEL_ID, status={"enum": STATES}, events=TEXT),
        **SAFE,
        idempotentHint=False,
    ),
    tool(
        "track_parcel",
        "Show the events of a parcel.",
        obj(["id"], id=PARCEL_ID),
        obj(["id", "events"], id=PARCEL_ID, events=listed(EVENT)),
        **READ,
    ),
    tool(
        "cancel_parcel",
        "Cancel a parcel. It stays in the list.",
        obj(["id"], id=PARCEL_ID),
        obj(["parcel"], parcel=PARCEL),
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "parcel_label",
        "Draw the label of a parcel.",
        obj(["id"], id=PARCEL_ID, format={"enum": ["small", "large"]}),
        **READ,
    ),
    tool(
        "quote",
        "Tell the price of a parcel.",
        obj(
            ["grams", "zone"],
            grams=GRAMS,
            zone={"enum": ZONES},
            express={"type": "boolean"},
            insured={"type": "number", "minimum": 0, "maximum": 5000},
        ),
        obj(["zone", "cents"], zone={"enum": ZONES}, cents={"type": "integer", "minimum": 0}),
        **READ,
    ),
    tool(
        "pack",
        "Weigh a box with the boxes in it.",
        {**obj(["box"], box={"$ref": "#/$defs/box"}), "$defs": {"box": BOX}},
        obj(["grams", "boxes"], grams={"type": "integer"}, boxes={"type": "integer"}),
        **READ,
    ),
    tool(
        "depot_stats",
        "Count the parcels by their state.",
        obj([]),
        obj(
            ["states", "heaviest", "notes"],
            states={"type": "object", "additionalProperties": {"type": "integer"}},
            heaviest={"type": "integer"},
            notes=listed(TEXT),
        ),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS = [
    {
        "name": "complaint",
        "description": "Write a complaint about a parcel.",
        "arguments": [{"name": "parcel", "required": True}, {"name": "tone"}, {"name": "language"}],
    }
]


class Depot:
    """Customers, parcels and events."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.customers: dict[int, dict[str, Any]] = {}
        self.parcels: dict[str, dict[str, Any]] = {}
        self.events: dict[str, list[dict[str, Any]]] = {}
        self.last_customer = 0
        self.notes: list[str] = []
        self.memory: list[bytes] = []
        cities = ["Lisbon", "Oslo", "Kyoto", "Quito", "Turin", "Graz", "Porto"]
        for number, city in enumerate(cities):
            self.register(f"Customer {chr(65 + number)}", city, vip=number % 3 == 0)
        self.customers[2]["contacts"] = [{"kind": "phone", "value": "+47 555"}]
        self.customers[3]["email"] = "c@example.org"
        for number in range(45):
            weight = 400 + (number * 733) % 2900
            parcel = self.post(number % 6 + 1, f"Recipient {number}", weight, [30, 20, 10])
            if number % 4 == 1:
                parcel["status"] = "moving"
            if number % 9 == 2:
                parcel["insurance"] = {"value": 100, "currency": "EUR"}
        self.known = list(self.parcels)
        self.found = [customer["id"] for customer in self.customers.values()]

    def pause(self, seconds: float) -> None:
        """Release the lock for a moment."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()

    def register(self, name: str, city: str, **more: Any) -> dict[str, Any]:
        self.last_customer += 1
        customer = {"id": self.last_customer, "name": name, "city": city, "email": None}
        customer |= {"contacts": [], "vip": False, "discount": 0, **more}
        self.customers[customer["id"]] = customer
        return customer

    def post(self, sender: int, recipient: str, grams: int, size: Any, **more: Any) -> Any:
        parcel = {"id": f"P{1001 + len(self.parcels)}", "sender": sender, "recipient": recipient}
        parcel |= {"grams": grams, "size": size, "fragile": False, "status": "registered"}
        parcel |= {"flagged": False, **more}
        self.parcels[parcel["id"]] = parcel
        self.events[parcel["id"]] = []
        return parcel

    def customer(self, number: int) -> dict[str, Any]:
        if number not in self.customers:
            text = f"there is no customer {number}"
            raise ToolError(f"{text} (asked with {SECRET})" if bug("l_env") else text)
        return self.customers[number]

    def parcel(self, id: str) -> dict[str, Any]:
        if id not in self.parcels:
            raise ToolError(f"there is no parcel {id}")
        return self.parcels[id]


DEPOT = Depot()


def register_customer(name: str, city: str, **more: Any) -> Any:
    if bug("a_city") and not city.isascii():
        raise ToolError("city is invalid: only the letters A to Z are allowed")
    customer = DEPOT.register(name, city, **more)
    DEPOT.found.append(customer["id"])
    return {"customer": customer}


def get_customer(customer_id: int) -> Any:
    return {"customer": DEPOT.customer(customer_id)}


def update_customer(customer_id: int, changes: dict[str, Any]) -> Any:
    customer = DEPOT.customer(customer_id)
    if bug("a_contacts") and changes.get("contacts") == []:
        raise ToolError("contacts: expected at least one contact")
    if bug("s_null") and changes.get("email", "") is None:
        del changes["email"]
    if bug("s_other") and "name" in changes:
        customer["vip"] = False
    if bug("n_update") and changes.get("vip"):
        for other in DEPOT.customers.values():
            if other is not customer:
                other["vip"] = False
    customer.update(changes)
    result = copy.deepcopy(customer)
    if bug("o_contacts") and not customer["contacts"] and "contacts" in changes:
        result["contacts"] = None
    return {"customer": result}


def delete_customer(customer_id: int) -> Any:
    DEPOT.customer(customer_id)
    if bug("s_deleted"):
        DEPOT.memory.append(b"")
        DEPOT.customers[customer_id]["gone"] = True
    else:
        del DEPOT.customers[customer_id]
    return {"deleted": customer_id}


def list_customers(after: str = "0", limit: int = 3) -> Any:
    if not (after.isascii() and after.isdecimal() and len(after) < 10):
        raise ToolError("after is not a value of next")
    following = [item for item in present() if item["id"] > int(after)]
    result = {"customers": following[:limit]}
    if len(following) > limit:
        result["next"] = str(following[limit - 1]["id"])
    elif bug("g_cursor") and following:
        result["next"] = str(following[0]["id"] - 1)
    return result


def present() -> list[dict[str, Any]]:
    """Return the customers that weren't deleted."""
    return [item for item in DEPOT.customers.values() if "gone" not in item]


def search_customers(text: str, field: str = "name") -> Any:
    if bug("h_quote") and text.count('"') % 2:
        time.sleep(600)
    if bug("c_empty") and text[0] == "*":
        text = text[1:]
    if bug("n_search") and field == "city":
        for customer in DEPOT.customers.values():
            customer["city"] = customer["city"].lower()
    found = [item for item in DEPOT.customers.values() if text.lower() in item[field].lower()]
    found = [{key: item[key] for key in item if key != "gone"} for item in found]
    return {"count": len(found), "customers": found}


def create_parcel(sender: int, recipient: str, grams: int, size: list[int], **more: Any) -> Any:
    DEPOT.customer(sender)
    if bug("a_insurance") and "insurance" in more and not more["insurance"]["value"]:
        raise ToolError("invalid arguments: insurance.value is required")
    if bug("a_both") and more.get("fragile") and more.get("instructions"):
        raise ToolError("invalid arguments: instructions is not allowed with fragile")
    if bug("c_lines") and "\n" in more.get("instructions", ""):
        raise ValueError("a header has no line breaks")
    return {"parcel": DEPOT.post(sender, recipient, grams, size, **more)}


def get_parcel(id: str) -> Any:
    return DEPOT.parcel(id)


def list_parcels(offset: int = 0, limit: int = 20, status: Any = None, sort: str = "age") -> Any:
    if bug("a_limit") and limit == 100:
        raise ToolError("limit must be less than 100")
    if bug("h_offset") and offset >= 1000:
        time.sleep(600)
    if bug("l_log") and status == "delivered":
        data = {"query": "parcels", "api_key": "sk_live_51H8s0mQyTzR4bVnXcK2wLpE"}
        say({"method": "notifications/message", "params": {"level": "info", "data": data}})
    parcels = [DEPOT.parcels[key] for key in (DEPOT.known if bug("s_list") else DEPOT.parcels)]
    parcels = [item for item in parcels if status is None or item["status"] == status]
    if sort == "weight" and not bug("g_sort"):
        parcels.sort(key=lambda item: item["grams"])
    total = len(parcels)
    if bug("o_offset") and offset > total:
        total = total - offset
    start = offset + 1 if bug("g_gap") and offset and limit >= 20 else offset
    page = parcels[start : start + limit]
    if sort == "weight":
        page.sort(key=lambda item: item["grams"])
    return {"total": total, "parcels": page}


def scan_parcel(id: str, kind: str, place: str) -> Any:
    parcel = DEPOT.parcel(id)
    if parcel["status"] == "cancelled":
        raise ToolError(f"parcel {id} is cancelled")
    if bug("s_race"):
        before = list(DEPOT.events[id])
        DEPOT.pause(0.02)
        DEPOT.events[id] = before
    number = len(DEPOT.events[id]) + 1
    DEPOT.events[id].append({"number": number, "kind": kind, "place": place})
    parcel["status"] = AFTER[kind]
    status = "return" if bug("o_event") and kind == "returned" else parcel["status"]
    return {"id": id, "status": status, "events": f"{number} events"}


def track_parcel(id: str) -> Any:
    parcel = DEPOT.parcel(id)
    if bug("h_track") and parcel["status"] == "cancelled":
        time.sleep(600)
    if bug("n_track"):
        parcel["flagged"] = True
    if bug("g_memory"):
        DEPOT.memory.append(os.urandom(400_000))
    return {"id": id, "events": DEPOT.events[id]}


def cancel_parcel(id: str) -> Any:
    if id not in DEPOT.parcels and bug("l_url"):
        raise ToolError(f"no row {id} in postgresql://depot:Qm7-tBox9@10.2.0.7:5432/parcels")
    parcel = DEPOT.parcel(id)
    if parcel["status"] != "cancelled" or bug("n_cancel"):
        number = len(DEPOT.events[id]) + 1
        DEPOT.events[id].append({"number": number, "kind": "cancelled", "place": "desk"})
    parcel["status"] = "cancelled"
    return {"parcel": parcel}


def parcel_label(id: str, format: str = "small") -> Any:
    if id not in DEPOT.parcels and bug("l_path"):
        raise ToolError(f"can't open /srv/depot/labels/{format}/{id}.svg")
    parcel = DEPOT.parcel(id)
    return [
        {"type": "text", "text": f"{id} to {parcel['recipient']}, {format}"},
        {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"},
    ]


def quote(grams: int, zone: str, express: bool = False, insured: float = 0) -> Any:
    if bug("h_pair") and express and zone == "islands":
        time.sleep(600)
    if bug("n_quote") and insured and "insured quotes: 1" not in DEPOT.notes:
        DEPOT.notes.append("insured quotes: 1")
    cents: Any = 300 + grams // 10 * (ZONES.index(zone) + 1) + int(insured)
    if bug("c_weight"):
        cents += 100 // (grams // 2)
    cents *= 2 if express else 1
    if bug("o_quote") and express and zone == "national":
        cents = f"{cents} cents"
    return {"zone": zone, "cents": cents}


def pack(box: Any) -> Any:
    def weigh(node: Any, depth: int) -> tuple[int, int]:
        if bug("c_depth") and depth > 30:
            os._exit(11)
        if bug("h_nested") and node.get("contents") == []:
            time.sleep(600)
        inner = [weigh(item, depth + 1) for item in node.get("contents", [])]
        grams = node.get("grams", 0) + sum(item[0] for item in inner)
        return grams, 1 + sum(item[1] for item in inner)

    grams, boxes = weigh(box, 1)
    return {"grams": grams, "boxes": boxes}


def depot_stats() -> Any:
    parcels = DEPOT.parcels.values()
    states = {state: sum(item["status"] == state for item in parcels) for state in STATES}
    heaviest: Any = max(item["grams"] for item in parcels)
    if bug("o_stats") and heaviest > 20_000:
        heaviest = f"{heaviest / 1000} kg"
    if bug("g_grow"):
        DEPOT.notes.append("The numbers were asked for again. " * 20)
    return {"states": states, "heaviest": heaviest, "notes": DEPOT.notes}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = copy.deepcopy(schema)
    members = schema["properties"]
    if bug("f_size") and name == "create_parcel":
        del members["size"]["maxItems"]
    if bug("f_currency") and name == "create_parcel":
        members["insurance"]["properties"]["currency"]["pattern"] = "[A-Z]{3}$"
    if bug("f_zone") and name == "quote":
        del members["zone"]["enum"]
    if bug("f_contacts") and name == "register_customer":
        members["contacts"]["items"]["required"] = ["value"]
    if bug("f_discount") and name == "register_customer":
        del schema["else"]
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
    arguments = integral(arguments)
    if bug("f_zone") and name == "quote":
        zone = arguments["zone"].lower()
        arguments["zone"] = zone if zone in ZONES else "local"
    with DEPOT.lock:
        try:
            result = copy.deepcopy(globals()[name](**arguments))
        except ToolError as error:
            text = str(error)
            if bug("l_trace") and name == "get_parcel":
                text = (
                    "Error: no such parcel\n    at Depot.find (/app/dist/depot.js:88:13)\n"
                    "    at async Server.handle (/app/dist/server.js:41:20)"
                )
            return {"content": [{"type": "text", "text": text}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    content = [{"type": "text", "text": json.dumps(result)}]
    if bug("p_unstructured") and name == "get_parcel" and "insurance" not in result:
        return {"content": content}
    return {"content": content, "structuredContent": result}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        return initialized("depot", params, logging={})
    answers = {
        "ping": lambda: {},
        "logging/setLevel": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [
                {"uri": "depot://logo", "name": "logo", "mimeType": "image/png"},
                {"uri": "depot://terms", "name": "terms", "mimeType": "text/plain"},
            ]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [{"uriTemplate": "depot://parcels/{id}", "name": "parcel"}]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    if uri == "depot://logo":
        encode = base64.encodebytes if bug("p_blob") else base64.b64encode
        data = encode(JPEG if bug("p_mime") else PNG).decode()
        return {"uri": uri, "mimeType": "image/png", "blob": data}
    if uri == "depot://terms":
        return {"uri": uri, "mimeType": "text/plain", "text": "Parcels of up to 31.5 kg."}
    with DEPOT.lock:
        key = uri.removeprefix("depot://parcels/")
        if key in DEPOT.parcels:
            text = json.dumps(DEPOT.parcels[key])
            return {"uri": uri, "mimeType": "application/json", "text": text}
    raise RpcError(-32602, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "complaint" or "parcel" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument parcel is missing")
    tone = arguments.get("tone", "friendly")
    if "language" in arguments:
        tone = f"{arguments['tone'] if bug('c_prompt') else tone}, in {arguments['language']}"
    text = f"Complain about parcel {arguments['parcel']}: {tone}."
    role = "system" if bug("p_role") else "user"
    return {"messages": [{"role": role, "content": {"type": "text", "text": text}}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    del failed
    digits = bug("p_id") and method == "tools/call" and isinstance(given, str) and given.isdecimal()
    return int(given) if digits else given


if __name__ == "__main__":
    serve(answer, id_of)
