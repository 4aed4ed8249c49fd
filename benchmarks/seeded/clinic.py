"""A server of an animal clinic, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import threading
import time
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

SECRET = os.environ.get("CLINIC_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(120))
SPECIES = ["dog", "cat", "rabbit", "bird", "other"]
VETS = ["Amari", "Birk", "Cho", "locum"]
DRUGS = {"meloxicam": 0.1, "amoxicillin": 12.5, "insulin": 0.4}
TRENDS = ["first", "up", "down", "same"]
TODAY = date(2027, 1, 4)
WHOLE = {"type": "integer", "minimum": 0}
SWITCH = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
OWNER_ID = {"type": "string", "minLength": 1, "description": "ID of an owner."}
PATIENT_ID = {"type": "string", "minLength": 1, "description": "ID of a patient."}
APPOINTMENT_ID = {"type": "integer", "minimum": 1, "description": "ID of an appointment."}
VET = {"type": "string", "enum": VETS}
ANIMAL = {"type": "string", "enum": SPECIES}
DRUG = {"type": "string", "enum": list(DRUGS)}
SLOT = {"type": "integer", "minimum": 0, "maximum": 15, "description": "Half an hour from 9:00."}
KILOGRAMS = {"type": "number", "exclusiveMinimum": 0, "maximum": 1000}
ADDRESS = obj(
    ["city"],
    street={"type": "string", "maxLength": 80},
    zip={"type": "string", "pattern": "^[0-9]{5}$"},
    city={"type": "string", "minLength": 1, "maxLength": 60},
)
OWNER_PARTS = {
    "name": {"type": "string", "minLength": 1, "maxLength": 80},
    "phone": {"type": ["string", "null"], "maxLength": 30},
    "address": ADDRESS,
    "newsletter": SWITCH,
}
OWNER = obj(
    ["owner_id", *OWNER_PARTS],
    owner_id=OWNER_ID,
    **OWNER_PARTS | {"address": {"anyOf": [ADDRESS, {"type": "null"}]}},
)
PATIENT = obj(
    ["patient_id", "owner_id", "name", "species", "born", "allergies", "weights"],
    patient_id=PATIENT_ID,
    owner_id=OWNER_ID,
    name=TEXT,
    species=ANIMAL,
    born={"type": ["string", "null"]},
    age_years=WHOLE,
    chip=TEXT,
    allergies=listed(TEXT),
    weights=listed(KILOGRAMS),
)
APPOINTMENT = obj(
    ["appointment_id", "patient_id", "vet", "day", "slot", "reason", "urgent", "status", "moved"],
    appointment_id=APPOINTMENT_ID,
    patient_id=PATIENT_ID,
    vet=VET,
    day=DAY,
    slot=SLOT,
    reason=TEXT,
    urgent=SWITCH,
    status={"enum": ["booked", "canceled"]},
    moved=WHOLE,
)
DOSE = obj(
    ["amount", "unit"],
    amount={"type": "number", "exclusiveMinimum": 0, "maximum": 500},
    unit={"enum": ["mg", "ml", "units"]},
)
PRESCRIPTION_PARTS = {
    "drug": DRUG,
    "dose": DOSE,
    "times_a_day": {"type": "integer", "minimum": 1, "maximum": 6},
    "days": {"type": "integer", "minimum": 1, "maximum": 90},
}
PRESCRIPTION = obj(
    ["prescription_id", "patient_id", *PRESCRIPTION_PARTS, "doses"],
    prescription_id=TEXT,
    patient_id=PATIENT_ID,
    **PRESCRIPTION_PARTS,
    doses=WHOLE,
)
FINDING = {
    "oneOf": [
        obj(
            ["symptom", "severity"],
            symptom={"enum": ["fever", "limp", "bleeding", "cough"]},
            severity={"type": "number", "minimum": 0, "maximum": 10},
        ),
        obj(["all"], all=listed({"$ref": "#/$defs/finding"}, minItems=1)),
        obj(
            ["weighted"],
            weighted=listed(
                obj(
                    ["weight", "finding"],
                    weight={"type": "number", "minimum": 0, "maximum": 100},
                    finding={"$ref": "#/$defs/finding"},
                ),
                minItems=1,
                maxItems=5,
            ),
        ),
    ]
}

TOOLS = [
    tool("create_owner", "Add an owner.", obj(["name"], **OWNER_PARTS), OWNER, **SAFE),
    tool("get_owner", "Get an owner.", obj(["owner_id"], owner_id=OWNER_ID), OWNER, **READ),
    tool(
        "update_owner",
        "Update an owner. Members that aren't given stay.",
        obj(["owner_id"], owner_id=OWNER_ID, **OWNER_PARTS),
        OWNER,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "delete_owner",
        "Delete an owner who has no patients.",
        obj(["owner_id"], owner_id=OWNER_ID),
        obj(["deleted"], deleted=OWNER_ID),
        **DESTROYS,
    ),
    tool(
        "search_owners",
        "Search the names of owners, in upper or lower case.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 100},
            limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        ),
        obj(["owners"], owners=listed(OWNER)),
        **READ,
    ),
    tool(
        "register_patient",
        "Register an animal as a patient.",
        obj(
            ["owner_id", "name", "species"],
            owner_id=OWNER_ID,
            name={"type": "string", "minLength": 1, "maxLength": 60},
            species=ANIMAL,
            born=DAY,
            weight_kg=KILOGRAMS,
            chip={"type": "string", "pattern": "^[0-9]{15}$"},
            allergies=listed(
                {"type": "string", "minLength": 1, "maxLength": 40}, uniqueItems=True, maxItems=12
            ),
        ),
        PATIENT,
        **SAFE,
    ),
    tool(
        "get_patient", "Get a patient.", obj(["patient_id"], patient_id=PATIENT_ID), PATIENT, **READ
    ),
    tool(
        "list_patients",
        "List patients.",
        obj(
            [],
            species=ANIMAL,
            owner_id=OWNER_ID,
            limit={"type": "integer", "minimum": 1, "maximum": 40, "default": 10},
            cursor={"type": "string", "description": "next_cursor of the page before."},
        ),
        obj(["patients"], patients=listed(PATIENT), next_cursor={"type": "string"}),
        **READ,
    ),
    tool(
        "record_weight",
        "Record the weight of a patient.",
        obj(["patient_id", "kilograms"], patient_id=PATIENT_ID, kilograms=KILOGRAMS),
        obj(
            ["patient_id", "weights", "trend"],
            patient_id=PATIENT_ID,
            weights=listed(KILOGRAMS),
            trend={"enum": TRENDS},
        ),
        **SAFE,
    ),
    tool(
        "book_appointment",
        "Book an appointment with a vet.",
        obj(
            ["patient_id", "vet", "day", "slot"],
            patient_id=PATIENT_ID,
            vet=VET,
            day=DAY,
            slot=SLOT,
            reason={"type": "string", "maxLength": 400},
            urgent=SWITCH,
        ),
        APPOINTMENT,
        **SAFE,
    ),
    tool(
        "reschedule_appointment",
        "Move an appointment to another day and slot of the same vet.",
        obj(
            ["appointment_id", "day", "slot"],
            appointment_id=APPOINTMENT_ID,
            day=DAY,
            slot=SLOT,
        ),
        APPOINTMENT,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "cancel_appointment",
        "Cancel an appointment.",
        obj(
            ["appointment_id"],
            appointment_id=APPOINTMENT_ID,
            note={"type": "string", "maxLength": 200},
        ),
        APPOINTMENT,
        **DESTROYS,
    ),
    tool(
        "list_appointments",
        "List appointments by day, all or those of a vet or of a period.",
        obj(
            [],
            vet=VET,
            first_day=DAY,
            last_day=DAY,
            page={"type": "integer", "minimum": 1, "default": 1},
            per_page={"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        ),
        obj(["appointments", "total"], appointments=listed(APPOINTMENT), total=WHOLE),
        **READ,
    ),
    tool(
        "prescribe",
        "Prescribe a drug for a patient.",
        obj(["patient_id", *PRESCRIPTION_PARTS], patient_id=PATIENT_ID, **PRESCRIPTION_PARTS),
        PRESCRIPTION,
        **SAFE,
    ),
    tool(
        "list_prescriptions",
        "List the prescriptions of a patient, of one drug or of all.",
        obj(["patient_id"], patient_id=PATIENT_ID, drug=DRUG),
        obj(["prescriptions"], prescriptions=listed(PRESCRIPTION)),
        **READ,
    ),
    tool(
        "calculate_dose",
        "Calculate the dose of a drug by weight.",
        obj(
            ["drug", "weight_kg"],
            drug=DRUG,
            weight_kg=KILOGRAMS,
            species=ANIMAL,
            concentration={"type": "number", "minimum": 0.1, "maximum": 100},
            round_to={"type": "number", "minimum": 0, "maximum": 10},
        ),
        obj(
            ["milligrams"],
            milligrams={"type": "number", "minimum": 0},
            milliliters={"type": "number"},
        ),
        **READ,
    ),
    tool(
        "triage",
        "Rate how urgent findings are, from 0 to 10.",
        {**obj(["finding"], finding={"$ref": "#/$defs/finding"}), "$defs": {"finding": FINDING}},
        obj(
            ["score", "at_once"],
            score={"type": "number", "minimum": 0, "maximum": 10},
            at_once=SWITCH,
        ),
        **READ,
    ),
    tool(
        "draw_curve",
        "Draw the weights of a patient.",
        obj(["patient_id"], patient_id=PATIENT_ID, color=SWITCH),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "letter",
        "description": "Write to the owner of a patient.",
        "arguments": [{"name": "patient", "required": True}, {"name": "tone"}],
    }
]


class Clinic:
    """Owners, patients, appointments and prescriptions."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.owners: dict[str, Any] = {}
        self.patients: dict[str, Any] = {}
        self.appointments: dict[int, Any] = {}
        self.prescriptions: list[Any] = []
        self.last = {"owner": 0, "patient": 0}
        self.blocks: list[bytes] = []
        self.calculated: list[str] = []
        names = ["Nora Lind", "Tarek Aziz", "Zoë Ruiz", "Old Mill Farm", "Lindsay Park"]
        for number in range(9):
            address = {"zip": f"1{number:04}", "city": "Brook"} if number % 2 else None
            name = names[number % 5] + (" II" if number > 4 else "")
            self.add_owner(name, f"555-{number}" if number % 3 else None, address)
        for number in range(24):
            species = SPECIES[number % 4]
            born = f"20{10 + number % 14}-05-0{number % 9 + 1}" if number % 3 else None
            weights = [3 + number, 4 + number][: number % 3]
            self.add_patient(f"owner-{number % 6 + 1}", f"Pet {number}", species, born, weights)
        for number in range(12):
            day = f"2027-02-{number // 2 + 1:02}"
            self.add_appointment(f"P{number + 1}", VETS[number % 3], day, number % 8)

    def add_owner(
        self, name: str, phone: Any = None, address: Any = None, newsletter: bool = False
    ) -> Any:
        self.last["owner"] += 1
        added = {"owner_id": f"owner-{self.last['owner']}", "name": name, "phone": phone}
        added |= {"address": address, "newsletter": newsletter}
        self.owners[added["owner_id"]] = added
        return added

    def add_patient(
        self, owner_id: str, name: str, species: str, born: Any, weights: Any, **more: Any
    ) -> Any:
        self.last["patient"] += 1
        added = {"patient_id": f"P{self.last['patient']}", "owner_id": owner_id, "name": name}
        added |= {"species": species, "born": born, "allergies": [], **more}
        if born is not None:
            born_on = day_of(born)
            age = TODAY.year - born_on.year - (TODAY.timetuple()[1:3] < born_on.timetuple()[1:3])
            added["age_years"] = age if bug("o_age") else max(0, age)
        self.patients[added["patient_id"]] = added | {"weights": list(weights)}
        return self.patients[added["patient_id"]]

    def add_appointment(self, patient_id: str, vet: str, day: str, slot: int, **more: Any) -> Any:
        number = len(self.appointments) + 1
        added = {"appointment_id": number, "patient_id": patient_id, "vet": vet, "day": day}
        added |= {"slot": slot, "reason": "", "urgent": False, **more}
        self.appointments[number] = added | {"status": "booked", "moved": 0}
        return self.appointments[number]

    def owner(self, owner_id: str) -> Any:
        if owner_id not in self.owners:
            raise ToolError(f"no owner has the ID {owner_id}")
        return self.owners[owner_id]

    def patient(self, patient_id: str) -> Any:
        if patient_id not in self.patients:
            raise ToolError(f"no patient has the ID {patient_id}")
        return self.patients[patient_id]

    def appointment(self, appointment_id: int) -> Any:
        if appointment_id not in self.appointments:
            raise ToolError(f"no appointment has the ID {appointment_id}")
        return self.appointments[appointment_id]

    def require_free(self, vet: str, day: str, slot: int, moving: Any = None) -> None:
        for other in self.appointments.values():
            if other is moving or other["status"] == "canceled":
                continue
            if (other["vet"], other["day"], other["slot"]) == (vet, day, slot):
                extra = f", see https://{SECRET}@calendar.internal" if bug("l_slot") else ""
                text = f"{vet} already has an appointment on {day} in slot {slot}"
                raise ToolError(text + extra)

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
        raise ToolError(f"{text} is not a date, for example 2027-02-01") from None


CLINIC = Clinic()


def create_owner(name: str, **more: Any) -> Any:
    if bug("c_zip") and "address" in more:
        more["address"]["zip"] = more["address"]["zip"].strip()
    return CLINIC.add_owner(name, **more)


def get_owner(owner_id: str) -> Any:
    return CLINIC.owner(owner_id)


def update_owner(owner_id: str, **changes: Any) -> Any:
    entry = CLINIC.owner(owner_id)
    if bug("s_falsy") and not changes.get("newsletter", True):
        del changes["newsletter"]
    if bug("s_phone") and changes.get("phone") == "":
        del changes["phone"]
    if bug("n_phone") and entry["phone"] and changes.get("phone"):
        changes["phone"] = f"{entry['phone']}, {changes['phone']}"[:30]
    entry |= changes
    return entry


def delete_owner(owner_id: str) -> Any:
    CLINIC.owner(owner_id)
    if any(item["owner_id"] == owner_id for item in CLINIC.patients.values()):
        extra = f" (SELECT as clinic:{SECRET}@db.internal)" if bug("l_owner") else ""
        raise ToolError(f"{owner_id} still has patients{extra}")
    del CLINIC.owners[owner_id]
    return {"deleted": owner_id}


def search_owners(text: str, limit: int = 10) -> Any:
    lowered = text.lower()
    if bug("g_slow"):
        CLINIC.blocks.append(b"")
        time.sleep(0.002 * len(CLINIC.blocks))
    while bug("h_spaces") and "  " in lowered:
        time.sleep(0.01)
    matches = [item for item in CLINIC.owners.values() if lowered in item["name"].lower()]
    return {"owners": matches[:limit]}


def register_patient(owner_id: str, name: str, species: str, **more: Any) -> Any:
    CLINIC.owner(owner_id)
    weights = [more.pop("weight_kg")] if "weight_kg" in more else []
    return CLINIC.add_patient(owner_id, name, species, more.pop("born", None), weights, **more)


def get_patient(patient_id: str) -> Any:
    return CLINIC.patient(patient_id)


def list_patients(
    species: Any = None, owner_id: Any = None, limit: int = 10, cursor: str = ""
) -> Any:
    start = 0
    if cursor:
        if not re.fullmatch("[0-9]{1,7}", cursor, re.ASCII):
            raise ToolError("cursor: use the next_cursor of a page")
        start = int(cursor)
        while bug("h_cursor") and start > len(CLINIC.patients):
            time.sleep(0.05)
    matches = [
        item
        for item in CLINIC.patients.values()
        if species in (None, item["species"]) and owner_id in (None, item["owner_id"])
    ]
    result: dict[str, Any] = {"patients": matches[start : start + limit]}
    following = start + limit
    if following < len(matches):
        skipped = bug("g_species") and species is not None
        result["next_cursor"] = str(following + skipped)
    return result


def record_weight(patient_id: str, kilograms: float) -> Any:
    weights = CLINIC.patient(patient_id)["weights"]
    while bug("h_same") and weights and weights[-1] == kilograms:
        time.sleep(0.05)
    if bug("n_weights"):
        del weights[:-2]
    if bug("s_weights"):
        weights = list(weights)
        CLINIC.pause(0.02)
        CLINIC.patient(patient_id)["weights"] = weights
    trend = "first"
    if weights:
        trend = "up" if kilograms > weights[-1] else "down"
        if kilograms == weights[-1]:
            trend = "equal" if bug("o_trend") else "same"
    weights.append(kilograms)
    return {"patient_id": patient_id, "weights": weights, "trend": trend}


def book_appointment(patient_id: str, vet: str, day: str, slot: int, **more: Any) -> Any:
    CLINIC.patient(patient_id)
    day_of(day)
    CLINIC.require_free(vet, day, slot)
    if bug("s_slot"):
        CLINIC.pause(0.02)
    return CLINIC.add_appointment(patient_id, vet, day, slot, **more)


def reschedule_appointment(appointment_id: int, day: str, slot: int) -> Any:
    entry = CLINIC.appointment(appointment_id)
    day_of(day)
    if entry["status"] == "canceled":
        extra = f" (audit key {SECRET})" if bug("l_canceled") else ""
        raise ToolError(f"the appointment is canceled{extra}")
    CLINIC.require_free(entry["vet"], day, slot, entry)
    if bug("n_again") or (entry["day"], entry["slot"]) != (day, slot):
        entry["moved"] += 1
    if bug("s_move"):
        for other in CLINIC.appointments.values():
            if other["patient_id"] == entry["patient_id"]:
                other["day"] = day
    same = (entry["day"], entry["slot"]) == (day, slot)
    entry |= {"day": day, "slot": slot}
    return {**entry, "status": "unchanged"} if bug("o_unmoved") and same else entry


def cancel_appointment(appointment_id: int, note: str = "") -> Any:
    entry = CLINIC.appointment(appointment_id)
    if entry["status"] == "canceled":
        extra = f" (calendar token {SECRET})" if bug("l_cancel") else ""
        raise ToolError(f"appointment {appointment_id} is already canceled{extra}")
    entry["status"] = "canceled"
    return entry


def list_appointments(
    vet: Any = None, first_day: Any = None, last_day: Any = None, page: int = 1, per_page: int = 20
) -> Any:
    if bug("c_last") and last_day is not None and last_day < first_day:
        raise ToolError("the last day is before the first")
    first = day_of(first_day) if first_day is not None else date.min
    last = day_of(last_day) if last_day is not None else date.max
    while bug("h_period") and first > last:
        time.sleep(0.01)
    matches = [
        item
        for item in CLINIC.appointments.values()
        if vet in (None, item["vet"]) and first <= day_of(item["day"]) <= last
    ]
    if bug("n_period") and first_day is not None:
        for item in CLINIC.appointments.values():
            if day_of(item["day"]) < first:
                item["status"] = "canceled"
    if not bug("g_order") or per_page < 50:
        matches.sort(key=lambda item: (item["day"], item["slot"], item["appointment_id"]))
    part: Any = matches[(page - 1) * per_page : page * per_page]
    if bug("o_none") and not part and vet is not None:
        part = None
    if bug("g_period") and first_day is not None:
        return {"appointments": part, "total": len(CLINIC.appointments)}
    return {"appointments": part, "total": len(matches)}


def prescribe(patient_id: str, **parts: Any) -> Any:
    CLINIC.patient(patient_id)
    if bug("l_log") and parts["drug"] == "insulin":
        params = {"level": "info", "data": f"order sent, api_key={SECRET}"}
        say({"method": "notifications/message", "params": params})
    added = {"prescription_id": f"rx-{len(CLINIC.prescriptions) + 1}", "patient_id": patient_id}
    added |= {**parts, "doses": parts["times_a_day"] * parts["days"]}
    CLINIC.prescriptions.append(added)
    return added


def list_prescriptions(patient_id: str, drug: Any = None) -> Any:
    CLINIC.patient(patient_id)
    if bug("g_memory"):
        CLINIC.blocks.append(os.urandom(300_000))
    matches = [
        item
        for item in CLINIC.prescriptions
        if item["patient_id"] == patient_id and drug in (None, item["drug"])
    ]
    return {"prescriptions": matches}


def calculate_dose(drug: str, weight_kg: float, **more: Any) -> Any:
    milligrams = weight_kg * DRUGS[drug]
    if more.get("species") == "rabbit":
        milligrams *= 1.5
    step = more.get("round_to", 0)
    if bug("h_round") and "round_to" in more:
        total = 0.0
        while total < milligrams:
            total += max(step, 0.01) if step else 0
        milligrams = total
    elif step >= 0.01:
        milligrams = round(milligrams / step) * step
    if bug("c_species") and "species" in more:
        milligrams *= {"dog": 1, "cat": 1, "rabbit": 1, "bird": 1}[more["species"]]
    result = {"milligrams": milligrams}
    if bug("o_rounded") and step >= 0.01:
        result = {"milligrams": milligrams or None}
    if "concentration" in more:
        result["milliliters"] = milligrams / more["concentration"]
        if bug("n_dose"):
            CLINIC.calculated.append(drug)
    return result


def triage(finding: Any) -> Any:
    def score(part: Any) -> float:
        if "all" in part:
            return max(score(item) for item in part["all"])
        if "weighted" in part:
            total = sum(item["weight"] for item in part["weighted"])
            if not total and not bug("c_weights"):
                return 0
            rated = sum(item["weight"] * score(item["finding"]) for item in part["weighted"])
            return float(min(10, rated / total))
        return float(part["severity"])

    result = score(finding)
    return {"score": result, "at_once": result >= 7}


def draw_curve(patient_id: str, color: bool = False) -> Any:
    weights = CLINIC.patient(patient_id)["weights"]
    if not weights and not bug("c_curve"):
        return [{"type": "text", "text": "There are no weights yet."}]
    height = int(max(weights)) % 200
    picture = PNG + bytes([height])
    encoded = base64.encodebytes(picture) if bug("p_lines") else base64.b64encode(picture)
    return [{"type": "image", "data": encoded.decode(), "mimeType": "image/png"}]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_zip") and name == "create_owner":
        members["address"]["properties"]["zip"]["pattern"] = "^[0-9]{5}"
    if bug("f_allergies") and name == "register_patient":
        del members["allergies"]["uniqueItems"]
    if bug("f_street") and name == "create_owner":
        del members["address"]["properties"]["street"]["maxLength"]
    if bug("f_dose") and name == "prescribe":
        members["dose"]["properties"]["amount"] = {"type": "number", "minimum": 0, "maximum": 500}
    if bug("f_heavy") and name == "triage":
        weighted = schema["$defs"]["finding"]["oneOf"][2]["properties"]["weighted"]
        del weighted["items"]["properties"]["weight"]["maximum"]
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def refusal(name: str, arguments: Any) -> str:
    """Return why a bug refuses a call that the schema allows."""
    if bug("a_times") and name == "prescribe" and arguments["times_a_day"] >= 6:
        return "times_a_day: maximum"
    if bug("a_phone") and name == "update_owner" and arguments.get("phone", "") is None:
        return "phone: type"
    if bug("a_slot") and name == "book_appointment" and not arguments["slot"]:
        return "slot: required"
    if bug("a_limit") and name == "search_owners" and arguments.get("limit", 1) >= 50:
        return "limit: maximum"
    if bug("a_reason") and name == "book_appointment" and arguments.get("reason") == "":
        return "reason: minLength"
    return ""


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    if reason := refusal(name, arguments):
        raise RpcError(-32602, f"invalid arguments: {reason}")
    with CLINIC.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    content = [{"type": "text", "text": json.dumps(result)}]
    if bug("p_array") and name == "list_prescriptions" and "drug" in arguments:
        return {"content": content, "structuredContent": result["prescriptions"]}
    return {"content": content, "structuredContent": result}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        capabilities: dict[str, Any] = {"logging": {}} if bug("l_log") else {}
        return initialized("clinic", params, **capabilities)
    answers = {
        "ping": lambda: None if bug("p_ping") else {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [
                {"uri": "clinic://hours", "name": "hours", "mimeType": "text/plain"},
                {"uri": "clinic://calculations", "name": "calculations", "mimeType": "text/plain"},
            ]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [
                {"uriTemplate": "clinic://patients/{patient_id}", "name": "patient"}
            ]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
        "logging/setLevel": lambda: {},
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    with CLINIC.lock:
        if uri == "clinic://hours" and bug("p_hours"):
            return {"uri": uri, "mimeType": "text/plain"}
        if uri == "clinic://hours":
            return {"uri": uri, "mimeType": "text/plain", "text": "Open from nine to five."}
        if uri == "clinic://calculations":
            text = f"{len(CLINIC.calculated)} calculations are kept."
            return {"uri": uri, "mimeType": "text/plain", "text": text}
        entry = CLINIC.patients.get(uri.removeprefix("clinic://patients/"))
        if entry:
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(entry)}
    raise RpcError(-32002, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "letter" or "patient" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument patient is missing")
    text = f"Write to the owner of {arguments['patient']}"
    text += f" in a {arguments['tone']} tone." if "tone" in arguments else "."
    if bug("p_tone") and "tone" in arguments:
        return {"messages": [{"role": "user", "content": text}]}
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def id_of(method: str, request_id: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return request_id


if __name__ == "__main__":
    serve(answer, id_of)
