"""Checks concurrent calls: each must have the same result as a separate call."""

from __future__ import annotations

import json

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import Answer
from mcpgen.testing.entities import count_items
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.safety import redact

_ROUNDS = 2
_AT_ONCE = 8


def unique(lab: RunContext, case: Case) -> list[Verdict]:
    """Make calls at once that differ in a text which comes back: each must get its own.

    In a row they must get their own, too: a search may find the stored text of an earlier call.
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
            "tools/call", {"name": case.name, "arguments": {**arguments, argument: text}}
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
    if [lab.ask(**_ask(call)).comparison_key() for call in calls] != expected:
        return []  # it answers in another way each time
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
    number, answer = wrong[0]
    if any(item.fault is not None or item.is_refusal for _, item in wrong):
        number, answer = next(
            (n, item) for n, item in wrong if item.fault is not None or item.is_refusal
        )
        return [
            Verdict(
                "C702",
                f"{_call_text(calls[number])}: {answer.display_text()}",
                "",
                answer.display_text(),
            )
        ]
    if [lab.ask(**_ask(call)).comparison_key() for call in calls] != expected:
        return []  # time went on, or the calls had an effect
    other_results = [other for n, other in enumerate(expected) if n != number]
    whose = (
        "the result of another call"
        if answer.comparison_key() in other_results
        else brief(answer.comparison_key(), 80)
    )
    detail = f"{_call_text(calls[number])} is answered with {whose}"
    return [Verdict("C701", detail, "", answer.display_text())]


_ADDED = 3


def additive(lab: RunContext, case: Case) -> list[Verdict]:
    """Make calls that add something, in a row and then at once: both must add the same."""
    call: Json = {"name": case.name, "arguments": case.data["arguments"]}
    reads: list[Json] = case.data["reads"]
    before = _sizes(lab, reads)
    if not all(lab.call_again(case.name, call["arguments"]).is_success for _ in range(_ADDED)):
        return []
    between = _sizes(lab, reads)
    if all(between.get(name) == size for name, size in before.items()):
        return []
    answers = lab.ask_all([FollowUpRequest(**_ask(call)) for _ in range(_ADDED)])
    for answer in answers:  # they count for tools that may be called only so often
        lab.note(case.name, call["arguments"], answer)
    if not all(answer.is_success for answer in answers):
        return []
    after = _sizes(lab, reads)
    for name, size in before.items():
        in_a_row = between.get(name, size) - size
        at_once = after.get(name, 0) - between.get(name, 0)
        if in_a_row and in_a_row % _ADDED == 0 and at_once < in_a_row:
            detail = f"{_ADDED} calls in a row add {in_a_row} entries to {name}, at once {at_once}"
            return [Verdict("C703", detail, "added")]
    return []


def _sizes(lab: RunContext, reads: list[Json]) -> dict[str, int]:
    """Return the number of entries that each read shows, at any depth."""
    answers = {read["name"]: lab.ask(**_ask(read)) for read in reads}
    return {name: count_items(item.data()) for name, item in answers.items() if item.is_success}


def _ask(call: Json) -> dict[str, Json]:
    params = {"name": call["name"], "arguments": call["arguments"]}
    return {"method": "tools/call", "params": params}


def _call_text(call: Json) -> str:
    return f"{call['name']} {brief(json.dumps(redact(call)['arguments']), 60)}"
