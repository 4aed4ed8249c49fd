"""A server of a campsite, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import threading
import time
import traceback
from datetime import date, timedelta
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

SECRET = os.environ.get("CAMPSITE_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
KINDS = ["tent", "caravan", "cabin"]
STATES = ["booked", "arrived", "left", "cancelled"]
SEASONS = {"low": 0.75, "middle": 1.0, "high": 1.5}
PRICES = {"tent": 18, "caravan": 31.5, "cabin": 64}
EXTRAS = ["linen", "bicycle", "grill", "canoe"]
WHOLE = {"type": "integer", "minimum": 0}
AMOUNT = {"type": "number"}
SWITCH = {"type": "boolean"}
PITCH_NO = {"type": "string", "pattern": "^[A-F]-[0-9]{2}$", "description": "Pitch, as in A-01."}
GUEST_ID = {"type": "string", "minLength": 1, "description": "ID of a guest."}
STAY_ID = {"type": "string", "minLength": 1, "description": "ID of a stay."}
DAY = {"type": "string", "format": "date"}
KIND = {"type": "string", "enum": KINDS}
STATE = {"type": "string", "enum": STATES}
NIGHTS = {"type": "integer", "minimum": 1, "maximum": 28}
PLATE = {"type": "string", "pattern": "^[A-Z0-9-]{3,10}$", "description": "Number plate."}
VEHICLE = {
    **obj(["plate"], plate=PLATE, length={"type": "number", "exclusiveMinimum": 0, "maximum": 15}),
    "description": "The vehicle on the pitch. Length in meters.",
}
NEW_GUEST = {
    "name": {"type": "string", "minLength": 1, "maxLength": 80},
    "email": {"type": ["string", "null"], "maxLength": 100},
    "language": {"type": "string", "enum": ["de", "en", "fr", "nl"]},
    "trusted": SWITCH,
    "remarks": {"type": "string", "maxLength": 2000},
}
GUEST = obj(
    ["id", *NEW_GUEST, "vehicle"],
    id=GUEST_ID,
    **NEW_GUEST,
    vehicle={
        "anyOf": [
            obj(["plate", "length"], plate=PLATE, length={"type": ["number", "null"]}),
            {"type": "null"},
        ]
    },
)
PITCH = obj(
    ["pitch", "kind", "powered", "price", "remarks", "held"],
    pitch=PITCH_NO,
    kind=KIND,
    powered=SWITCH,
    price=AMOUNT,
    remarks=TEXT,
    held=SWITCH,
)
PARTY = obj(
    ["adults"],
    adults={"type": "integer", "minimum": 1, "maximum": 8},
    children={"type": "integer", "minimum": 0, "maximum": 8},
    dogs={"type": "integer", "minimum": 0, "maximum": 3},
)
CHARGE = obj(["item", "amount", "quantity"], item=TEXT, amount=AMOUNT, quantity=WHOLE)
STAY = obj(
    [
        "id",
        "guest_id",
        "pitch",
        "arrival",
        "nights",
        "state",
        "party",
        "extras",
        "charges",
        "plate",
        "read",
    ],
    id=STAY_ID,
    guest_id=GUEST_ID,
    pitch=PITCH_NO,
    arrival=DAY,
    nights=NIGHTS,
    state=STATE,
    party=PARTY,
    extras=listed({"enum": EXTRAS}),
    charges=listed(CHARGE),
    plate={"anyOf": [PLATE, {"type": "null"}]},
    read=SWITCH,
)
RULE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "state": STATE,
        "min_nights": WHOLE,
        "dogs": SWITCH,
        "every": listed({"$ref": "#/$defs/rule"}),
        "except": {"$ref": "#/$defs/rule"},
    },
    "additionalProperties": False,
}

TOOLS = [
    tool(
        "list-pitches",
        "List the pitches.",
        obj(
            [],
            kind=KIND,
            powered=SWITCH,
            page_size={"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            page_token={"type": "string", "description": "next_page_token of the last page."},
        ),
        obj(["pitches"], pitches=listed(PITCH), next_page_token={"type": "string"}),
        **READ,
    ),
    tool("get-pitch", "Get a pitch.", obj(["pitch"], pitch=PITCH_NO), PITCH, **READ),
    tool(
        "update-pitch",
        "Update a pitch. Only the given values change.",
        obj(
            ["pitch"],
            pitch=PITCH_NO,
            powered=SWITCH,
            price={"type": "number", "minimum": 0, "maximum": 500},
            remarks={"type": "string", "maxLength": 300},
            held=SWITCH,
        ),
        PITCH,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "register-guest",
        "Register a guest.",
        obj(["name"], **NEW_GUEST, vehicle=VEHICLE),
        GUEST,
        **SAFE,
    ),
    tool("get-guest", "Get a guest.", obj(["id"], id=GUEST_ID), GUEST, **READ),
    tool(
        "edit-guest",
        "Edit a guest. Only the given values change.",
        obj(["id"], id=GUEST_ID, **NEW_GUEST),
        GUEST,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "forget-guest",
        "Delete a guest and the guest's stays.",
        obj(["id"], id=GUEST_ID),
        obj(["forgotten"], forgotten=SWITCH),
        **DESTROYS,
    ),
    tool(
        "find-guests",
        "Find guests whose name contains a text. Case doesn't matter.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 120},
            order={"enum": ["registered", "name"], "default": "registered"},
            max={"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
        ),
        obj(["guests", "count"], guests=listed(GUEST), count=WHOLE),
        **READ,
    ),
    tool(
        "book-stay",
        "Book a pitch for a guest.",
        obj(
            ["guest_id", "pitch", "arrival", "nights", "party"],
            guest_id=GUEST_ID,
            pitch=PITCH_NO,
            arrival=DAY,
            nights=NIGHTS,
            party=PARTY,
            extras=listed({"enum": EXTRAS}, uniqueItems=True),
        ),
        STAY,
        **SAFE,
    ),
    tool("get-stay", "Get a stay.", obj(["stay_id"], stay_id=STAY_ID), STAY, **READ),
    tool(
        "list-stays",
        "List stays, the first booked ones first.",
        obj(
            [],
            guest_id=GUEST_ID,
            state=STATE,
            skip={"type": "integer", "minimum": 0, "default": 0},
            take={"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        ),
        obj(["stays", "total"], stays=listed(STAY), total=WHOLE),
        **READ,
    ),
    tool(
        "check-in",
        "Mark a stay as arrived.",
        obj(["stay_id"], stay_id=STAY_ID, plate=PLATE),
        STAY,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "cancel-stay",
        "Cancel a stay. The refund is 0 if it was cancelled before.",
        obj(["stay_id"], stay_id=STAY_ID, reason={"type": "string", "maxLength": 200}),
        obj(["stay", "refund"], stay=STAY, refund=AMOUNT),
        **DESTROYS,
    ),
    tool(
        "add-charge",
        "Add an item to the bill of a stay.",
        obj(
            ["stay_id", "item", "amount"],
            stay_id=STAY_ID,
            item={"type": "string", "minLength": 1, "maxLength": 60},
            amount={"type": "number", "exclusiveMinimum": 0, "maximum": 5000},
            quantity={"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
        ),
        STAY,
        **SAFE,
    ),
    tool(
        "show-bill",
        "Show the bill of a stay as text, as a code for payment, or as a file.",
        obj(["stay_id"], stay_id=STAY_ID, form={"enum": ["text", "code", "file"]}),
        **READ,
    ),
    tool(
        "quote-price",
        "Compute the price of a stay.",
        {
            **obj(
                ["kind", "nights"],
                kind=KIND,
                nights=NIGHTS,
                season={"enum": list(SEASONS)},
                adults={"type": "integer", "minimum": 0, "maximum": 8},
                children={"type": "integer", "minimum": 0, "maximum": 8},
                member=SWITCH,
                voucher={"type": "string", "minLength": 1, "maxLength": 20},
            ),
            "dependentRequired": {"voucher": ["member"]},
        },
        obj(
            ["price", "per_person", "reductions"],
            price=AMOUNT,
            per_person=AMOUNT,
            reductions=listed(TEXT),
        ),
        **READ,
    ),
    tool(
        "free-pitches",
        "Find the pitches that nobody has booked for these nights.",
        obj(["arrival", "nights"], arrival=DAY, nights=NIGHTS, kind=KIND),
        obj(["pitches"], pitches=listed(PITCH_NO)),
        **READ,
    ),
    tool(
        "count-stays",
        "Count the stays that meet a rule.",
        {**obj(["rule"], rule={"$ref": "#/$defs/rule"}), "$defs": {"rule": RULE}},
        obj(["count"], count=WHOLE),
        **READ,
    ),
    tool(
        "occupancy",
        "Compute how many pitches are booked between two days, on average.",
        obj(["first", "last"], first=DAY, last=DAY),
        obj(["nights", "booked", "rate"], nights=WHOLE, booked=WHOLE, rate=AMOUNT),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "welcome",
        "description": "Write a welcome letter.",
        "arguments": [{"name": "guest", "required": True}, {"name": "language"}],
    }
]


class Campsite:
    """Pitches, guests and stays."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pitches: dict[str, Any] = {}
        self.guests: dict[str, Any] = {}
        self.stays: dict[str, Any] = {}
        self.forgotten: list[Any] = []
        self.log: list[bytes] = []
        self.gets = 0
        self.text = ""
        self.booked = 0
        for row, kind in zip("ABCDEF", KINDS * 2, strict=True):
            for number in range(1, 6):
                pitch = f"{row}-{number:02}"
                self.pitches[pitch] = {
                    "pitch": pitch,
                    "kind": kind,
                    "powered": number % 2 == 0,
                    "price": PRICES[kind],
                    "remarks": "by the lake" if row == "A" else "",
                    "held": False,
                }
        for name, language in (("Vera Holm", "nl"), ("Émile Roux", "fr"), ("Jo Brand", "de")):
            self.add_guest(name, language=language)
        with self.lock:
            first, second, third = self.guests
            day = date(2027, 6, 1)
            for number, guest in enumerate([first, second, first, third, first, second]):
                arrival = (day + timedelta(days=3 * number)).isoformat()
                party = {"adults": 2, "dogs": 1} if number % 2 else {"adults": 1, "children": 2}
                stay = self.add_stay(
                    guest, f"B-0{number % 5 + 1}", arrival, 2 + number, party=party
                )
                stay["state"] = STATES[number % 4]

    def add_guest(self, name: str, vehicle: Any = None, **more: Any) -> Any:
        guest: dict[str, Any] = {
            "id": f"g{len(self.guests) + len(self.forgotten) + 1:04}",
            "name": name,
        }
        guest |= {"email": None, "language": "en", "trusted": False, "remarks": "", **more}
        guest["vehicle"] = {"length": None, **vehicle} if vehicle else None
        self.guests[guest["id"]] = guest
        return guest

    def add_stay(self, guest: str, pitch: str, arrival: str, nights: int, **more: Any) -> Any:
        number = self.booked + 1
        if bug("s_race"):
            self.pause(0.02)
        self.booked = number
        stay: dict[str, Any] = {
            "id": f"s{number:05}",
            "guest_id": guest,
            "pitch": pitch,
            "arrival": arrival,
        }
        stay |= {"nights": nights, "state": "booked", "extras": [], "plate": None}
        stay |= {"charges": [], "read": False, **more}
        self.stays[stay["id"]] = stay
        return stay

    def pitch(self, pitch: str) -> Any:
        if pitch not in self.pitches:
            raise ToolError(f"there is no pitch {pitch}")
        return self.pitches[pitch]

    def guest(self, guest: str) -> Any:
        if guest not in self.guests:
            if bug("l_env"):
                raise ToolError(f"lookup failed, settings: lang=en secret={SECRET}")
            raise ToolError(f"there is no guest {guest}")
        return self.guests[guest]

    def stay(self, stay: str) -> Any:
        if stay not in self.stays:
            raise ToolError(f"there is no stay {stay}")
        return self.stays[stay]

    def is_free(self, pitch: str, first: date, last: date) -> bool:
        return not any(
            stay["pitch"] == pitch
            and stay["state"] != "cancelled"
            and day_of(stay["arrival"]) < last
            and first < leaving(stay["arrival"], stay["nights"])
            for stay in self.stays.values()
        )

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
        raise ToolError(f"{text} is not a day of the calendar, as in 2027-06-01") from None


def leaving(arrival: str, nights: int) -> date:
    day = day_of(arrival)
    if day.year > 9990:
        raise ToolError(f"{arrival} is too far in the future")
    return day + timedelta(days=nights)


CAMPSITE = Campsite()


def list_pitches(
    kind: Any = None, powered: Any = None, page_size: int = 10, page_token: str = ""
) -> Any:
    start = 0
    if page_token:
        if not re.fullmatch("p[0-9]{1,6}", page_token, re.ASCII):
            if bug("h_token"):
                time.sleep(600)
            raise ToolError("page_token: not a token of this list")
        start = int(page_token[1:])
    known = list(CAMPSITE.pitches.values())
    if not (bug("g_kind") and start):
        known = [pitch for pitch in known if kind is None or pitch["kind"] == kind]
    found = [pitch for pitch in known if powered is None or pitch["powered"] == powered]
    end = start + page_size
    result: dict[str, Any] = {"pitches": found[start:end]}
    if end < len(found):
        result["next_page_token"] = f"p{end}"
    elif bug("o_token") and page_token:
        result["next_page_token"] = None
    return result


def get_pitch(pitch: str) -> Any:
    return CAMPSITE.pitch(pitch)


def update_pitch(pitch: str, **changes: Any) -> Any:
    found = CAMPSITE.pitch(pitch)
    if bug("a_remarks") and changes.get("remarks") == "":
        raise ToolError("remarks: must not be empty")
    if bug("n_update") and changes.get("remarks"):
        changes["remarks"] = f"{found['remarks']} {changes['remarks']}".strip()
    found.update(changes)
    return found


def register_guest(name: str, vehicle: Any = None, **more: Any) -> Any:
    if bug("a_name") and not re.fullmatch(r"[\w .-]+", name):
        raise ToolError("name: contains characters that are not allowed")
    guest = CAMPSITE.add_guest(name, vehicle, **more)
    if bug("o_vehicle") and vehicle and "length" not in vehicle:
        return {**guest, "vehicle": vehicle}
    return guest


def get_guest(id: str) -> Any:
    if bug("g_slow"):
        CAMPSITE.gets += 1
        time.sleep(0.003 * CAMPSITE.gets)
    return CAMPSITE.guest(id)


def edit_guest(id: str, **changes: Any) -> Any:
    guest = CAMPSITE.guest(id)
    if bug("a_email") and "email" in changes and changes["email"] is None:
        raise ToolError("email: must be a string")
    for key, value in changes.items():
        if value or not bug("s_falsy"):
            guest[key] = value
    return guest


def forget_guest(id: str) -> Any:
    guest = CAMPSITE.guest(id)
    del CAMPSITE.guests[id]
    CAMPSITE.forgotten.append(guest)
    CAMPSITE.stays = {key: stay for key, stay in CAMPSITE.stays.items() if stay["guest_id"] != id}
    return {"forgotten": True}


def find_guests(text: str, order: str = "registered", max: int = 25) -> Any:
    if bug("h_text"):
        re.match(r"^([\w]+[ .]?)*$", text)
    if bug("s_mix"):
        CAMPSITE.text = text
        CAMPSITE.pause(0.01)
        text = CAMPSITE.text
    known = list(CAMPSITE.guests.values()) + (CAMPSITE.forgotten if bug("s_forget") else [])
    if bug("c_text"):
        found = [guest for guest in known if re.search(text, guest["name"], re.IGNORECASE)]
    else:
        found = [guest for guest in known if text.casefold() in guest["name"].casefold()]
    count = len(found)
    if bug("g_order"):
        found = found[:max]
    if order == "name":
        found = sorted(found, key=lambda guest: guest["name"].casefold())
    return {"guests": found[:max], "count": count}


def book_stay(guest_id: str, pitch: str, arrival: str, nights: int, **more: Any) -> Any:
    CAMPSITE.guest(guest_id)
    CAMPSITE.pitch(pitch)
    if bug("a_children") and more["party"].get("children") == 0:
        raise ToolError("party: children is invalid")
    if not CAMPSITE.is_free(pitch, day_of(arrival), leaving(arrival, nights)):
        raise ToolError(f"pitch {pitch} is taken on these nights")
    return CAMPSITE.add_stay(guest_id, pitch, arrival, nights, **more)


def get_stay(stay_id: str) -> Any:
    stay = CAMPSITE.stay(stay_id)
    if bug("n_get"):
        stay["read"] = True
    return stay


def list_stays(guest_id: Any = None, state: Any = None, skip: int = 0, take: int = 20) -> Any:
    if bug("a_take") and take >= 100:
        raise ToolError("take: must be below 100")
    found = [
        stay
        for stay in CAMPSITE.stays.values()
        if (guest_id is None or stay["guest_id"] == guest_id)
        and (state is None or stay["state"] == state)
    ]
    if bug("n_list") and state == "cancelled":
        for stay in found:
            del CAMPSITE.stays[stay["id"]]
    if bug("h_skip"):
        while skip > len(found):
            time.sleep(0.1)
    start = skip + 1 if bug("g_skip") and skip else skip
    return {"stays": found[start : skip + take], "total": len(found)}


def check_in(stay_id: str, plate: Any = None) -> Any:
    stay = CAMPSITE.stay(stay_id)
    if bug("l_log"):
        params = {"level": "info", "data": f"gate opened with password={SECRET}"}
        say({"method": "notifications/message", "params": params})
    if bug("h_check_in") and stay["state"] == "arrived":
        time.sleep(600)
    if stay["state"] == "cancelled":
        raise ToolError(f"stay {stay_id} is cancelled")
    arrived = [stay]
    if bug("s_other"):
        arrived = [item for item in CAMPSITE.stays.values() if item["pitch"] == stay["pitch"]]
    for item in arrived:
        item["state"] = "arrived"
    if plate:
        stay["plate"] = plate
    return stay


def cancel_stay(stay_id: str, reason: str = "") -> Any:
    stay = CAMPSITE.stay(stay_id)
    if stay["state"] == "cancelled":
        return {"stay": stay} if bug("o_cancel") else {"stay": stay, "refund": 0}
    stay["state"] = "cancelled"
    return {"stay": stay, "refund": 10 * stay["nights"]}


def add_charge(stay_id: str, item: str, amount: float, quantity: int = 1) -> Any:
    stay = CAMPSITE.stay(stay_id)
    if bug("l_dsn") and amount * quantity > 100000:
        raise ToolError("insert failed: mysql://camp:Zk3vQ9rTb@10.0.0.7:3306/bills: out of range")
    charge = {"item": item, "amount": amount, "quantity": quantity}
    if bug("n_charge"):
        stay["charges"] = [old for old in stay["charges"] if old["item"] != item]
    stay["charges"].append(charge)
    return stay


def show_bill(stay_id: str, form: str = "text") -> Any:
    stay = CAMPSITE.stay(stay_id)
    total = sum(charge["amount"] * charge["quantity"] for charge in stay["charges"])
    if form == "code":
        kind = "image/jpeg" if bug("p_code") else "image/png"
        return [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": kind}]
    text = f"{stay['id']}: {stay['nights']} nights, {total:.2f} for other items"
    if form == "file":
        file = {"uri": f"campsite://bills/{stay['id']}", "mimeType": "text/plain", "text": text}
        return [{"type": "resource", "resource": file}]
    return [{"type": "text", "text": text}]


def quote_price(kind: str, nights: int, season: str = "middle", **more: Any) -> Any:
    adults, children = more.get("adults", 2), more.get("children", 0)
    if bug("h_quote"):
        groups = 0
        while groups * adults < children:
            groups += 1 if adults else 0
    price = PRICES[kind] * SEASONS[season] * nights + 6 * nights * adults + 2 * nights * children
    reductions: Any = [f"voucher {more['voucher']}"] if "voucher" in more else []
    if more.get("member"):
        price *= 0.9
        reductions.append("member")
    if bug("o_quote") and more.get("member") and season == "low":
        reductions = {"member": 10}
    persons = adults + children
    if not persons and not bug("c_quote"):
        return {"price": price, "per_person": price, "reductions": reductions}
    return {"price": price, "per_person": price / persons, "reductions": reductions}


def free_pitches(arrival: str, nights: int, kind: Any = None) -> Any:
    first = day_of(arrival)
    last = leaving(arrival, nights)
    if bug("c_month"):
        last = first.replace(day=first.day + nights)
    found = [
        key
        for key, pitch in CAMPSITE.pitches.items()
        if (kind is None or pitch["kind"] == kind) and CAMPSITE.is_free(key, first, last)
    ]
    if bug("n_free") and found and kind == "cabin":
        CAMPSITE.pitches[found[0]]["held"] = True
    return {"pitches": found}


def count_stays(rule: Any) -> Any:
    def meets(stay: Any, rule: Any) -> bool:
        if "state" in rule and stay["state"] != rule["state"]:
            return False
        if stay["nights"] < rule.get("min_nights", 0):
            return False
        if "dogs" in rule and (stay["party"].get("dogs", 0) > 0) != rule["dogs"]:
            return False
        if not all(meets(stay, item) for item in rule.get("every", [])):
            return False
        if bug("c_rule") and "every" in rule:
            rule["every"][0]
        return "except" not in rule or not meets(stay, rule["except"])

    return {"count": sum(meets(stay, rule) for stay in CAMPSITE.stays.values())}


def occupancy(first: str, last: str) -> Any:
    start, end = day_of(first), day_of(last)
    if end < start:
        if bug("l_trace"):
            try:
                raise ValueError("last is before first")
            except ValueError:
                raise ToolError(traceback.format_exc()) from None
        raise ToolError("last must not be before first")
    if bug("g_memory"):
        CAMPSITE.log.append(os.urandom(400_000))
    booked = 0
    for stay in CAMPSITE.stays.values():
        if stay["state"] != "cancelled":
            leaves = leaving(stay["arrival"], stay["nights"])
            shared = min(end, leaves) - max(start, day_of(stay["arrival"]))
            booked += max(0, shared.days)
    nights = (end - start).days
    if not nights:
        return {"nights": 0, "booked": 0, "rate": None if bug("o_occupancy") else 0}
    return {"nights": nights, "booked": booked, "rate": booked / nights / len(CAMPSITE.pitches)}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_plate") and name == "register-guest":
        members["vehicle"]["properties"]["plate"]["pattern"] = "[A-Z0-9-]{3,10}"
    if bug("f_nights") and name == "book-stay":
        del members["nights"]["maximum"]
    if bug("f_party") and name == "book-stay":
        del members["party"]["additionalProperties"]
    if bug("f_extras") and name == "book-stay":
        del members["extras"]["uniqueItems"]
    if bug("f_voucher") and name == "quote-price":
        del schema["dependentRequired"]
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
    with CAMPSITE.lock:
        try:
            result = copy.deepcopy(globals()[name.replace("-", "_")](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        meta = {"_meta": {"auth": f"Bearer {SECRET}"}} if bug("l_meta") else {}
        return {"content": result, **meta}
    content = [{"type": "text", "text": json.dumps(result)}]
    if bug("p_empty") and name == "free-pitches" and not result["pitches"]:
        return {"content": content}
    return {"content": content, "structuredContent": result}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        capabilities: dict[str, Any] = {"logging": {}} if bug("l_log") else {}
        return initialized("campsite", params, **capabilities)
    prompts = copy.deepcopy(PROMPTS)
    if bug("p_required"):
        prompts[0]["arguments"][0]["required"] = "true"
    answers = {
        "ping": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [{"uri": "campsite://map", "name": "map", "mimeType": "image/png"}]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [{"uriTemplate": "campsite://pitches/{pitch}", "name": "pitch"}]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": prompts},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
        "logging/setLevel": lambda: {},
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    if uri == "campsite://map":
        data = PNG.decode("latin-1") if bug("p_blob") else base64.b64encode(PNG).decode()
        return {"uri": uri, "mimeType": "image/png", "blob": data}
    with CAMPSITE.lock:
        pitch = CAMPSITE.pitches.get(uri.removeprefix("campsite://pitches/"))
        if pitch:
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(pitch)}
    raise RpcError(-32002, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "welcome" or "guest" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument guest is missing")
    language = arguments["language"] if bug("c_welcome") else arguments.get("language", "en")
    text = f"Welcome {arguments['guest']} to the campsite. Language: {language}."
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return None if bug("p_id") and failed and method == "prompts/get" else given


if __name__ == "__main__":
    serve(answer, id_of)
