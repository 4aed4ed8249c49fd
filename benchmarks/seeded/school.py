"""A server of a school's office, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import threading
import time
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

SECRET = os.environ.get("SCHOOL_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(80))
SUBJECTS = ["math", "languages", "science", "arts"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"]
LETTERS = ["A", "B", "C", "D", "E", "F"]
WHOLE = {"type": "integer", "minimum": 0}
SWITCH = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
COURSE_ID = {"type": "string", "minLength": 1, "description": "ID of a course."}
STUDENT_ID = {"type": "integer", "minimum": 1, "description": "ID of a student."}
LESSON_ID = {"type": "string", "minLength": 1, "description": "ID of a lesson."}
SUBJECT = {"type": "string", "enum": SUBJECTS}
LEVEL = {"type": "integer", "minimum": 1, "maximum": 13}
HOUR = {"type": "integer", "minimum": 1, "maximum": 11}
POINTS = {"type": "number", "minimum": 0, "maximum": 15, "multipleOf": 0.5}
COURSE_PARTS = {
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "subject": SUBJECT,
    "weekly_hours": {"type": "integer", "minimum": 1, "maximum": 12},
    "capacity": {"type": "integer", "minimum": 1, "maximum": 40},
    "requires": listed(COURSE_ID, uniqueItems=True, maxItems=5),
    "textbook": {"type": ["string", "null"], "maxLength": 100},
}
COURSE = obj(
    ["course_id", *COURSE_PARTS, "enrolled"],
    course_id=COURSE_ID,
    **COURSE_PARTS,
    enrolled=WHOLE,
)
GUARDIAN = obj(
    ["name"],
    name={"type": "string", "minLength": 1, "maxLength": 60},
    phone={"type": "string", "pattern": "^[0-9]{3,5}-[0-9]{4,8}$"},
)
STUDENT_PARTS = {
    "name": {"type": "string", "minLength": 1, "maxLength": 60},
    "birthday": DAY,
    "level": LEVEL,
    "languages": listed({"type": "string", "minLength": 2, "maxLength": 20}, maxItems=8),
    "guardian": GUARDIAN,
}
STUDENT = obj(
    ["student_id", "name", "birthday", "level", "languages", "full_age"],
    student_id=STUDENT_ID,
    **STUDENT_PARTS,
    full_age={"type": "string", "format": "date", "description": "The 18th birthday."},
)
GRADE = obj(
    ["student_id", "course_id", "points", "weight", "comment"],
    student_id=STUDENT_ID,
    course_id=COURSE_ID,
    points=POINTS,
    weight={"type": "number", "exclusiveMinimum": 0, "maximum": 10},
    comment={"type": ["string", "null"], "maxLength": 300},
)
LESSON = obj(
    ["lesson_id", "course_id", "day", "first_hour", "last_hour", "room"],
    lesson_id=LESSON_ID,
    course_id=COURSE_ID,
    day={"enum": DAYS},
    first_hour=HOUR,
    last_hour=HOUR,
    room=TEXT,
)
ROOM = {"type": "string", "minLength": 1, "maxLength": 12}
ABSENCE = obj(
    ["student_id", "first_day", "last_day", "days", "excused"],
    student_id=STUDENT_ID,
    first_day=DAY,
    last_day=DAY,
    days={"type": "integer", "minimum": 1},
    excused=SWITCH,
    reason=TEXT,
)
RULE = {
    "oneOf": [
        obj(["subject", "hours"], subject=SUBJECT, hours=WHOLE),
        obj(["all"], all=listed({"$ref": "#/$defs/rule"}, maxItems=6)),
        obj(["any"], any=listed({"$ref": "#/$defs/rule"}, maxItems=6)),
    ]
}

TOOLS = [
    tool(
        "create_course",
        "Create a course.",
        obj(["title", "subject", "weekly_hours", "capacity"], **COURSE_PARTS),
        COURSE,
        **SAFE,
    ),
    tool("get_course", "Get a course.", obj(["course_id"], course_id=COURSE_ID), COURSE, **READ),
    tool(
        "update_course",
        "Update a course. Members that aren't given stay.",
        obj(["course_id"], course_id=COURSE_ID, **COURSE_PARTS),
        COURSE,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "delete_course",
        "Delete a course with its lessons, enrollments and grades.",
        obj(["course_id"], course_id=COURSE_ID),
        obj(["deleted"], deleted=COURSE_ID),
        **DESTROYS,
    ),
    tool(
        "list_courses",
        "List courses, in the order of their creation or by title.",
        obj(
            [],
            subject=SUBJECT,
            min_hours={"type": "integer", "minimum": 1, "maximum": 12},
            sort={"enum": ["created", "title"]},
            page={"type": "integer", "minimum": 1, "default": 1},
            page_size={"type": "integer", "minimum": 1, "maximum": 30, "default": 8},
        ),
        obj(["courses", "total"], courses=listed(COURSE), total=WHOLE),
        **READ,
    ),
    tool(
        "admit_student",
        "Admit a student.",
        obj(["name", "birthday", "level"], **STUDENT_PARTS),
        STUDENT,
        **SAFE,
    ),
    tool(
        "get_student",
        "Get a student.",
        obj(["student_id"], student_id=STUDENT_ID),
        STUDENT,
        **READ,
    ),
    tool(
        "update_student",
        "Update a student. Members that aren't given stay.",
        obj(["student_id"], student_id=STUDENT_ID, **STUDENT_PARTS),
        STUDENT,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "list_students",
        "List students by number, all or those of a level.",
        obj(
            [],
            level=LEVEL,
            limit={"type": "integer", "minimum": 1, "maximum": 25, "default": 6},
            cursor={"type": "string", "description": "next_cursor of the page before."},
        ),
        obj(["students"], students=listed(STUDENT), next_cursor=TEXT),
        **READ,
    ),
    tool(
        "remove_student",
        "Remove a student with enrollments, grades and absences.",
        obj(["student_id"], student_id=STUDENT_ID),
        obj(["removed"], removed=STUDENT_ID),
        **DESTROYS,
    ),
    tool(
        "search_students",
        "Search students by name.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 60},
            match={"enum": ["part", "start", "word"], "default": "part"},
            limit={"type": "integer", "minimum": 1, "maximum": 30, "default": 10},
        ),
        obj(["students"], students=listed(STUDENT)),
        **READ,
    ),
    tool(
        "enroll",
        "Enroll a student in a course that has a free place.",
        obj(["student_id", "course_id"], student_id=STUDENT_ID, course_id=COURSE_ID),
        COURSE,
        **SAFE,
    ),
    tool(
        "withdraw",
        "Withdraw a student from a course. The grades in it are deleted.",
        obj(["student_id", "course_id"], student_id=STUDENT_ID, course_id=COURSE_ID),
        COURSE,
        **DESTROYS,
    ),
    tool(
        "record_grade",
        "Record a grade of a student in a course.",
        obj(
            ["student_id", "course_id", "points"],
            student_id=STUDENT_ID,
            course_id=COURSE_ID,
            points=POINTS,
            weight={"type": "number", "exclusiveMinimum": 0, "maximum": 10},
            comment={"type": ["string", "null"], "maxLength": 300},
        ),
        GRADE,
        **SAFE,
    ),
    tool(
        "list_grades",
        "List the grades of a student, in all courses or in one.",
        obj(["student_id"], student_id=STUDENT_ID, course_id=COURSE_ID),
        obj(["grades"], grades=listed(GRADE)),
        **READ,
    ),
    tool(
        "grade_report",
        "Report the weighted averages of a student.",
        obj(["student_id"], student_id=STUDENT_ID, rounded=SWITCH),
        obj(
            ["courses", "remarks"],
            courses=listed(
                obj(
                    ["course_id", "average", "grades"],
                    course_id=COURSE_ID,
                    average={"type": ["number", "null"], "minimum": 0, "maximum": 15},
                    grades=WHOLE,
                )
            ),
            remarks=listed(TEXT),
        ),
        **READ,
    ),
    tool(
        "plan_lesson",
        "Plan a lesson of one hour, or of two.",
        obj(
            ["course_id", "day", "hour", "room"],
            course_id=COURSE_ID,
            day={"enum": DAYS},
            hour=HOUR,
            room=ROOM,
            double=SWITCH,
        ),
        LESSON,
        **SAFE,
    ),
    tool(
        "move_lesson",
        "Move a lesson to another hour of its day, and possibly to another room.",
        obj(["lesson_id", "hour"], lesson_id=LESSON_ID, hour=HOUR, room=ROOM),
        LESSON,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "get_timetable",
        "Get the planned lessons, all or those of a course or day.",
        obj([], course_id=COURSE_ID, day={"enum": DAYS}),
        obj(["lessons"], lessons=listed(LESSON)),
        **READ,
    ),
    tool(
        "report_absence",
        "Report that a student is absent, from the first to the last day.",
        obj(
            ["student_id", "first_day", "last_day"],
            student_id=STUDENT_ID,
            first_day=DAY,
            last_day=DAY,
            excused=SWITCH,
            reason={"type": "string", "maxLength": 200},
        ),
        ABSENCE,
        **SAFE,
    ),
    tool(
        "list_absences",
        "List the absences of a student.",
        obj(["student_id"], student_id=STUDENT_ID, excused=SWITCH),
        obj(["absences"], absences=listed(ABSENCE)),
        **READ,
    ),
    tool(
        "curve",
        "Convert points to letters. Raised points stay at the maximum.",
        obj(
            ["points"],
            points=listed({"type": "number", "minimum": 0, "maximum": 15}, maxItems=40),
            raised={"type": "number", "minimum": 0, "maximum": 5},
        ),
        obj(["letters", "failed"], letters=listed({"enum": LETTERS}), failed=WHOLE),
        **READ,
    ),
    tool(
        "check_rule",
        "Check if a student's courses fulfill a rule.",
        {
            **obj(
                ["student_id", "rule"],
                student_id=STUDENT_ID,
                rule={"$ref": "#/$defs/rule"},
            ),
            "$defs": {"rule": RULE},
        },
        obj(["fulfilled"], fulfilled=SWITCH),
        **READ,
    ),
    tool(
        "print_certificate",
        "Print a certificate of a student.",
        obj(
            ["student_id"],
            student_id=STUDENT_ID,
            kind={"enum": ["text", "picture", "file"], "default": "text"},
            copies={"type": "integer", "minimum": 1, "maximum": 5},
        ),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "letter",
        "description": "Write a letter to the parents.",
        "arguments": [{"name": "topic", "required": True}, {"name": "tone"}],
    }
]


def day_of(text: str) -> date:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        extra = f" (calendar: caldav://sync:{SECRET}@calendar.internal)" if bug("l_date") else ""
        raise ToolError(f"{text} is not a date, for example 2027-03-01{extra}") from None


def full_age(birthday: date) -> str:
    """Return the 18th birthday: of a leap day, the day after the last of February."""
    if birthday.year > 9981:
        raise ToolError("birthday: too late")
    try:
        return birthday.replace(year=birthday.year + 18).isoformat()
    except ValueError:
        if bug("c_leap"):
            raise
        return date(birthday.year + 18, 3, 1).isoformat()


class School:
    """Courses, students and what belongs to both."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.courses: dict[str, Any] = {}
        self.students: dict[int, Any] = {}
        self.lessons: dict[str, Any] = {}
        self.enrolled: list[tuple[int, str]] = []
        self.left: list[Any] = []
        self.lost: dict[str, int] = {}
        self.grades: list[Any] = []
        self.absences: list[Any] = []
        self.remarks: list[str] = []
        self.last = {"course": 100, "student": 0, "lesson": 0}
        titles = ["Algebra", "Latin", "Optics", "Drawing & painting", "Algebra II", "Choir"]
        for number in range(17):
            self.add_course(
                {
                    "title": f"{titles[number % 6]} {number}",
                    "subject": SUBJECTS[number % 4],
                    "weekly_hours": number % 5 + 1,
                    "capacity": 12 + number,
                    "requires": [f"c{100 + number // 2}"] if number % 3 == 2 else [],
                }
            )
        names = ["Noor Visser", "Tomás O'Neill", "Wei Zhang", "Greta Lind"]
        for number in range(19):
            student = {
                "name": f"{names[number % 4]} {number}",
                "birthday": f"20{10 + number % 7}-0{number % 9 + 1}-14",
                "level": number % 6 + 5,
                "languages": ["en", "nl", "zh"][: number % 4],
            }
            if number % 3:
                student["guardian"] = {
                    "name": "Alex Visser",
                    "phone": f"0{number % 9}0-55512{number}",
                }
            self.add_student(student)
        for number in range(24):
            self.enrolled.append((number % 8 + 1, f"c{101 + number % 5}"))
            if number % 2:
                self.add_grade(
                    number % 8 + 1, f"c{101 + number % 5}", (number % 8 + 14) / 2, 1, None
                )
        for number in range(10):
            hour = number % 7 + 1
            self.add_lesson(f"c{101 + number}", DAYS[number % 5], hour, hour, f"R{number % 4}")
        for number in range(6):
            self.add_absence(
                number % 3 + 1, date(2026, 10, number + 5), number % 3, bool(number % 2)
            )

    def add_course(self, parts: Any) -> Any:
        self.last["course"] += 1
        course_id = f"c{self.last['course']}"
        self.courses[course_id] = {
            "course_id": course_id,
            "requires": [],
            "textbook": None,
            **parts,
        }
        return self.course(course_id)

    def course(self, course_id: str) -> Any:
        if course_id not in self.courses:
            raise ToolError(f"there is no course {course_id}")
        return self.shown(self.courses[course_id])

    def shown(self, course: Any) -> Any:
        course_id = course["course_id"]
        enrolled = sum(item == course_id for _, item in self.enrolled)
        return {**course, "enrolled": enrolled + self.lost.get(course_id, 0)}

    def check_requires(self, course_id: str | None, requires: list[str]) -> None:
        """Refuse unknown courses, and a course that requires itself, directly or not."""
        if course_id is not None and bug("h_requires") and course_id in requires:
            time.sleep(600)
        waiting, seen = list(requires), set()
        while waiting:
            other = waiting.pop()
            if other == course_id:
                raise ToolError(f"{course_id} can't require itself")
            if other not in seen:
                seen.add(other)
                waiting += self.course(other)["requires"]

    def add_student(self, parts: Any) -> Any:
        age = full_age(day_of(parts["birthday"]))
        self.last["student"] += 1
        added = {"student_id": self.last["student"], "languages": [], **parts, "full_age": age}
        self.students[added["student_id"]] = added
        return added

    def student(self, student_id: int) -> Any:
        if student_id not in self.students:
            raise ToolError(f"there is no student {student_id}")
        return self.students[student_id]

    def add_grade(
        self, student_id: int, course_id: str, points: Any, weight: Any, text: Any
    ) -> Any:
        added = {"student_id": student_id, "course_id": course_id, "points": points}
        added |= {"weight": weight, "comment": text}
        self.grades.append(added)
        return added

    def add_lesson(self, course_id: str, day: str, first: int, last: int, room: str) -> Any:
        self.last["lesson"] += 1
        added = {"lesson_id": f"lesson-{self.last['lesson']}", "course_id": course_id, "day": day}
        added |= {"first_hour": first, "last_hour": last, "room": room}
        self.lessons[added["lesson_id"]] = added
        return added

    def lesson_in(self, day: str, first: int, last: int, room: str, but: str = "") -> Any:
        """Return the ID of a lesson that takes the room at the time."""
        for lesson_id, item in self.lessons.items():
            same = item["day"] == day and item["room"] == room and lesson_id != but
            if same and item["first_hour"] <= last and item["last_hour"] >= first:
                return lesson_id
        return None

    def add_absence(self, student_id: int, first: date, more_days: int, excused: bool) -> Any:
        last = first + timedelta(days=more_days)
        added = {"student_id": student_id, "first_day": first.isoformat()}
        days = 0 if bug("o_single") and more_days == 0 else more_days + 1
        added |= {"last_day": last.isoformat(), "days": days, "excused": excused}
        self.absences.append(added)
        return added


SCHOOL = School()


def create_course(**parts: Any) -> Any:
    SCHOOL.check_requires(None, parts.get("requires", []))
    return SCHOOL.add_course(parts)


def get_course(course_id: str) -> Any:
    return SCHOOL.course(course_id)


def update_course(course_id: str, **changes: Any) -> Any:
    course = SCHOOL.course(course_id)
    SCHOOL.check_requires(course_id, changes.get("requires", []))
    if changes.get("capacity", 40) < course["enrolled"]:
        raise ToolError(f"{course_id} has {course['enrolled']} students already")
    if bug("s_textbook") and not changes.get("textbook", "-"):
        del changes["textbook"]
    SCHOOL.courses[course_id] |= changes
    return SCHOOL.course(course_id)


def delete_course(course_id: str) -> Any:
    SCHOOL.course(course_id)
    SCHOOL.left.append(SCHOOL.courses.pop(course_id))
    for item in SCHOOL.courses.values():
        item["requires"] = [other for other in item["requires"] if other != course_id]
    SCHOOL.enrolled = [pair for pair in SCHOOL.enrolled if pair[1] != course_id]
    SCHOOL.grades = [item for item in SCHOOL.grades if item["course_id"] != course_id]
    SCHOOL.lessons = {
        key: item for key, item in SCHOOL.lessons.items() if item["course_id"] != course_id
    }
    return {"deleted": course_id}


def list_courses(
    subject: Any = None,
    min_hours: int = 1,
    sort: str = "created",
    page: int = 1,
    page_size: int = 8,
) -> Any:
    kept = list(SCHOOL.courses.values())
    if sort == "title":
        kept += SCHOOL.left if bug("s_title") else []
        kept.sort(key=lambda item: (item["title"], item["course_id"]))
    matches = [
        SCHOOL.shown(item)
        for item in kept
        if subject in (None, item["subject"]) and item["weekly_hours"] >= min_hours
    ]
    while bug("h_nothing") and not matches:
        time.sleep(0.05)
    part = matches[(page - 1) * page_size : page * page_size]
    if bug("g_sorted"):
        created = sorted(matches, key=lambda item: int(item["course_id"][1:]))
        part = created[(page - 1) * page_size : page * page_size]
        part.sort(key=lambda item: item["title"] if sort == "title" else "")
    if bug("o_beyond") and not part:
        return {"courses": part, "total": None}
    return {"courses": part, "total": len(matches)}


def admit_student(**parts: Any) -> Any:
    return SCHOOL.add_student(parts)


def get_student(student_id: int) -> Any:
    return SCHOOL.student(student_id)


def update_student(student_id: int, **changes: Any) -> Any:
    student = SCHOOL.student(student_id)
    if "birthday" in changes:
        changes["full_age"] = full_age(day_of(changes["birthday"]))
    if bug("s_guardian") and "guardian" in changes:
        changes["guardian"] = {**student.get("guardian", {}), "name": changes["guardian"]["name"]}
    student |= changes
    return student


def list_students(level: Any = None, limit: int = 6, cursor: str = "") -> Any:
    if cursor and not bug("c_cursor") and not re.fullmatch("s[0-9]{1,7}", cursor, re.ASCII):
        raise ToolError("cursor: use the next_cursor of a page")
    after = int(cursor[1:]) if cursor else 0
    rest = [item for key, item in SCHOOL.students.items() if key > after]
    if bug("g_level"):
        # The filter sees only the students of the page.
        page = [item for item in rest[:limit] if level in (None, item["level"])]
        last = rest[:limit][-1]["student_id"] if rest else 0
        more = len(rest) > limit and bool(page)
    else:
        rest = [item for item in rest if level in (None, item["level"])]
        page, more = rest[:limit], len(rest) > limit
        last = page[-1]["student_id"] if page else 0
    return {"students": page, "next_cursor": f"s{last}"} if more else {"students": page}


def remove_student(student_id: int) -> Any:
    SCHOOL.student(student_id)
    del SCHOOL.students[student_id]
    SCHOOL.enrolled = [pair for pair in SCHOOL.enrolled if pair[0] != student_id]
    SCHOOL.grades = [item for item in SCHOOL.grades if item["student_id"] != student_id]
    SCHOOL.absences = [item for item in SCHOOL.absences if item["student_id"] != student_id]
    return {"removed": student_id}


def search_students(text: str, match: str = "part", limit: int = 10) -> Any:
    lowered = text.lower()
    while bug("h_spaces") and "  " in lowered:
        lowered = lowered.replace("   ", "  ")

    def matches(name: str) -> bool:
        if match == "start":
            return name.startswith(lowered)
        if match == "word" and bug("c_word"):
            return re.search(rf"\b{lowered}\b", name) is not None
        if match == "word":
            return lowered in name.split()
        return lowered in name

    hits = [item for item in SCHOOL.students.values() if matches(item["name"].lower())]
    return {"students": hits[: limit + 1 if bug("g_more") else limit]}


def enroll(student_id: int, course_id: str) -> Any:
    SCHOOL.student(student_id)
    course = SCHOOL.course(course_id)
    if (student_id, course_id) in SCHOOL.enrolled:
        raise ToolError(f"student {student_id} is in {course_id} already")
    if course["enrolled"] >= course["capacity"]:
        extra = f" (mail gateway: smtp://office:{SECRET}@mail.internal)" if bug("l_full") else ""
        raise ToolError(f"{course_id} is full{extra}")
    SCHOOL.enrolled.append((student_id, course_id))
    return SCHOOL.course(course_id)


def require_enrolled(student_id: int, course_id: str) -> None:
    SCHOOL.student(student_id)
    SCHOOL.course(course_id)
    if (student_id, course_id) not in SCHOOL.enrolled:
        raise ToolError(f"student {student_id} isn't in {course_id}")


def withdraw(student_id: int, course_id: str) -> Any:
    require_enrolled(student_id, course_id)
    if bug("s_places"):
        SCHOOL.lost[course_id] = SCHOOL.lost.get(course_id, 0) + 1
    SCHOOL.enrolled = [pair for pair in SCHOOL.enrolled if pair != (student_id, course_id)]
    SCHOOL.grades = [
        item
        for item in SCHOOL.grades
        if (item["student_id"], item["course_id"]) != (student_id, course_id)
    ]
    return SCHOOL.course(course_id)


def record_grade(
    student_id: int, course_id: str, points: float, weight: float = 1, comment: Any = None
) -> Any:
    require_enrolled(student_id, course_id)
    if bug("s_grade"):
        SCHOOL.grades = [
            item
            for item in SCHOOL.grades
            if (item["student_id"], item["course_id"]) != (student_id, course_id)
        ]
    return SCHOOL.add_grade(student_id, course_id, points, weight, comment)


def list_grades(student_id: int, course_id: Any = None) -> Any:
    SCHOOL.student(student_id)
    of_student = [item for item in SCHOOL.grades if item["student_id"] == student_id]
    return {"grades": [item for item in of_student if course_id in (None, item["course_id"])]}


def grade_report(student_id: int, rounded: bool = False) -> Any:
    student = SCHOOL.student(student_id)
    rows: list[Any] = []
    for other, course_id in SCHOOL.enrolled:
        if other != student_id:
            continue
        grades = list_grades(student_id, course_id)["grades"]
        average: Any = "none" if bug("o_average") else None
        if grades:
            weights = sum(item["weight"] for item in grades)
            average = sum(item["points"] * item["weight"] for item in grades) / weights
            average = min(15, round(average) if rounded else round(average, 2))
        if bug("n_report") and rounded:
            for item in grades:
                item["points"] = round(item["points"])
                item["weight"] = 1
        rows.append({"course_id": course_id, "average": average, "grades": len(grades)})
    remark = f"Report for {student['name']}"
    if bug("g_remarks"):
        SCHOOL.remarks.append(remark)
        return {"courses": rows, "remarks": SCHOOL.remarks}
    return {"courses": rows, "remarks": [remark]}


def plan_lesson(course_id: str, day: str, hour: int, room: str, double: bool = False) -> Any:
    SCHOOL.course(course_id)
    last = hour + 1 if double else hour
    if last > 11 and not bug("o_double"):
        raise ToolError("the day has 11 hours")
    taken = SCHOOL.lesson_in(day, hour, last, room)
    if taken is not None:
        extra = f", rooms=mysql://planner:{SECRET}@rooms.internal/plan" if bug("l_room") else ""
        raise ToolError(f"{room} is taken by {taken}{extra}")
    if bug("n_double") and double:
        SCHOOL.lessons = {
            key: item
            for key, item in SCHOOL.lessons.items()
            if (item["course_id"], item["day"]) != (course_id, day)
        }
    return SCHOOL.add_lesson(course_id, day, hour, last, room)


def move_lesson(lesson_id: str, hour: int, room: Any = None) -> Any:
    if lesson_id not in SCHOOL.lessons:
        raise ToolError(f"there is no lesson {lesson_id}")
    lesson = SCHOOL.lessons[lesson_id]
    length = lesson["last_hour"] - lesson["first_hour"]
    room = lesson["room"] if room is None else room
    if bug("n_move") and lesson["first_hour"] == hour:
        hour = 1
    if hour + length > 11:
        raise ToolError("the day has 11 hours")
    taken = SCHOOL.lesson_in(lesson["day"], hour, hour + length, room, lesson_id)
    if taken is not None:
        raise ToolError(f"{room} is taken by {taken}")
    lesson |= {"first_hour": hour, "last_hour": hour + length, "room": room}
    return lesson


def get_timetable(course_id: Any = None, day: Any = None) -> Any:
    if bug("g_slow"):
        SCHOOL.remarks.append("timetable")
        time.sleep(0.002 * len(SCHOOL.remarks))
    if bug("n_order") and day is not None:
        by_hour = sorted(SCHOOL.lessons.items(), key=lambda item: item[1]["first_hour"])
        SCHOOL.lessons = dict(by_hour)
    of_course = [item for item in SCHOOL.lessons.values() if course_id in (None, item["course_id"])]
    return {"lessons": [item for item in of_course if day in (None, item["day"])]}


def report_absence(
    student_id: int, first_day: str, last_day: str, excused: bool = False, reason: Any = None
) -> Any:
    SCHOOL.student(student_id)
    first, last = day_of(first_day), day_of(last_day)
    if last < first:
        while bug("h_days"):
            time.sleep(0.05)
        raise ToolError("the last day is before the first")
    added = SCHOOL.add_absence(student_id, first, (last - first).days, excused)
    if reason is not None:
        added["reason"] = f"{reason}" % () if bug("c_reason") else reason
    return added


def list_absences(student_id: int, excused: Any = None) -> Any:
    SCHOOL.student(student_id)
    of_student = [item for item in SCHOOL.absences if item["student_id"] == student_id]
    return {"absences": [item for item in of_student if excused in (None, item["excused"])]}


def curve(points: list[float], raised: float = 0) -> Any:
    if bug("a_points") and not points:
        raise ToolError("points: at least one is required")
    limits = [13, 10, 7, 4, 1]
    letters = []
    for item in points:
        value = min(15, item + raised)
        letter = LETTERS[sum(value < limit for limit in limits)]
        letters.append("A+" if bug("o_letters") and value >= 15 else letter)
    return {"letters": letters, "failed": letters.count("F")}


def check_rule(student_id: int, rule: Any) -> Any:
    SCHOOL.student(student_id)
    courses = [SCHOOL.courses[key] for other, key in SCHOOL.enrolled if other == student_id]

    def fulfilled(part: Any) -> bool:
        if "subject" in part:
            of_subject = [item for item in courses if item["subject"] == part["subject"]]
            return sum(item["weekly_hours"] for item in of_subject) >= part["hours"]
        if "all" in part:
            return all(fulfilled(item) for item in part["all"])
        if bug("c_any"):
            return max(fulfilled(item) for item in part["any"])
        return any(fulfilled(item) for item in part["any"])

    return {"fulfilled": fulfilled(rule)}


def print_certificate(student_id: int, kind: str = "text", copies: int = 1) -> Any:
    student = SCHOOL.student(student_id)
    while bug("h_copies") and kind == "file" and copies == 5:
        time.sleep(0.05)
    text = f"{student['name']} is a student of this school."
    if kind == "picture":
        data = base64.b64encode(PNG + bytes([student_id % 256])).decode()
        mime = "image/jpeg" if bug("p_picture") else "image/png"
        return [{"type": "image", "data": data, "mimeType": mime}] * copies
    if kind == "file":
        uri = f"school://students/{student_id}"
        uri = uri.removeprefix("school:/") if bug("p_path") else uri
        if bug("n_private"):
            student.pop("guardian", None)
        resource = {"uri": uri, "mimeType": "application/json", "text": json.dumps(student)}
        return [{"type": "resource", "resource": resource}] * copies
    return [{"type": "text", "text": text}] * copies


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_phone") and "guardian" in members:
        members["guardian"]["properties"]["phone"]["pattern"] = "[0-9]{3,5}-[0-9]{4,8}"
    if bug("f_half") and name == "record_grade":
        del members["points"]["multipleOf"]
    if bug("f_truth") and name == "update_course":
        members["capacity"] = {"anyOf": [members["capacity"], {"type": "boolean"}]}
    if bug("f_language") and name == "admit_student":
        del members["languages"]["items"]["minLength"]
    if bug("f_all") and name == "check_rule":
        del schema["$defs"]["rule"]["oneOf"][1]["properties"]["all"]["maxItems"]
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def refusal(name: str, arguments: Any) -> str:
    """Return why a bug refuses a call that the schema allows."""
    if bug("a_hours") and name == "update_course" and arguments.get("weekly_hours", 1) >= 12:
        return "weekly_hours: maximum"
    if bug("a_phone") and name == "admit_student":
        guardian = arguments.get("guardian")
        if guardian is not None and "phone" not in guardian:
            return "guardian: required"
    if bug("a_requires") and name == "create_course" and len(arguments.get("requires", [])) == 5:
        return "requires: maxItems"
    if bug("a_textbook") and name == "update_course" and arguments.get("textbook", "") is None:
        return "textbook: type"
    return ""


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    if reason := refusal(name, arguments):
        raise RpcError(-32602, f"invalid arguments: {reason}")
    if bug("p_progress") and name == "curve" and len(arguments["points"]) > 2:
        progress = {"progressToken": 1, "progress": 1, "total": len(arguments["points"])}
        say({"method": "notifications/progress", "params": progress})
    with SCHOOL.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    if bug("p_content") and name == "list_absences" and not result["absences"]:
        return {"structuredContent": result}
    return {
        "content": [{"type": "text", "text": json.dumps(result)}],
        "structuredContent": result,
    }


def answer(method: str, params: Any) -> Any:
    answers = {
        "initialize": lambda: initialized("school", params),
        "ping": dict,
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [{"uri": "school://bells", "name": "bells", "mimeType": "text/plain"}]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [
                {"uriTemplate": "school://students/{student_id}", "name": "student"}
            ]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    with SCHOOL.lock:
        if uri == "school://bells":
            return {"uri": uri, "mimeType": "text/plain", "text": "8:00, 8:50, 9:40"}
        number = uri.removeprefix("school://students/")
        if re.fullmatch("[1-9][0-9]{0,7}", number, re.ASCII) and int(number) in SCHOOL.students:
            text = json.dumps(SCHOOL.students[int(number)])
            return {"uri": uri, "mimeType": "application/json", "text": text}
    extra = f" in redis://cache:{SECRET}@files.internal/2" if bug("l_read") else ""
    raise RpcError(-32002, f"resource {uri} not found{extra}")


def prompt(name: str, arguments: Any) -> Any:
    if name != "letter":
        raise RpcError(-32602, f"unknown prompt {name}")
    if "topic" not in arguments:
        extra = f" (template store: api_key={SECRET})" if bug("l_prompt") else ""
        raise RpcError(-32602, f"the argument topic is missing{extra}")
    text = f"Write a letter to the parents about {arguments['topic']}"
    text += f" in a {arguments['tone']} tone." if "tone" in arguments else "."
    role = "system" if bug("p_role") and "tone" in arguments else "user"
    return {"messages": [{"role": role, "content": {"type": "text", "text": text}}]}


def id_of(method: str, request_id: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return request_id


if __name__ == "__main__":
    serve(answer, id_of)
