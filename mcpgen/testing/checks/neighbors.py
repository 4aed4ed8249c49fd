"""Compares calls that differ in one value within the schema: if some work, all should."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, canonical, distinct, is_array, is_number, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import Answer, has_worked, is_about_arguments
from mcpgen.testing.arguments.entities import role_of
from mcpgen.testing.arguments.fresh_arguments import DAY
from mcpgen.testing.arguments.safety import claims_read_only, is_secret
from mcpgen.testing.arguments.value_paths import values_at, with_value, without_property
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks import calls
from mcpgen.testing.run_context import RunContext

_MIN_PASSING = 2
_MAX_ENTITIES = 12
_SINGLE_TEXTS: dict[str, tuple[str, ...]] = {
    "Zo\u00eb \u4f60\u597d \U0001f389": ("Zo\u00eb", "\u4f60\u597d", "\U0001f389"),
    "it's  \"a; 100% %s {} {0}": ("it's", "a  b", 'say "a"', "a;b", "100%", "%s", "{}", "{0}"),
    "*(a[b{c+d|e?\\": ("*a", "(a", "[a", "{a", "a+?", "a|b", "a\\"),
    "a **b __c ``d ~~e <f> [g](h {{i ${j <!--": (
        *("a **b", "__c", "``d", "~~e", "<f>", "[g](h", "{{i", "${j", "<!--"),
    ),
    "a\0b\r\nc \u05e9\u200f\u05dc": ("a\0b", "a\r\nb", "\u05e9\u200f\u05dc"),
}
"""Groups of strings in one. The single strings are only tried if the server rejects their group."""
GROUPS_OF_LETTERS = [*_SINGLE_TEXTS][:1]
GROUPS_OF_SIGNS = [*_SINGLE_TEXTS][1:]
SHORT_TEXTS = ("", " ", "a", *GROUPS_OF_LETTERS)
_OF_NO_FORMAT = (
    *SHORT_TEXTS,
    *(text for group in GROUPS_OF_LETTERS for text in _SINGLE_TEXTS[group]),
)
"""Strings that a server may reject if it needs an address or a date."""


def vary(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool with each value. Failures become cases of their own."""
    arguments, path = case.data["arguments"], case.data["path"]
    if not lab.is_good(case.name, arguments) and not has_worked(lab.call(case.name, arguments)):
        return []
    passing: list[Json] = [*values_at(arguments, path)] if path else []
    passing += case.data.get("passing", [])
    named = _argument_with_pattern(lab.input(case.name), path)
    refused: list[Json] = []
    values: list[Json] = case.data["values"]
    while values:
        accepted, refusals, is_complete = _try_values(lab, case, values)
        passing += accepted
        if not named and len(path) == 1 and _is_free_text(passing):
            named = str(path[0])
        values = []
        for value, answer in refusals:
            if is_about_arguments(answer, named):
                refused.append(value)
                values += _single_texts(lab, case, value)
            else:
                _follow_up(lab, case.name, with_value(arguments, tuple(path), value), answer)
        if not is_complete:
            return []  # the call without a response is a case now
    _schedule_refusals(lab, case, refused, passing, named)
    return []


def _schedule_refusals(
    lab: RunContext, case: Case, refused: Sequence[Json], passing: Sequence[Json], named: str
) -> None:
    """Schedule each refused value as a case of its own, if enough similar ones pass."""
    for value in refused:
        if isinstance(value, str) and "\0" in value:
            continue  # file names and most databases can't contain it
        if case.data.get("has_format") and value in _OF_NO_FORMAT:
            continue
        alike = _alike(value, passing)
        if len(alike) >= _required_passes(value, [*case.data["values"], *passing]):
            if isinstance(value, float) and value.is_integer():
                if lab.refuses_integral:
                    continue
                lab.refuses_integral = True
            data: Json = {"path": case.data["path"], "passing": alike[:_MIN_PASSING]}
            data |= {"arguments": case.data["arguments"], "value": value, "named": named}
            lab.follow_ups.append(Case("neighbor", case.subject, data))


def _try_values(
    lab: RunContext, case: Case, values: Sequence[Json]
) -> tuple[list[Json], list[tuple[Json, Answer]], bool]:
    """Make a call with each value.

    Returns the accepted values, the errors for others, and whether each call got a response. A call
    that is known to work isn't repeated if the tool only reads.
    """
    accepted: list[Json] = []
    refusals: list[tuple[Json, Answer]] = []
    is_reading = claims_read_only(lab.tool(case.name))
    for value in values:
        changed = with_value(case.data["arguments"], tuple(case.data["path"]), value)
        if is_reading and lab.is_good(case.name, changed):
            accepted.append(value)
            continue
        answer = lab.call(case.name, changed)
        if answer.fault is not None:
            return accepted, refusals, False
        if has_worked(answer):
            accepted.append(value)
        else:
            refusals.append((value, answer))
    return accepted, refusals, True


def pairs(lab: RunContext, case: Case) -> list[Verdict]:
    """Make a call with several values that the working call doesn't have.

    If the server refuses it, the smallest refused combination of these values becomes a case.
    """
    base, arguments = case.data["base"], case.data["arguments"]
    answer = lab.call(case.name, arguments)
    _follow_up(lab, case.name, arguments, answer)
    if not is_about_arguments(answer):
        return []
    for name in _changed_names(base, arguments):
        fewer = _with_value_of(arguments, name, base)
        if lab.input(case.name).allows(fewer) and is_about_arguments(lab.call(case.name, fewer)):
            arguments = fewer
    together = _changed_names(base, arguments)
    if len(together) == 1 and together[0] in base and together[0] in arguments:
        name = together[0]
        data: Json = {"path": [name], "values": [arguments[name]]}
        lab.follow_ups.append(Case("neighbors", case.subject, {"arguments": base, **data}))
    passing = [_with_value_of(arguments, name, base) for name in together]
    ranges = [name for name in together if _RANGES & {*words_of(name)}]
    may_combine = not _restricts_combinations(lab, case.name) and len(ranges) < 2
    if len(passing) >= _MIN_PASSING and may_combine:
        data = {"path": [], "passing": passing[:_MIN_PASSING], "value": arguments}
        lab.follow_ups.append(Case("neighbor", case.subject, {"arguments": base, **data}))
    return []


def _changed_names(base: Json, arguments: Json) -> list[str]:
    """Return the names with another value. Absent isn't null, and true isn't 1."""
    names = {**base, **arguments}
    return [name for name in names if _encode(base, name) != _encode(arguments, name)]


def _encode(arguments: Json, name: str) -> bytes:
    return canonical([arguments[name]] if name in arguments else [])


def _with_value_of(arguments: Json, name: str, base: Json) -> Json:
    """Return arguments with one value of another call, or without it."""
    rest = without_property(arguments, name)
    return {**rest, name: base[name]} if name in base else rest


def _follow_up(lab: RunContext, tool: str, arguments: Json, answer: Answer) -> None:
    """Schedule a refused call as a case of its own, if its text shows a crash."""
    if answer.is_refusal and any(calls.of_error(answer, is_valid=True)):
        lab.follow_up(tool, arguments)


_RANGES = frozenset(
    "min max minimum maximum low high lower upper start end from to since until before after first"
    " last begin stop".split()
)
"""Words for arguments that must be in order, such as a start and an end."""
_EXCLUSIVE = re.compile(
    r"\bboth\b|\beither\b|mutually|exclusive|\bonly (?:one|if|when|with|for)\b|\bone of\b|combin"
    r"|\btogether\b|\brequires?\b|ignored|instead of|\bunless\b|conflicts?\b",
    re.IGNORECASE,
)


def _restricts_combinations(lab: RunContext, tool: str) -> bool:
    """Return True if a description may restrict the combinations of arguments."""
    return bool(_EXCLUSIVE.search(json.dumps(lab.tool(tool))))


def _single_texts(lab: RunContext, case: Case, value: Json) -> Iterator[str]:
    """Yield the allowed strings of a refused group."""
    path = tuple(case.data["path"])
    for text in _SINGLE_TEXTS.get(value, ()) if isinstance(value, str) else ():
        if lab.input(case.name).allows(with_value(case.data["arguments"], path, text)):
            yield text


def check_refusal(lab: RunContext, case: Case) -> list[Verdict]:
    """Report a rejected value if its neighbors are accepted in the same call."""
    arguments, path = case.data["arguments"], tuple(case.data["path"])
    if path and not [*values_at(arguments, path)]:
        return []  # shrinking removed the value at this path
    for value in case.data["passing"]:
        if not has_worked(lab.call(case.name, with_value(arguments, path, value))):
            return []
    value = case.data["value"]
    changed = with_value(arguments, path, value)
    if not lab.input(case.name).allows(changed):
        return []
    answer = lab.call(case.name, changed)
    named = case.data.get("named") or _argument_with_pattern(lab.input(case.name), path)
    if not is_about_arguments(answer, named) or _names_another(answer, changed, path):
        return []
    if _accepts_for_another_entity(lab, case.name, changed, path):
        return []
    at = pointer(path)
    text = brief(repr(value), 40)
    detail = f"{at or 'arguments'} {text}: {brief(answer.text(), 100)}"
    return [Verdict("C104", detail, f"{at} {_kind(value)}", answer.display_text())]


def _accepts_for_another_entity(
    lab: RunContext, tool: str, arguments: dict[str, Json], path: tuple[str | int, ...]
) -> bool:
    """Return True if a refused value is accepted for another entity, whose state allows it."""
    if role_of(lab.tool(tool)) == "destroy":
        return False
    for name, value in arguments.items():
        if path[:1] == (name,) or is_secret(name):
            continue
        sources = lab.known_values.matching(tool, name)
        ids = distinct(item for _, values, is_sure in sources if is_sure for item in values)
        for other in [item for item in ids if item != value][:_MAX_ENTITIES]:
            if has_worked(lab.call(tool, {**arguments, name: other})):
                return True
    return False


def _names_another(answer: Answer, arguments: Json, path: tuple[str | int, ...]) -> bool:
    """Return True if an error compares the value with another argument, such as a first day."""
    value = next(values_at(arguments, path), None) if path else None
    other_arguments = {name: item for name, item in arguments.items() if path[:1] != (name,)}
    names = [name for name, item in other_arguments.items() if _is_comparable(item, value)]
    return any(re.search(rf"\b{re.escape(name)}\b", answer.text()) for name in names)


def _is_comparable(first: Json, other: Json) -> bool:
    """Return True for two numbers, and for two days or times."""
    if isinstance(first, str) and isinstance(other, str):
        return bool(DAY.match(first) and DAY.match(other))
    return is_number(first) and is_number(other)


def _argument_with_pattern(schema: Schema, path: Sequence[str | int]) -> str:
    """Return the argument at a path if the schema has a pattern for it, or ""."""
    part = schema.members().get(str(path[0])) if len(path) == 1 else None
    return str(path[0]) if is_object(part) and "pattern" in part else ""


def _is_free_text(passing: Sequence[Json]) -> bool:
    """Return True if an argument accepts strings with special characters, unlike a cursor."""
    return sum(value in GROUPS_OF_SIGNS for value in passing) >= _MIN_PASSING


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
