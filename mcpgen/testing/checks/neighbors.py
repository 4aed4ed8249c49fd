"""Compares calls that differ in one value within the schema: if some work, all should."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.answer import INVALID_PARAMS, Answer, has_worked
from mcpgen.testing.checks.chains import UNKNOWN
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.value_paths import with_value

_ARGUMENT = re.compile(
    r"\binvalid\b|validation|\brequired\b|\bmust\b|not (?:allowed|supported|valid|accepted|one of)"
    r"|\bexpected\b|\bshould be\b|\btoo (?:long|short|small|large|big|many|few)\b"
    r"|\bat (?:least|most)"
    r"|\bempty\b|\bblank\b|out of range|less than|greater than|does not match|malformed",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"already|exist|conflict|permission|denied|forbidden|unauthor|locked|busy|in use|expired"
    r"|not available|unavailable|duplicate|limit reached|quota|timed? ?out"
    r"|\bE(?:NAMETOOLONG|NOENT|ISDIR|NOTDIR|ACCES|PERM)\b|\[Errno \d+\]",
    re.IGNORECASE,
)
_MIN_PASSING = 2


def vary(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool with each value. Failures become cases of their own."""
    arguments, path = case.data["arguments"], case.data["path"]
    if not lab.is_good(case.name, arguments) and not has_worked(lab.call(case.name, arguments)):
        return []
    passing: list[Json] = []
    refused: list[Json] = []
    for value in case.data["values"]:
        answer = lab.call(case.name, with_value(arguments, tuple(path), value))
        if answer.fault is not None:
            return []  # the call itself is a case now
        if has_worked(answer):
            passing.append(value)
        elif is_about_arguments(answer):
            refused.append(value)
    for value in refused:
        if isinstance(value, str) and "\0" in value:
            continue  # no file name and few databases can have it
        alike = _alike(value, passing)
        if len(alike) >= _required_passes(value, case.data["values"]):
            data: Json = {"path": path, "passing": alike[:_MIN_PASSING], "value": value}
            lab.follow_ups.append(Case("neighbor", case.subject, {"arguments": arguments, **data}))
    return []


def check_refusal(lab: RunContext, case: Case) -> list[Verdict]:
    """Report a rejected value if its neighbors are accepted in the same call."""
    arguments, path = case.data["arguments"], tuple(case.data["path"])
    for value in case.data["passing"]:
        if not has_worked(lab.call(case.name, with_value(arguments, path, value))):
            return []
    value = case.data["value"]
    changed = with_value(arguments, path, value)
    if not lab.input(case.name).allows(changed):
        return []
    answer = lab.call(case.name, changed)
    if not is_about_arguments(answer):
        return []
    at = pointer(path)
    text = brief(repr(value), 40)
    detail = f"{at or 'arguments'} {text}: {brief(answer.text(), 100)}"
    return [Verdict("C104", detail, f"{at} {_kind(value)}", answer.display_text())]


def is_about_arguments(answer: Answer) -> bool:
    """Return True if an error calls the arguments invalid, not the objects they refer to."""
    if not answer.is_refusal:
        return False
    text = answer.text()
    if UNKNOWN.search(text) or _STATE.search(text):
        return False
    return answer.code == INVALID_PARAMS or bool(_ARGUMENT.search(text))


def _alike(value: Json, passing: Sequence[Json]) -> list[Json]:
    """Return the passing values that are of the same JSON type."""
    return [item for item in passing if _kind(item) == _kind(value) and item != value]


def _required_passes(value: Json, values: Sequence[Json]) -> int:
    """Return how many neighbors must pass: all others, if the type has two values."""
    matches = len(_alike(value, values))
    if isinstance(value, bool) or value is None:
        return 0
    return max(1, min(_MIN_PASSING, matches))


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if is_array(value) else "object" if is_object(value) else "null"
