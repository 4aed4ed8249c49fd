"""A server of a bicycle workshop, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import math
import os
import re
import sys
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
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

SECRET = os.environ.get("WORKSHOP_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
START = datetime(2027, 5, 3, 8, 0, tzinfo=UTC)
TIME_FORMAT = "%Y-%m-%dT%H:%MZ"
BRANDS = ["Albatros", "Corvo", "Delfin", "Nordlys"]
CATEGORIES = ["brakes", "drivetrain", "wheels"]
PRIORITIES = ["low", "normal", "urgent"]
STATUSES = ["open", "working", "done", "cancelled"]
WHOLE = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
CUSTOMER_ID = {
    "type": "string",
    "pattern": "^cus_[0-9a-f]{12}$",
    "description": "ID of a customer.",
}
BIKE_ID = {"type": "integer", "minimum": 1, "description": "ID of a bike."}
JOB_ID = {"type": "integer", "minimum": 1, "description": "ID of a repair job."}
PART_NO = {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$", "description": "Number of a part."}
TIME = {
    "type": "string",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z$",
    "description": "A time in UTC, as in 2027-05-03T08:00Z.",
}
MAYBE_TIME = {**TIME, "type": ["string", "null"]}
PRIORITY = {"enum": PRIORITIES}
STATUS = {"enum": STATUSES}
NEW_CUSTOMER = {
    "name": {"type": "string", "minLength": 1, "maxLength": 100},
    "email": {"type": ["string", "null"], "maxLength": 120},
    "phone": {"type": ["string", "null"], "maxLength": 40},
    "newsletter": {"type": "boolean"},
    "notes": {"type": "string", "maxLength": 1000},
}
CUSTOMER = obj(["customer_id", *NEW_CUSTOMER], customer_id=CUSTOMER_ID, **NEW_CUSTOMER)
NEW_BIKE = {
    "brand": {"enum": BRANDS},
    "model": {"type": "string", "minLength": 1, "maxLength": 60},
    "frame_number": {"type": "string", "pattern": "^[A-Z0-9]{4,16}$"},
    "year": {"type": "integer", "minimum": 1870, "maximum": 2100},
    "electric": {"type": "boolean"},
    "equipment": {
        "type": "object",
        "description": "Names of parts that aren't standard, by their place.",
        "additionalProperties": {"type": "string", "maxLength": 40},
        "maxProperties": 10,
    },
}
BIKE = obj(
    ["bike_id", "customer_id", "brand", "frame_number", "electric", "equipment"],
    bike_id=BIKE_ID,
    customer_id=CUSTOMER_ID,
    **NEW_BIKE,
)
TASKS = listed(
    {"type": "string", "minLength": 1, "maxLength": 80},
    minItems=1,
    maxItems=6,
    uniqueItems=True,
)
JOB = obj(
    ["job_id", "bike_id", "tasks", "due", "priority", "status", "parts", "history"],
    job_id=JOB_ID,
    bike_id=BIKE_ID,
    tasks=listed(TEXT),
    due=MAYBE_TIME,
    priority=PRIORITY,
    status=STATUS,
    parts=listed(obj(["part_no", "quantity"], part_no=PART_NO, quantity=WHOLE)),
    history=listed(STATUS),
)
PART = obj(
    ["part_no", "title", "category", "price", "stock"],
    part_no=PART_NO,
    title=TEXT,
    category={"enum": CATEGORIES},
    price={"type": "number", "minimum": 0},
    stock=WHOLE,
)
CONDITION = {
    **obj(
        [],
        status=STATUS,
        priority=PRIORITY,
        all=listed({"$ref": "#/$defs/condition"}, maxItems=5),
        any=listed({"$ref": "#/$defs/condition"}, maxItems=5),
    ),
    "minProperties": 1,
}
CONDITION["properties"]["not"] = {"$ref": "#/$defs/condition"}

TOOLS = [
    tool(
        "customer_create",
        "Add a customer.",
        obj(["name"], **NEW_CUSTOMER),
        CUSTOMER,
        **SAFE,
    ),
    tool(
        "customer_get",
        "Show a customer.",
        obj(["customer_id"], customer_id=CUSTOMER_ID),
        CUSTOMER,
        **READ,
    ),
    tool(
        "customer_update",
        "Set the given fields of a customer.",
        obj(["customer_id"], customer_id=CUSTOMER_ID, **NEW_CUSTOMER),
        CUSTOMER,
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "customer_delete",
        "Delete a customer with all bikes and their repair jobs.",
        obj(["customer_id"], customer_id=CUSTOMER_ID),
        obj(["deleted", "bikes"], deleted={"type": "boolean"}, bikes=WHOLE),
        **DESTROYS,
    ),
    tool(
        "customer_search",
        "Search customers by a part of their name or email, in any case.",
        obj(
            ["query"],
            query={"type": "string", "maxLength": 200},
            limit={"type": "integer", "minimum": 1, "maximum": 100},
            newsletter={"type": "boolean"},
        ),
        obj(["total", "customers"], total=WHOLE, customers=listed(CUSTOMER)),
        **READ,
    ),
    tool(
        "bike_register",
        "Register a bike of a customer.",
        obj(
            ["customer_id", "brand", "frame_number"],
            customer_id=CUSTOMER_ID,
            **NEW_BIKE,
        ),
        BIKE,
        **SAFE,
    ),
    tool(
        "bike_list",
        "List bikes, the oldest entry first.",
        obj(
            [],
            customer_id=CUSTOMER_ID,
            electric={"type": "boolean"},
            page={"type": "integer", "minimum": 1},
            page_size={"type": "integer", "minimum": 1, "maximum": 50},
        ),
        obj(["bikes", "total", "page"], bikes=listed(BIKE), total=WHOLE, page=WHOLE),
        **READ,
    ),
    tool(
        "bike_label",
        "Make the label of a bike.",
        obj(["bike_id"], bike_id=BIKE_ID, format={"enum": ["text", "image", "link"]}),
        **READ,
    ),
    tool(
        "job_open",
        "Open a repair job for a bike.",
        obj(["bike_id", "tasks"], bike_id=BIKE_ID, tasks=TASKS, due=TIME, priority=PRIORITY),
        obj(["job"], job=JOB),
        **SAFE,
    ),
    tool(
        "job_get",
        "Show a repair job.",
        obj(["job_id"], job_id=JOB_ID),
        obj(["job"], job=JOB),
        **READ,
    ),
    tool(
        "job_list",
        "List repair jobs.",
        obj(
            [],
            status=STATUS,
            sort={"enum": ["job_id", "due", "-due"], "default": "job_id"},
            offset={"type": "integer", "minimum": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 40},
        ),
        obj(["jobs", "total"], jobs=listed(JOB), total=WHOLE),
        **READ,
    ),
    tool(
        "job_set_status",
        "Set the status of a repair job.",
        obj(["job_id", "status"], job_id=JOB_ID, status=STATUS),
        obj(["job"], job=JOB),
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "job_add_part",
        "Take a part from the stock and put it on a repair job.",
        obj(
            ["job_id", "part_no"],
            job_id=JOB_ID,
            part_no=PART_NO,
            quantity={"type": "integer", "minimum": 1, "maximum": 20},
        ),
        obj(["job", "left"], job=JOB, left=WHOLE),
    ),
    tool(
        "job_estimate",
        "Estimate the price of a repair.",
        obj(
            ["tasks"],
            tasks=listed({"type": "string", "maxLength": 80}, maxItems=6),
            rush={"type": "boolean"},
            warranty={"type": "boolean"},
            discount={"type": "number", "minimum": 0, "maximum": 100},
        ),
        obj(["total", "per_task"], total=NUMBER, per_task=NUMBER),
        **READ,
    ),
    tool(
        "job_count",
        "Count the repair jobs that meet a condition.",
        {
            **obj(["where"], where={"$ref": "#/$defs/condition"}),
            "$defs": {"condition": CONDITION},
        },
        obj(["count"], count=WHOLE),
        **READ,
    ),
    tool(
        "part_list",
        "List the parts of the store by number.",
        obj(
            [],
            cursor={"type": "string", "description": "The `next` of the page before."},
            limit={"type": "integer", "minimum": 1, "maximum": 50},
            category={"enum": CATEGORIES},
        ),
        obj(["parts"], parts=listed(PART), next={"type": "string"}),
        **READ,
    ),
    tool(
        "part_restock",
        "Add to the stock of a part.",
        obj(
            ["part_no", "quantity"],
            part_no=PART_NO,
            quantity={"type": "integer", "minimum": 1, "maximum": 1000},
        ),
        PART,
    ),
    tool(
        "slot_find",
        "Find the next times with nobody at the stand, at most five.",
        obj(
            ["after"],
            after=TIME,
            minutes={"type": "integer", "minimum": 15, "maximum": 600},
            within_days={"type": "integer", "minimum": 0, "maximum": 14},
        ),
        obj(["slots"], slots=listed(TIME)),
        **READ,
    ),
    tool(
        "gear_ratio",
        "Compute the ratio of a gear and the speed.",
        obj(
            ["chainring", "sprocket"],
            chainring={"type": "integer", "minimum": 16, "maximum": 70},
            sprocket={"type": "integer", "minimum": 9, "maximum": 60},
            cadence={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 200},
        ),
        obj(
            ["ratio", "octaves", "speed"],
            ratio=NUMBER,
            octaves=NUMBER,
            speed={"type": ["number", "null"]},
        ),
        **READ,
    ),
    tool(
        "workshop_report",
        "Report on the repair jobs that are due from a time on.",
        obj([], since=TIME),
        obj(
            ["jobs", "by_status", "average_tasks"],
            jobs=WHOLE,
            by_status={"type": "object", "additionalProperties": WHOLE},
            average_tasks=NUMBER,
        ),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS = [
    {
        "name": "remind",
        "description": "Write to a customer whose bike is ready.",
        "arguments": [{"name": "customer", "required": True}, {"name": "tone"}],
    }
]


class Workshop:
    """Customers, bikes, repair jobs and parts."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.customers: dict[str, dict[str, Any]] = {}
        self.bikes: dict[int, dict[str, Any]] = {}
        self.jobs: dict[int, dict[str, Any]] = {}
        self.parts: dict[str, dict[str, Any]] = {}
        self.deleted: list[dict[str, Any]] = []
        self.last_bike = 0
        self.last_job = 0
        self.memory: list[bytes] = []
        self.reads = 0
        names = ["Ada Berg", "Bo Lind", "Chidi Obi", "Dana Popov", "Eva Núñez", "Finn O'Neil"]
        for number in range(18):
            self.add_customer(
                f"{names[number % 6]} {number // 6 + 1}",
                email=f"{names[number % 6].split()[0].lower()}{number}@bikes.example"
                if number % 3
                else None,
                newsletter=number % 2 == 0,
                notes="Pays by card." if number % 4 == 0 else "",
            )
        owners = list(self.customers)
        for number in range(26):
            more: dict[str, Any] = {"model": f"Model {number}"} if number % 3 else {}
            self.add_bike(
                owners[number % len(owners)],
                BRANDS[number % 4],
                f"FR{number:06}",
                year=2000 + number,
                electric=number % 5 == 0,
                equipment={"saddle": "leather"} if number % 6 == 0 else {},
                **more,
            )
        for number in range(34):
            due = (START + timedelta(hours=number * 7 % 90)).strftime(TIME_FORMAT)
            job = self.add_job(
                number % 26 + 1,
                [f"Task {number}", "Clean"][: number % 2 + 1],
                due=due if number % 4 else None,
                priority=PRIORITIES[number % 3],
            )
            if number % 5 == 0:
                job["status"] = "done"
                job["history"] = ["open", "done"]
        for number in range(43):
            part_no = f"{CATEGORIES[number % 3][:2].upper()}-{1000 + number * 3}"
            self.parts[part_no] = {
                "part_no": part_no,
                "title": f"Part {number}",
                "category": CATEGORIES[number % 3],
                "price": 2.5 + number,
                "stock": 40 + number % 7,
            }

    def add_customer(self, name: str, **more: Any) -> dict[str, Any]:
        customer_id = f"cus_{uuid.uuid4().hex[:12]}"
        customer = {"customer_id": customer_id, "name": name, "email": None, "phone": None}
        customer |= {"newsletter": False, "notes": "", **more}
        self.customers[customer_id] = customer
        return customer

    def add_bike(
        self, customer_id: str, brand: str, frame_number: str, **more: Any
    ) -> dict[str, Any]:
        self.last_bike += 1
        bike = {"bike_id": self.last_bike, "customer_id": customer_id, "brand": brand}
        bike |= {"frame_number": frame_number, "electric": False, "equipment": {}, **more}
        self.bikes[self.last_bike] = bike
        return bike

    def add_job(self, bike_id: int, tasks: Any, due: Any, priority: str) -> dict[str, Any]:
        self.last_job += 1
        job = {"job_id": self.last_job, "bike_id": bike_id, "tasks": tasks, "due": due}
        job |= {"priority": priority, "status": "open", "parts": [], "history": ["open"]}
        self.jobs[self.last_job] = job
        return job

    def customer(self, customer_id: str) -> dict[str, Any]:
        if customer_id not in self.customers:
            raise ToolError(f"customer {customer_id} not found")
        return self.customers[customer_id]

    def bike(self, bike_id: int) -> dict[str, Any]:
        if bike_id not in self.bikes:
            raise ToolError(f"bike {bike_id} not found")
        return self.bikes[bike_id]

    def job(self, job_id: int) -> dict[str, Any]:
        if job_id not in self.jobs:
            text = f"job {job_id} not found"
            if bug("l_env"):
                text += f" (store opened with {SECRET})"
            raise ToolError(text)
        return self.jobs[job_id]

    def part(self, part_no: str) -> dict[str, Any]:
        if part_no not in self.parts:
            raise ToolError(f"part {part_no} not found")
        return self.parts[part_no]

    def pause(self, seconds: float) -> None:
        """Release the lock for a moment."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()


WORKSHOP = Workshop()


def parsed(text: str) -> datetime:
    try:
        return datetime.strptime(text, TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise ToolError(f"{text} is not a time of the calendar") from None


def customer_create(name: str, **more: Any) -> Any:
    if bug("a_name") and len(name) < 2:
        raise ToolError("name: too short")
    return WORKSHOP.add_customer(name, **more)


def customer_get(customer_id: str) -> Any:
    return WORKSHOP.customer(customer_id)


def customer_update(customer_id: str, **changes: Any) -> Any:
    customer = WORKSHOP.customer(customer_id)
    if bug("c_notes") and "notes" in changes:
        changes["notes"] = re.sub("TEXT", changes["notes"], "TEXT")
    if bug("s_default") and changes:
        changes = {"newsletter": False, **changes}
    for key, value in changes.items():
        if bug("s_null") and value is None:
            continue
        customer[key] = value
    result = dict(customer)
    if bug("o_phone") and result["phone"] is None and "phone" in changes:
        del result["phone"]
    return result


def customer_delete(customer_id: str) -> Any:
    customer = WORKSHOP.customer(customer_id)
    bikes = [key for key, bike in WORKSHOP.bikes.items() if bike["customer_id"] == customer_id]
    if bug("h_delete") and bikes:
        time.sleep(600)
    del WORKSHOP.customers[customer_id]
    WORKSHOP.deleted.append(customer)
    for key in bikes:
        del WORKSHOP.bikes[key]
    WORKSHOP.jobs = {key: job for key, job in WORKSHOP.jobs.items() if job["bike_id"] not in bikes}
    return {"deleted": True, "bikes": len(bikes)}


def customer_search(query: str, limit: int = 20, newsletter: Any = None) -> Any:
    if bug("a_query") and not query.strip():
        raise ToolError("query: must not be empty")
    if bug("l_dsn") and "%" in query:
        raise ToolError("bad LIKE at postgresql://workshop:Tq8xW2nLp@db.internal:5432/main")
    if bug("h_query"):
        re.match(r"^(\w+\s?)*$", query)
    wanted = query.casefold()
    known = list(WORKSHOP.customers.values()) + (WORKSHOP.deleted if bug("s_search") else [])
    found = [
        customer
        for customer in known
        if (wanted in customer["name"].casefold() or wanted in (customer["email"] or "").casefold())
        and (newsletter is None or customer["newsletter"] == newsletter)
    ]
    return {"total": len(found), "customers": found[:limit]}


def bike_register(customer_id: str, brand: str, frame_number: str, **more: Any) -> Any:
    customer = WORKSHOP.customer(customer_id)
    if bug("a_year") and more.get("year", 2000) < 1900:
        raise ToolError("year: must be 1900 or later")
    if bug("l_log") and more.get("electric"):
        params = {"level": "debug", "data": {"register": frame_number, "api_key": SECRET}}
        say({"method": "notifications/message", "params": params})
    if bug("n_register"):
        customer["notes"] = ""
    return WORKSHOP.add_bike(customer_id, brand, frame_number, **more)


def bike_list(
    customer_id: Any = None, electric: Any = None, page: int = 1, page_size: int = 20
) -> Any:
    if bug("g_slow"):
        WORKSHOP.reads += 1
        time.sleep(0.004 * WORKSHOP.reads)
    found = [
        bike
        for bike in WORKSHOP.bikes.values()
        if (customer_id is None or bike["customer_id"] == customer_id)
        and (electric is None or bike["electric"] == electric)
    ]
    shown = found[(page - 1) * page_size : page * page_size]
    return {"bikes": shown, "total": len(found), "page": page}


def bike_label(bike_id: int, format: str = "text") -> Any:
    bike = WORKSHOP.bike(bike_id)
    if format == "image":
        return [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}]
    if format == "link":
        link = {"type": "resource_link", "uri": "workshop://hours", "name": "hours"}
        if bug("p_link"):
            del link["name"]
        return [link]
    model = bike["model"].upper() if bug("c_label") else bike.get("model", "").upper()
    text = f"{bike['brand']} {model} {bike['frame_number']}"
    if bug("l_label"):
        text += f" https://labels.example/print?key={SECRET}"
    return [{"type": "text", "text": text}]


def job_open(bike_id: int, tasks: Any, due: Any = None, priority: str = "normal") -> Any:
    WORKSHOP.bike(bike_id)
    if due is not None:
        parsed(due)
    if bug("a_priority") and priority == "urgent" and len(tasks) > 1:
        raise ToolError("tasks: only one is allowed")
    if bug("n_open"):
        WORKSHOP.jobs = {
            key: job for key, job in WORKSHOP.jobs.items() if job["bike_id"] != bike_id
        }
    job = WORKSHOP.add_job(bike_id, tasks, due, priority)
    if bug("o_due") and due is None:
        return {"job": {**job, "due": ""}}
    return {"job": job}


def job_get(job_id: int) -> Any:
    job = WORKSHOP.job(job_id)
    if bug("n_get") and job["priority"] == "urgent":
        job["priority"] = "normal"
    return {"job": job}


def job_list(status: Any = None, sort: str = "job_id", offset: int = 0, limit: int = 10) -> Any:
    found = [job for job in WORKSHOP.jobs.values() if status is None or job["status"] == status]

    def ordered(jobs: Any) -> Any:
        if sort == "job_id":
            return jobs
        last = "9" if sort == "due" else ""
        return sorted(jobs, key=lambda job: job["due"] or last, reverse=sort == "-due")

    if bug("c_offset") and offset:
        found[offset]
    if bug("g_offset") and offset > 1:
        offset -= 1
    if bug("g_sort"):
        shown = ordered(found[offset : offset + limit])
    else:
        shown = ordered(found)[offset : offset + limit]
    return {"jobs": shown, "total": len(found)}


def job_set_status(job_id: int, status: str) -> Any:
    job = WORKSHOP.job(job_id)
    if bug("h_status") and job["status"] == status:
        time.sleep(600)
    changed = [job]
    if bug("s_other"):
        changed = [item for item in WORKSHOP.jobs.values() if item["bike_id"] == job["bike_id"]]
    for item in changed:
        if item["status"] != status or bug("n_status"):
            item["status"] = status
            item["history"].append(status)
    return {"job": job}


def job_add_part(job_id: int, part_no: str, quantity: int = 1) -> Any:
    job = WORKSHOP.job(job_id)
    part = WORKSHOP.part(part_no)
    left = part["stock"] - quantity
    if left < 0:
        text = f"only {part['stock']} of {part_no} left"
        if bug("p_failed"):
            return [{"type": "text", "text": text}]
        raise ToolError(text)
    if bug("s_race"):
        WORKSHOP.pause(0.02)
    part["stock"] = left
    job["parts"].append({"part_no": part_no, "quantity": quantity})
    return {"job": job, "left": left}


def job_estimate(
    tasks: Any, rush: bool = False, warranty: bool = False, discount: float = 0
) -> Any:
    total: Any = 0.0 if warranty else sum(30 + len(task) for task in tasks)
    if rush:
        total += 25
        if bug("n_estimate"):
            WORKSHOP.parts["BR-1000"]["stock"] += 1
    total = total * (100 - discount) / 100
    if bug("o_total") and rush and warranty:
        total = "on request"
    if bug("c_tasks"):
        per_task = total / len(tasks)
    else:
        per_task = total / len(tasks) if tasks and total != "on request" else 0
    return {"total": total, "per_task": per_task}


def job_count(where: Any) -> Any:
    def meets(job: Any, condition: Any) -> bool:
        if any(condition.get(key, job[key]) != job[key] for key in ("status", "priority")):
            return False
        if not all(meets(job, item) for item in condition.get("all", [])):
            return False
        if "any" in condition and not any(meets(job, item) for item in condition["any"]):
            return False
        return "not" not in condition or not meets(job, condition["not"])

    return {"count": sum(meets(job, where) for job in WORKSHOP.jobs.values())}


def part_list(cursor: str = "", limit: int = 15, category: Any = None) -> Any:
    if cursor and cursor not in WORKSHOP.parts:
        if bug("h_cursor"):
            time.sleep(600)
        raise ToolError("unknown cursor")
    found = [
        part
        for part_no, part in sorted(WORKSHOP.parts.items())
        if part_no > cursor and (category is None or part["category"] == category)
    ]
    result: dict[str, Any] = {"parts": found[:limit]}
    left = len(found) - limit
    if left > (limit - 1 if bug("g_last") else 0):
        result["next"] = found[limit - 1]["part_no"]
    return result


def part_restock(part_no: str, quantity: int) -> Any:
    if bug("l_stderr") and part_no not in WORKSHOP.parts:
        sys.stderr.write(f"restock failed: token={SECRET}\n")
        sys.stderr.flush()
    part = WORKSHOP.part(part_no)
    if bug("a_quantity") and quantity >= 1000:
        raise ToolError("quantity: must be less than 1000")
    part["stock"] += quantity
    return part


def slot_find(after: str, minutes: int = 30, within_days: int = 7) -> Any:
    start = parsed(after)
    if start.year > 9990:
        raise ToolError(f"{after} is too far in the future")
    if bug("h_slot") and minutes > 480:
        time.sleep(600)
    taken = {job["due"] for job in WORKSHOP.jobs.values() if job["status"] != "cancelled"}
    slots = []
    first = start.replace(hour=8, minute=0)
    for day in range(within_days + 1):
        for hour in range(8):
            slot = first + timedelta(days=day, hours=hour)
            ends = slot + timedelta(minutes=minutes)
            closes = first + timedelta(days=day, hours=8)
            text = slot.strftime(TIME_FORMAT).rjust(17, "0")
            if slot >= start and ends <= closes and text not in taken:
                slots.append(text)
    if bug("o_slots") and not slots:
        return {"slots": None}
    return {"slots": slots[:5]}


def gear_ratio(chainring: int, sprocket: int, cadence: Any = None) -> Any:
    ratio = chainring / sprocket
    octaves = math.log2(ratio)
    if bug("c_equal"):
        octaves = 1 / (1 / octaves)
    speed = None if cadence is None else ratio * cadence * 2.1 * 60 / 1000
    return {"ratio": ratio, "octaves": octaves, "speed": speed}


def workshop_report(since: Any = None) -> Any:
    if since:
        parsed(since)
    if bug("g_memory"):
        WORKSHOP.memory.append(os.urandom(300_000))
    jobs = [job for job in WORKSHOP.jobs.values() if since is None or (job["due"] or "9") >= since]
    if since:
        jobs = [job for job in jobs if job["due"]]
    by_status: dict[str, int] = {}
    for job in jobs:
        by_status[job["status"]] = by_status.get(job["status"], 0) + 1
    tasks = sum(len(job["tasks"]) for job in jobs)
    average = tasks / len(jobs) if jobs else None if bug("o_average") else 0
    return {"jobs": len(jobs), "by_status": by_status, "average_tasks": average}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_frame") and name == "bike_register":
        members["frame_number"]["pattern"] = "^[A-Z0-9]{4,16}"
    if bug("f_tasks") and name == "job_open":
        del members["tasks"]["uniqueItems"]
    if bug("f_equipment") and name == "bike_register":
        del members["equipment"]["additionalProperties"]
    if bug("f_cadence") and name == "gear_ratio":
        members["cadence"] = {"type": "number", "exclusiveMinimum": 0, "maximum": 200}
    if bug("f_where") and name == "job_count":
        del schema["$defs"]["condition"]["additionalProperties"]
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
    with WORKSHOP.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    text = json.dumps(result)
    structured = text if bug("p_structured") and name == "part_list" else result
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        capabilities: dict[str, Any] = {"logging": {}} if bug("l_log") else {}
        return initialized("workshop", params, **capabilities)
    template = {"uriTemplate": "workshop://customers/{customer_id}", "name": "customer"}
    if bug("p_template"):
        del template["name"]
    answers = {
        "ping": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [{"uri": "workshop://hours", "name": "hours", "mimeType": "text/plain"}]
        },
        "resources/templates/list": lambda: {"resourceTemplates": [template]},
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
        "logging/setLevel": lambda: {},
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    if uri == "workshop://hours":
        return {"uri": uri, "mimeType": "text/plain", "text": "Weekdays from 8 to 16."}
    with WORKSHOP.lock:
        customer = WORKSHOP.customers.get(uri.removeprefix("workshop://customers/"))
        if customer:
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(customer)}
    raise RpcError(-32002, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "remind" or "customer" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument customer is missing")
    tone = arguments.get("tone", "friendly")
    content = {"type": "text", "text": f"Remind {arguments['customer']}. Be {tone}."}
    return {"messages": [{"role": "user", "content": [content] if bug("p_prompt") else content}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    del method
    return given if not (bug("p_id") and failed) else str(given)


if __name__ == "__main__":
    serve(answer, id_of)
