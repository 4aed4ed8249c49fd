"""A server of a small airport with the SDK's low-level server. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import json
import os
import re
import statistics
import sys
from datetime import datetime, timedelta
from typing import Any

import anyio
from mcp import MCPError, types
from sdk import (
    BODIES,
    DESTROYS,
    READ,
    SAFE,
    serve,
    tool,
    user_prompt,
    valid_arguments,
    validators,
)
from stdio import TEXT, ToolError, bug, integral, listed, obj

SECRET = os.environ.get("AIRPORT_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(70))
ZONES = {"utc": 0, "lisbon": 1, "athens": 3, "tokyo": 9, "honolulu": -10}
STATUSES = ["planned", "boarding", "departed"]
EXTRAS = ["meal", "legroom", "bag", "pet"]
PLACES = ["hall", "gates", "parking"]
WHOLE = {"type": "integer", "minimum": 0}
FLIGHT_ID = {"type": "integer", "minimum": 1, "description": "ID of a flight."}
BOOKING_ID = {"type": "string", "minLength": 1, "description": "ID of a booking."}
BAG_ID = {"type": "string", "minLength": 1, "description": "ID of a bag."}
CITY = {"type": "string", "minLength": 1, "maxLength": 40}
GATE = {"type": "string", "pattern": "^[A-D][0-9]{1,2}$"}
STATUS = {"enum": STATUSES}
TIME = {"type": "string", "format": "date-time"}
FLIGHT_PARTS = {
    "to": CITY,
    "minutes": {"type": "integer", "minimum": 20, "maximum": 1200},
    "seats": {"type": "integer", "minimum": 1, "maximum": 400},
    "stops": listed(CITY, maxItems=4),
    "remark": {"type": ["string", "null"], "maxLength": 120},
}
FLIGHT = obj(
    ["flight_id", "to", "departs", "arrives", "minutes", "seats", "stops", "remark", "status"],
    flight_id=FLIGHT_ID,
    **FLIGHT_PARTS,
    departs=TIME,
    arrives=TIME,
    status=STATUS,
    gate=GATE,
)
SEAT = {
    "row": {"type": "integer", "minimum": 1, "maximum": 60},
    "letter": {"enum": ["A", "B", "C", "D"]},
}
BOOKING_PARTS = {
    "name": {"type": "string", "minLength": 1, "maxLength": 60},
    "extras": listed({"enum": EXTRAS}, uniqueItems=True),
    "assistance": {"type": ["string", "null"], "maxLength": 100},
}
BOOKING = obj(
    ["booking_id", "flight_id", *SEAT, *BOOKING_PARTS],
    booking_id=BOOKING_ID,
    flight_id=FLIGHT_ID,
    **SEAT,
    **BOOKING_PARTS,
)
KILOS = {"type": "number", "exclusiveMinimum": 0, "maximum": 32}
BAG = obj(
    ["bag_id", "booking_id", "kilos", "fragile", "place"],
    bag_id=BAG_ID,
    booking_id=BOOKING_ID,
    kilos=KILOS,
    fragile={"type": "boolean"},
    contents=TEXT,
    place={"enum": ["desk", "belt", "hold"]},
)
NOTICE = obj(
    ["place", "text", "priority"],
    place={"enum": PLACES},
    text=TEXT,
    priority={"type": "integer", "minimum": 0, "maximum": 3},
)
RULE = {
    "oneOf": [
        obj(["to"], to=CITY),
        obj(["longer"], longer={"type": "integer", "minimum": 0}),
        obj(["not"], **{"not": {"$ref": "#/$defs/rule"}}),
        obj(["both"], both=listed({"$ref": "#/$defs/rule"}, minItems=2, maxItems=2)),
    ]
}


def moment(text: str) -> datetime:
    """Return the time of a text."""
    if bug("c_offset") and "+" not in text:
        hour, minute, second = map(int, text[11:].upper().rstrip("Z").split(":"))
        start = datetime.fromisoformat(f"{text[:10]}T00:00:00+00:00")
        return start.replace(hour=hour, minute=minute, second=second)
    try:
        shape = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
        if not re.fullmatch(shape, text, re.ASCII):
            raise ValueError
        return datetime.fromisoformat(text.upper())
    except ValueError:
        raise ToolError(f"{text} is not a time, for example 2027-03-01T09:30:00Z") from None


def later(time: datetime, minutes: int) -> datetime:
    try:
        return time + timedelta(minutes=minutes)
    except OverflowError:
        if bug("c_late"):
            raise
        extra = f" (clock service: Bearer {SECRET})" if bug("l_late") else ""
        raise ToolError(f"{time.isoformat()} is too late{extra}") from None


class Airport:
    """Flights, bookings, bags and notices."""

    def __init__(self) -> None:
        self.flights: dict[int, Any] = {}
        self.bookings: dict[str, Any] = {}
        self.bags: dict[str, Any] = {}
        self.notices: dict[str, list[Any]] = {}
        self.left: list[Any] = []
        self.memory: list[Any] = []
        self.no_stops: list[str] = []
        self.last = {"flight": 0, "booking": 0, "bag": 0}
        cities = ["Porto", "Athens", "Tromsø", "Nice", "Kuala Lumpur"]
        for number in range(16):
            departs = datetime.fromisoformat(f"2027-03-{number + 1:02}T08:{number + 10}:00+00:00")
            stops = [cities[(number + 1) % 5]] if number % 3 == 1 else []
            flight = self.add_flight(cities[number % 5], departs, 60 + 10 * number, 90, stops)
            flight["status"] = STATUSES[number % 3]
            if number % 2:
                flight["gate"] = f"A{number + 1}"
        names = ["Ana Sousa", "Bo Ek", "Chidi Obi", "Dara O'Shea"]
        for number in range(27):
            extras = EXTRAS[: number % 3]
            self.book(
                number % 6 + 1,
                f"{names[number % 4]} {number}",
                number + 1,
                "ABCD"[number % 4],
                extras,
            )
        for number in range(9):
            self.add_bag(f"bk{number % 4 + 1}", 10.5 + number, bool(number % 2))
        for number in range(2):
            notice = {"place": PLACES[number], "text": "Keep bags with you.", "priority": number}
            self.notices[PLACES[number]] = [notice]

    def add_flight(self, to: str, departs: datetime, minutes: int, seats: int, stops: Any) -> Any:
        arrives = later(departs, minutes).isoformat()
        self.last["flight"] += 1
        added = {"flight_id": self.last["flight"], "to": to, "departs": departs.isoformat()}
        added |= {"arrives": arrives, "minutes": minutes, "seats": seats, "stops": stops}
        added |= {"remark": None, "status": "planned"}
        self.flights[added["flight_id"]] = added
        return added

    def flight(self, flight_id: int) -> Any:
        if flight_id not in self.flights:
            extra = f" at https://board:{SECRET}@flights.internal/v1" if bug("l_flight") else ""
            raise ToolError(f"there is no flight {flight_id}{extra}")
        return self.flights[flight_id]

    def is_free(self, flight_id: int, row: int, letter: str) -> bool:
        return all(
            (item["flight_id"], item["row"], item["letter"]) != (flight_id, row, letter)
            for item in self.bookings.values()
        )

    def book(self, flight_id: int, name: str, row: int, letter: str, extras: Any) -> Any:
        self.last["booking"] = len(self.bookings) if bug("s_number") else self.last["booking"]
        self.last["booking"] += 1
        booking_id = f"bk{self.last['booking']}"
        added = {"booking_id": booking_id, "flight_id": flight_id, "row": row, "letter": letter}
        added |= {"name": name, "extras": extras, "assistance": None}
        self.bookings[booking_id] = added
        return added

    def booking(self, booking_id: str) -> Any:
        if booking_id not in self.bookings:
            raise ToolError(f"there is no booking {booking_id}")
        return self.bookings[booking_id]

    def add_bag(self, booking_id: str, kilos: float, fragile: bool) -> Any:
        self.last["bag"] += 1
        added = {"bag_id": f"bag-{self.last['bag']}", "booking_id": booking_id, "kilos": kilos}
        added |= {"fragile": fragile, "place": "desk"}
        self.bags[added["bag_id"]] = added
        return added

    def drop_booking(self, booking_id: str) -> int:
        """Remove a booking with its bags. Returns their number."""
        self.left.append(self.bookings.pop(booking_id))
        of_booking = [key for key, item in self.bags.items() if item["booking_id"] == booking_id]
        for key in of_booking:
            del self.bags[key]
        return len(of_booking)


AIRPORT = Airport()


@tool(
    "Schedule a flight.",
    obj(["to", "departs", "minutes"], departs=TIME, **FLIGHT_PARTS),
    FLIGHT,
    **SAFE,
)
async def schedule_flight(to: str, departs: str, minutes: int, stops: Any = (), **more: Any) -> Any:
    while bug("h_stops") and to in stops:
        await anyio.sleep(0.05)
    stops = AIRPORT.no_stops if bug("s_stops") and not stops else list(stops)
    flight = AIRPORT.add_flight(to, moment(departs), minutes, more.get("seats", 90), stops)
    flight |= more
    return flight


@tool("Get a flight.", obj(["flight_id"], flight_id=FLIGHT_ID), FLIGHT, **READ)
async def get_flight(flight_id: int) -> Any:
    if bug("g_memory"):
        AIRPORT.memory.append(b"x" * 400_000)
    return AIRPORT.flight(flight_id)


@tool(
    "Change a flight. Other members stay unchanged.",
    obj(["flight_id"], flight_id=FLIGHT_ID, departs=TIME, status=STATUS, **FLIGHT_PARTS),
    FLIGHT,
    **SAFE,
    idempotent_hint=True,
)
async def change_flight(flight_id: int, **changes: Any) -> Any:
    flight = AIRPORT.flight(flight_id)
    departs = moment(changes.get("departs", flight["departs"]))
    arrives = later(departs, changes.get("minutes", flight["minutes"]))
    if bug("n_status") and changes.get("status") == flight["status"] == "boarding":
        changes["status"] = "departed"
    if bug("s_stops") and "stops" in changes:
        flight["stops"][:] = changes.pop("stops")
    flight |= {**changes, "departs": departs.isoformat(), "arrives": arrives.isoformat()}
    if bug("o_gate") and changes.get("status") == "departed":
        flight["gate"] = ""
    return flight


@tool(
    "Cancel a flight and its bookings.",
    obj(["flight_id"], flight_id=FLIGHT_ID),
    obj(["canceled", "bookings"], canceled=FLIGHT_ID, bookings=WHOLE),
    **DESTROYS,
)
async def cancel_flight(flight_id: int) -> Any:
    AIRPORT.flight(flight_id)
    gone = [key for key, item in AIRPORT.bookings.items() if item["flight_id"] == flight_id]
    for key in gone:
        AIRPORT.drop_booking(key)
    del AIRPORT.flights[flight_id]
    return {"canceled": flight_id, "bookings": len(gone)}


@tool(
    "List flights by number.",
    obj(
        [],
        status=STATUS,
        to=CITY,
        offset={"type": "integer", "minimum": 0, "default": 0},
        limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 7},
    ),
    obj(["flights", "total"], flights=listed(FLIGHT), total=WHOLE),
    **READ,
)
async def list_flights(status: Any = None, to: Any = None, offset: int = 0, limit: int = 7) -> Any:
    matches = [
        item
        for item in AIRPORT.flights.values()
        if status in (None, item["status"]) and to in (None, item["to"])
    ]
    while bug("h_offset") and status is not None and offset > len(matches):
        await anyio.sleep(0.05)
    part = matches[offset : offset + limit]
    if bug("g_status") and status is not None:
        kept = list(AIRPORT.flights.values())[offset : offset + limit]
        part = [item for item in kept if item in matches]
    return {"flights": part, "total": len(matches)}


@tool(
    "Book a seat of a flight.",
    obj(["flight_id", "row", "letter", "name"], flight_id=FLIGHT_ID, **SEAT, **BOOKING_PARTS),
    BOOKING,
    **SAFE,
)
async def book_seat(flight_id: int, row: int, letter: str, name: str, **more: Any) -> Any:
    AIRPORT.flight(flight_id)
    if not AIRPORT.is_free(flight_id, row, letter):
        if bug("l_log"):
            print(f"seat map refused {row}{letter}, password={SECRET}", file=sys.stderr, flush=True)
        raise ToolError(f"seat {row}{letter} is taken")
    if bug("s_seat"):
        await anyio.sleep(0.02)
    booking = AIRPORT.book(flight_id, name, row, letter.upper(), [])
    booking |= more
    return booking


@tool("Get a booking.", obj(["booking_id"], booking_id=BOOKING_ID), BOOKING, **READ)
async def get_booking(booking_id: str) -> Any:
    return AIRPORT.booking(booking_id)


@tool(
    "Change a booking. Other members stay unchanged.",
    obj(["booking_id"], booking_id=BOOKING_ID, **BOOKING_PARTS),
    BOOKING,
    **SAFE,
    idempotent_hint=True,
)
async def change_booking(booking_id: str, **changes: Any) -> Any:
    booking = AIRPORT.booking(booking_id)
    booking |= changes
    return booking


@tool(
    "Cancel a booking and its bags.",
    obj(["booking_id"], booking_id=BOOKING_ID),
    obj(["canceled", "bags"], canceled=BOOKING_ID, bags=WHOLE),
    **DESTROYS,
)
async def cancel_booking(booking_id: str) -> Any:
    AIRPORT.booking(booking_id)
    if bug("c_bags"):
        max(item["kilos"] for item in AIRPORT.bags.values() if item["booking_id"] == booking_id)
    return {"canceled": booking_id, "bags": AIRPORT.drop_booking(booking_id)}


@tool(
    "List bookings by number, all or those of a flight.",
    obj(
        [],
        flight_id=FLIGHT_ID,
        limit={"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
        cursor={"type": "string", "description": "next_cursor of the page before."},
    ),
    obj(["bookings"], bookings=listed(BOOKING), next_cursor=TEXT),
    **READ,
)
async def list_bookings(flight_id: Any = None, limit: int = 5, cursor: str = "") -> Any:
    if cursor and not re.fullmatch("b[0-9]{1,7}", cursor, re.ASCII):
        extra = f" (signed with key={SECRET})" if bug("l_cursor") else ""
        raise ToolError(f"cursor: use the next_cursor of a page{extra}")
    after = int(cursor[1:]) if cursor else 0
    if bug("g_flight") and flight_id is not None:
        after = 0
    rest = [
        item
        for item in AIRPORT.bookings.values()
        if int(item["booking_id"][2:]) > after and flight_id in (None, item["flight_id"])
    ]
    page = rest[:limit]
    if len(rest) <= limit:
        return {"bookings": page}
    cursor = f"b{page[-1]['booking_id'][2:]}"
    return {
        "bookings": page[:-1] if bug("g_twenty") and limit == 20 else page,
        "next_cursor": cursor,
    }


@tool(
    "Search bookings for a part of the name. Quotes keep words together.",
    obj(
        ["text"],
        text={"type": "string", "maxLength": 80},
        extra={"enum": EXTRAS},
    ),
    obj(["bookings"], bookings=listed(BOOKING)),
    **READ,
)
async def search_bookings(text: str, extra: Any = None) -> Any:
    while bug("h_quote") and text.count('"') % 2:
        await anyio.sleep(0.05)
    quoted = re.findall('"([^"]*)"', text)
    words = [word.lower() for word in [*quoted, *re.sub('"[^"]*"', " ", text).split()]]
    kept = list(AIRPORT.bookings.values()) + (AIRPORT.left if bug("s_cancel") else [])
    hits = [
        item
        for item in kept
        if all(word in item["name"].lower() for word in words)
        and (extra is None or extra in item["extras"])
    ]
    if bug("n_extras") and extra is not None:
        for item in hits:
            item["extras"].sort(key=lambda each: each != extra)
    return {"bookings": hits}


@tool(
    "Check in a bag. A booking has at most 64 kilos.",
    obj(
        ["booking_id", "kilos"],
        booking_id=BOOKING_ID,
        kilos=KILOS,
        fragile={"type": "boolean"},
        contents={"type": "string", "maxLength": 200},
    ),
    BAG,
    **SAFE,
)
async def check_bag(
    booking_id: str, kilos: float, fragile: bool = False, contents: Any = None
) -> Any:
    AIRPORT.booking(booking_id)
    of_booking = [item for item in AIRPORT.bags.values() if item["booking_id"] == booking_id]
    if sum(item["kilos"] for item in of_booking) + kilos > 64:
        extra = f", says scales.internal (token {SECRET})" if bug("l_kilos") else ""
        raise ToolError(f"{booking_id} would have more than 64 kilos{extra}")
    bag = AIRPORT.add_bag(booking_id, kilos, fragile)
    if bug("o_fragile") and fragile:
        bag["place"] = "hand luggage"
    if contents is not None:
        bag["contents"] = contents
    return bag


@tool(
    "List the bags of a booking.",
    obj(["booking_id"], booking_id=BOOKING_ID),
    obj(["bags"], bags=listed(BAG)),
    **READ,
)
async def list_bags(booking_id: str) -> Any:
    AIRPORT.booking(booking_id)
    return {"bags": [item for item in AIRPORT.bags.values() if item["booking_id"] == booking_id]}


@tool("Track a bag.", obj(["bag_id"], bag_id=BAG_ID), BAG, **READ)
async def track_bag(bag_id: str) -> Any:
    if bag_id not in AIRPORT.bags:
        raise ToolError(f"there is no bag {bag_id}")
    bag = AIRPORT.bags[bag_id]
    if bug("n_track"):
        bag["place"] = "belt" if bag["place"] == "desk" else "hold"
    return bag


@tool(
    "Assign a gate to a flight. Flights may share a gate.",
    obj(["flight_id", "gate"], flight_id=FLIGHT_ID, gate=GATE),
    FLIGHT,
    **SAFE,
    idempotent_hint=True,
)
async def assign_gate(flight_id: int, gate: str) -> Any:
    flight = AIRPORT.flight(flight_id)
    if bug("a_gate") and len(gate) > 2:
        raise ToolError("gate: a letter and a digit")
    if bug("n_gate"):
        for other in AIRPORT.flights.values():
            if other.get("gate") == gate and other is not flight:
                del other["gate"]
    flight["gate"] = gate
    return flight


@tool(
    "Delay a flight by some minutes.",
    obj(
        ["flight_id", "minutes"],
        flight_id=FLIGHT_ID,
        minutes={"type": "integer", "minimum": 1, "maximum": 600},
    ),
    FLIGHT,
    **SAFE,
)
async def delay_flight(flight_id: int, minutes: int) -> Any:
    flight = AIRPORT.flight(flight_id)
    departs, arrives = (later(moment(flight[key]), minutes) for key in ("departs", "arrives"))
    flight |= {"departs": departs.isoformat(), "arrives": arrives.isoformat()}
    return flight


@tool(
    "Convert a time of day to another time zone.",
    obj(
        ["time", "source", "target"],
        time={"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
        source={"enum": list(ZONES)},
        target={"enum": list(ZONES)},
    ),
    obj(
        ["time", "days"],
        time={"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
        days={"type": "integer", "minimum": -1, "maximum": 1},
    ),
    **READ,
)
async def convert_time(time: str, source: str, target: str) -> Any:
    hours, minutes = map(int, time.split(":"))
    shifted = hours + ZONES[target] - ZONES[source]
    days, hours = divmod(shifted, 24)
    if bug("o_midnight") and shifted == 24:
        days, hours = 0, 24
    return {"time": f"{hours:02}:{minutes:02}", "days": days}


@tool(
    "Calculate the balance of a plane. Positions are meters from its middle.",
    obj(
        ["loads"],
        loads=listed(
            obj(
                ["position", "kilos"],
                position={"type": "number", "minimum": -40, "maximum": 40},
                kilos={"type": "integer", "minimum": 0, "maximum": 5000},
            ),
            minItems=1,
            maxItems=30,
        ),
    ),
    obj(
        ["kilos", "center", "spread"],
        kilos=WHOLE,
        center={"type": ["number", "null"]},
        spread={"type": "number", "minimum": 0},
    ),
    **READ,
)
async def balance(loads: list[Any]) -> Any:
    kilos = sum(item["kilos"] for item in loads)
    moments = sum(item["kilos"] * item["position"] for item in loads)
    center: Any = moments / kilos if kilos else "none" if bug("o_center") else None
    positions = [float(item["position"]) for item in loads]
    several = len(positions) > 1 or bug("c_spread")
    if bug("g_history"):
        AIRPORT.memory.append(b"x" * 400_000)
    while bug("h_empty") and not kilos:
        await anyio.sleep(0.05)
    if bug("o_spread") and several:
        return {"kilos": kilos, "center": center, "spread": statistics.stdev(positions) or None}
    return {
        "kilos": kilos,
        "center": center,
        "spread": statistics.stdev(positions) if several else 0,
    }


@tool(
    "Check if a flight matches a rule.",
    {
        **obj(["flight_id", "rule"], flight_id=FLIGHT_ID, rule={"$ref": "#/$defs/rule"}),
        "$defs": {"rule": RULE},
    },
    obj(["matches"], matches={"type": "boolean"}),
    **READ,
)
async def check_rule(flight_id: int, rule: Any) -> Any:
    flight = AIRPORT.flight(flight_id)
    if bug("h_not"):
        depth = json.dumps(rule).count('"not"')
        await anyio.sleep(min(600, 0.002 * 3**depth))

    def matches(part: Any) -> bool:
        if "to" in part:
            return flight["to"] == part["to"]
        if "longer" in part:
            return flight["minutes"] > part["longer"]
        if "not" in part:
            return not matches(part["not"])
        return all(matches(item) for item in part["both"])

    return {"matches": matches(rule)}


@tool(
    "Print a boarding pass.",
    obj(
        ["booking_id"],
        booking_id=BOOKING_ID,
        form={"enum": ["text", "picture"], "default": "text"},
        greeting={"type": "string", "maxLength": 60},
    ),
    **READ,
)
async def boarding_pass(booking_id: str, form: str = "text", greeting: str = "") -> Any:
    booking = AIRPORT.booking(booking_id)
    if bug("a_greeting") and not greeting.isascii():
        raise ToolError("greeting: letters without accents")
    if bug("s_greeting"):
        AIRPORT.left = [greeting]
        await anyio.sleep(0.02)
        greeting = AIRPORT.left[0]
    seat = f"{booking['row']}{booking['letter']}"
    if form == "picture":
        data = base64.b64encode(PNG + seat.encode()).decode()
        data = data.rstrip("=") if bug("p_padding") else data
        return [types.ImageContent(type="image", data=data, mime_type="image/png")]
    text = f"{greeting} {booking['name']}: seat {seat}".strip()
    if bug("c_braces"):
        text = f"{greeting} {booking['name']}: seat {{seat}}".format(seat=seat)
    return [types.TextContent(type="text", text=text)]


@tool(
    "Set the notice of a place.",
    obj(
        ["place", "text"],
        place={"enum": PLACES},
        text={"type": "string", "minLength": 1, "maxLength": 200},
        priority={"type": "integer", "minimum": 0, "maximum": 3},
    ),
    NOTICE,
    **SAFE,
    idempotent_hint=True,
)
async def set_notice(place: str, text: str, priority: int = 0) -> Any:
    notice = {"place": place, "text": text, "priority": priority}
    if bug("n_notice") and priority == 3:
        AIRPORT.notices.setdefault(place, []).append(notice)
    else:
        AIRPORT.notices[place] = [notice]
    return notice


@tool("Get the notices.", obj([]), obj(["notices"], notices=listed(NOTICE)), **READ)
async def get_notices() -> Any:
    return {"notices": [item for of_place in AIRPORT.notices.values() for item in of_place]}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_letter") and name == "book_seat":
        members["letter"]["enum"] = [*"ABCDabcd"]
    if bug("f_kilos") and name == "check_bag":
        members["kilos"] = {"type": "number", "minimum": 0, "maximum": 32}
    if bug("f_rule") and name == "check_rule":
        del schema["$defs"]["rule"]["oneOf"][2]["additionalProperties"]
    if bug("f_delay") and name == "delay_flight":
        members["minutes"]["minimum"] = 0
    if bug("f_stop") and name == "change_flight":
        del members["stops"]["items"]["maxLength"]
    return schema


CHECKS = validators(loosened)


async def call_tool(_ctx: Any, params: Any) -> Any:
    arguments = valid_arguments(CHECKS, params)
    if bug("a_extras") and params.name == "change_booking" and len(arguments.get("extras", "")) > 3:
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: extras: maxItems")
    if bug("a_position") and any(item["position"] < 0 for item in arguments.get("loads", [])):
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: position: minimum")
    if (
        bug("a_assistance")
        and params.name == "book_seat"
        and arguments.get("assistance", 0) is None
    ):
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: assistance: type")
    try:
        result = await BODIES[params.name](**integral(arguments))
    except ToolError as error:
        content = [types.TextContent(type="text", text=str(error))]
        failed = not (bug("p_success") and params.name == "boarding_pass")
        failed = failed and not (bug("p_kilos") and "64 kilos" in str(error))
        return types.CallToolResult(content=content, is_error=failed)
    except Exception as error:
        raise MCPError(types.INTERNAL_ERROR, f"internal error {type(error).__name__}") from None
    if isinstance(result, list):
        return types.CallToolResult(content=result)
    text = json.dumps(result)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=json.loads(text),
    )


async def list_prompts(_ctx: Any, _page: Any) -> Any:
    arguments = [
        types.PromptArgument(name="city", required=True),
        types.PromptArgument(name="season"),
    ]
    prompt = types.Prompt(name="pack", description="Say what to pack.", arguments=arguments)
    return types.ListPromptsResult(prompts=[prompt])


async def get_prompt(_ctx: Any, params: Any) -> Any:
    arguments = params.arguments or {}
    if params.name != "pack" or "city" not in arguments:
        raise MCPError(types.INVALID_PARAMS, "unknown prompt, or its argument city is missing")
    text = f"Say what to pack for {arguments['city']}"
    return user_prompt(text + (f" in {arguments['season']}." if "season" in arguments else "."))


async def list_resources(_ctx: Any, _page: Any) -> Any:
    plan = types.Resource(uri="airport://plan", name="plan", mime_type="text/markdown")
    return types.ListResourcesResult(resources=[plan])


async def list_templates(_ctx: Any, _page: Any) -> Any:
    uri = "airport://flights/{flight_id" + ("" if bug("p_template") else "}")
    template = types.ResourceTemplate(uri_template=uri, name="flight")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_ctx: Any, params: Any) -> Any:
    uri = str(params.uri)
    number = uri.removeprefix("airport://flights/")
    kind = "application/json"
    if uri == "airport://plan":
        text, kind = "# Plan\n\nGates A and B are in the hall.", "text/markdown"
    elif re.fullmatch("[1-9][0-9]{0,7}", number, re.ASCII) and int(number) in AIRPORT.flights:
        text = json.dumps(AIRPORT.flights[int(number)])
    else:
        raise MCPError(types.INVALID_PARAMS, f"unknown resource {uri}")
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    if bug("p_blob") and uri == "airport://plan":
        blob = types.BlobResourceContents(uri=uri, mime_type=kind, blob=text)
        return types.ReadResourceResult(contents=[blob])
    return types.ReadResourceResult(contents=[contents])


if __name__ == "__main__":
    serve(
        "airport",
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
