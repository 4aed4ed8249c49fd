"""Checks concurrent calls: each must have the same result as a separate call."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import Answer, has_worked
from mcpgen.testing.arguments.entities import count_items, is_volatile
from mcpgen.testing.arguments.known_values import is_id
from mcpgen.testing.arguments.safety import redact
from mcpgen.testing.checks import overwriting
from mcpgen.testing.checks.calls import call_at_once
from mcpgen.testing.run_context import RunContext

_ROUNDS = 2
_AT_ONCE = 8
_NEARLY = 0.99
"""A change below this share of the expected one is a loss, not a rounding error."""


def unique(lab: RunContext, case: Case) -> list[Verdict]:
    """Make concurrent calls that differ in a returned string. Each must get its own.

    Sequential calls must get their own, too, because a search may find the string of an earlier
    call.
    """
    argument, arguments = case.data["argument"], case.data["arguments"]
    texts = [f"mcpgen {letter}" for letter in "abcdefgh"]
    for text, other in (texts[:2], texts[1::-1]):
        alone = lab.call(case.name, {**arguments, argument: text})
        key = alone.comparison_key().lower() if alone.is_success else ""
        if text not in key or other in key:
            return []
    asks = [
        FollowUpRequest(
            "tools/call",
            {"name": case.name, "arguments": lab.renew(case.name, {**arguments, argument: text})},
        )
        for text in texts
    ]
    for text, answer in zip(texts, lab.ask_all(asks), strict=True):
        key = answer.comparison_key().lower()
        other = next((item for item in texts if item in key), "")
        if answer.is_success and other and text not in key:
            detail = f"the call with {argument} {text!r} gets the result for {other!r}"
            return [Verdict("C701", detail, argument, answer.display_text())]
    return []


def at_once(lab: RunContext, case: Case) -> list[Verdict]:
    """Make calls one by one, then all at once, then one by one again."""
    calls: list[Json] = case.data["calls"]
    alone = [lab.ask(**_ask(call)) for call in calls]
    if not all(answer.is_success for answer in alone):
        return []
    expected = [answer.comparison_key() for answer in alone]
    wrong: list[tuple[int, Answer]] = []
    order = [number % len(calls) for number in range(max(_AT_ONCE, len(calls)))]
    for _ in range(_ROUNDS if case.name == "server" else 1):
        asks = [FollowUpRequest(**_ask(calls[number])) for number in order]
        answers = lab.ask_all(asks)
        wrong += [
            (number, answer)
            for number, answer in zip(order, answers, strict=True)
            if answer.comparison_key() != expected[number]
        ]
        if wrong:
            break
    if not wrong:
        return []
    failed = [pair for pair in wrong if pair[1].fault is not None or pair[1].is_refusal]
    number, answer = (failed or wrong)[0]
    # After a fault, the server is a new process with other data.
    if answer.fault is None and _answers_one_by_one(lab, calls) != expected:
        return []  # results differ each time, or the calls had an effect
    if failed:
        detail = f"{_call_text(calls[number])}: {answer.display_text()}"
        return [Verdict("C702", detail, "", answer.display_text())]
    other_results = [other for n, other in enumerate(expected) if n != number]
    whose = (
        "the result of another call"
        if answer.comparison_key() in other_results
        else brief(answer.comparison_key(), 80)
    )
    detail = f"{_call_text(calls[number])} gets {whose}"
    return [Verdict("C701", detail, "", answer.display_text())]


def _answers_one_by_one(lab: RunContext, calls: Sequence[Json]) -> list[str]:
    return [lab.ask(**_ask(call)).comparison_key() for call in calls]


_ADDED = 3
_MAX_SLOTS = 20
_PAUSE = 0.2
Totals: TypeAlias = Mapping[tuple[str, str], float]
"""For each read: the number of entries under "", and the sum of each numeric member."""


def additive(lab: RunContext, case: Case) -> list[Verdict]:
    """Make calls that add something, sequentially and concurrently. Both must add the same."""
    if case.name in lab.renewals and (verdicts := _taken_twice(lab, case)):
        return verdicts
    call: Json = {"name": case.name, "arguments": _repeatable_arguments(lab, case)}
    reads: list[Json] = case.data["reads"]
    before = _totals(lab, reads)
    if not _add_in_a_row(lab, call):
        return []
    between = _totals(lab, reads)
    if all(between.get(name) == size for name, size in before.items()):
        return _lost_members(lab, case) or overwriting.overwritten(lab, case, reads)
    renewed = [lab.renew(case.name, call["arguments"]) for _ in range(_ADDED)]
    answers = call_at_once(lab, case.name, renewed)
    if not all(answer.is_success for answer in answers):
        return []
    after = _totals(lab, reads)
    for (read, member), size in before.items():
        in_a_row = between.get((read, member), size) - size
        at_once = after.get((read, member), 0) - between.get((read, member), 0)
        if member or not in_a_row or in_a_row % _ADDED or at_once >= in_a_row:
            continue
        detail = f"{_ADDED} calls in a row add {in_a_row} entries to {read}, at once {at_once}"
        return [Verdict("C703", detail, "added")]
    return _lost_amounts(lab, call, reads, (before, between, after))


def _taken_twice(lab: RunContext, case: Case) -> list[Verdict]:
    """Make equal calls concurrently. Only one can work, for example if they book a slot."""
    together = _of_a_free_slot(lab, case.name, case.data["arguments"], [_ADDED])
    successes = [answer for answer in together if has_worked(answer)]
    if len(successes) <= 1:
        return []
    in_a_row = _of_a_free_slot(lab, case.name, case.data["arguments"], [1, 1])
    if not in_a_row or not has_worked(in_a_row[0]) or not in_a_row[-1].is_refusal:
        return []
    detail = f"{len(successes)} of {_ADDED} equal calls at once work, and one of 2 in a row"
    return [Verdict("C703", detail, "twice", successes[0].display_text())]


def _of_a_free_slot(
    lab: RunContext, tool: str, arguments: Json, counts: Sequence[int]
) -> list[Answer]:
    """Make equal calls for the first free slot, and return the responses.

    Each of ``counts`` is a number of concurrent calls. If no slot is free, there are no responses.
    """
    slot = lab.renew(tool, arguments)
    for _ in range(_MAX_SLOTS):  # earlier calls have taken some
        answers = call_at_once(lab, tool, [slot] * counts[0])
        if any(map(has_worked, answers)):
            for count in counts[1:]:
                answers += call_at_once(lab, tool, [slot] * count)
            return answers
        slot = lab.renewals[tool].advance(lab.input(tool), arguments) or slot
    return []


def _lost_members(lab: RunContext, case: Case) -> list[Verdict]:
    """Add different items concurrently, then again sequentially, which must add nothing.

    For sets, which contain each item only once.
    """
    several: list[Json] = case.data.get("others", [])
    if not several:
        return []
    reads: list[Json] = case.data["reads"]
    before = _totals(lab, reads)
    answers = call_at_once(lab, case.name, several)
    time.sleep(_PAUSE)
    after = _totals(lab, reads)
    if before == after or not all(answer.is_success for answer in answers):
        return []
    for arguments in several:
        lab.call_again(case.name, arguments)
    last = _totals(lab, reads)
    for read, member in before:
        added = after.get((read, member), 0) - before[read, member]
        missing = last.get((read, member), 0) - after.get((read, member), 0)
        if not member and added > 0 and missing > 0:
            detail = (
                f"{len(several)} calls at once add {added:g} entries to {read},"
                f" and the same in a row {missing:g} more"
            )
            return [Verdict("C703", detail, "members", is_repeatable=False)]
    return []


def _repeatable_arguments(lab: RunContext, case: Case) -> Json:
    """Return the arguments, with small amounts if these work after writes that fill a stock."""
    small = case.data.get("small", case.data["arguments"])
    for other in case.data.get("before", []):
        lab.call_again(other["name"], other["arguments"])
    return small if lab.call_again(case.name, small).is_success else case.data["arguments"]


def _add_in_a_row(lab: RunContext, call: Json) -> bool:
    return all(lab.call_again(call["name"], call["arguments"]).is_success for _ in range(_ADDED))


def _lost_amounts(
    lab: RunContext, call: Json, reads: list[Json], totals: tuple[Totals, Totals, Totals]
) -> list[Verdict]:
    """Report a number that concurrent calls change less than sequential ones."""
    before, between, after = totals
    smaller: list[tuple[tuple[str, str], float, float]] = []
    for key in before:
        if key[1] and key in between and key in after:
            in_a_row, at_once = between[key] - before[key], after[key] - between[key]
            if abs(at_once) < abs(in_a_row) * _NEARLY:
                smaller.append((key, in_a_row, at_once))
    if not smaller or not _add_in_a_row(lab, call):
        return []
    last = _totals(lab, reads)
    for (read, member), in_a_row, at_once in smaller:
        again = last.get((read, member), 0) - after[read, member]
        if math.isclose(again, in_a_row, rel_tol=1e-6):
            detail = (
                f"{_ADDED} calls in a row change {member} in {read} by {in_a_row:g},"
                f" at once by {at_once:g}"
            )
            return [Verdict("C703", detail, "added")]
    return []


def _totals(lab: RunContext, reads: list[Json]) -> dict[tuple[str, str], float]:
    """Return the number of entries and the sums of numbers that each read shows."""
    result: dict[tuple[str, str], float] = {}
    for read in reads:
        answer = lab.ask(**_ask(read))
        if answer.is_success:
            result |= {(read["name"], name): value for name, value in _sums(answer.data()).items()}
    return result


def _sums(data: Json) -> dict[str, float]:
    """Return the number of entries at any depth as "", and the sum of each numeric member."""
    result: dict[str, float] = {"": count_items(data)}
    waiting: list[Json] = [data]
    while waiting:
        value = waiting.pop()
        if is_array(value):
            waiting += value
        elif is_object(value):
            for name, item in value.items():
                if is_number(item) and not is_id(name) and not is_volatile(name, item, item):
                    result[name] = result.get(name, 0) + item
            waiting += value.values()
    return result


def _ask(call: Json) -> dict[str, Json]:
    params = {"name": call["name"], "arguments": call["arguments"]}
    return {"method": "tools/call", "params": params}


def _call_text(call: Json) -> str:
    return f"{call['name']} {brief(json.dumps(redact(call)['arguments']), 60)}"
