"""Calls at the same time: each must be answered as it was when it was alone."""

from __future__ import annotations

import json

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.servers.recording.further import Ask
from mcpgen.testing.answer import Answer
from mcpgen.testing.lab import Lab
from mcpgen.testing.safety import hidden

_ROUNDS = 2
_AT_ONCE = 8


def unique(lab: Lab, case: Case) -> list[Verdict]:
    """Make calls at once that differ in a text which comes back: each must get its own."""
    argument, arguments = case.data["argument"], case.data["arguments"]
    texts = [f"mcpgen {letter}" for letter in "abcdefgh"]
    alone = lab.call(case.name, {**arguments, argument: texts[0]})
    if not alone.is_success or texts[0] not in alone.compared():
        return []
    asks = [
        Ask("tools/call", {"name": case.name, "arguments": {**arguments, argument: text}})
        for text in texts
    ]
    for text, answer in zip(texts, lab.ask_all(asks), strict=True):
        other = next((each for each in texts if each in answer.compared()), "")
        if answer.is_success and other and text not in answer.compared():
            detail = f"the call with {argument} {text!r} gets the result for {other!r}"
            return [Verdict("C701", detail, argument, answer.shown())]
    return []


def at_once(lab: Lab, case: Case) -> list[Verdict]:
    """Make calls one by one, then all at once, then one by one again."""
    calls: list[Json] = case.data["calls"]
    alone = [lab.ask(**_ask(each)) for each in calls]
    if not all(answer.is_success for answer in alone):
        return []
    expected = [answer.compared() for answer in alone]
    if [lab.ask(**_ask(each)).compared() for each in calls] != expected:
        return []  # it answers in another way each time
    wrong: list[tuple[int, Answer]] = []
    order = [number % len(calls) for number in range(max(_AT_ONCE, len(calls)))]
    for _ in range(_ROUNDS):
        asks = [Ask(**_ask(calls[number])) for number in order]
        answers = lab.ask_all(asks)
        wrong += [
            (number, answer)
            for number, answer in zip(order, answers, strict=True)
            if answer.compared() != expected[number]
        ]
        if wrong:
            break
    if not wrong:
        return []
    number, answer = wrong[0]
    if any(each.fault is not None or each.is_refusal for _, each in wrong):
        number, answer = next(
            (n, each) for n, each in wrong if each.fault is not None or each.is_refusal
        )
        return [Verdict("C702", f"{_said(calls[number])}: {answer.shown()}", "", answer.shown())]
    if [lab.ask(**_ask(each)).compared() for each in calls] != expected:
        return []  # time went on, or the calls had an effect
    others = [other for n, other in enumerate(expected) if n != number]
    whose = "that of another call" if answer.compared() in others else brief(answer.compared(), 80)
    detail = f"{_said(calls[number])} is answered with {whose}"
    return [Verdict("C701", detail, "", answer.shown())]


def _ask(call: Json) -> dict[str, Json]:
    params = {"name": call["name"], "arguments": call["arguments"]}
    return {"method": "tools/call", "params": params}


def _said(call: Json) -> str:
    return f"{call['name']} {brief(json.dumps(hidden(call)['arguments']), 60)}"
