"""Checks pairs of tools: an ID from one result is passed to another tool."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.answer import ABSENT, Answer, has_worked, is_soft_error, links_of
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.checks import calls, states
from mcpgen.testing.run_context import RunContext

_MOST = 3
_PAUSE = 1.0


def after(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool with an entity that another tool has destroyed. The call may be rejected."""
    before = case.data["before"]
    lab.call(before["name"], before["arguments"])
    return calls.run(lab, case)


def undone(lab: RunContext, case: Case) -> list[Verdict]:
    """Relate two entities with one tool, and undo it with another. Reads must show both."""
    tool, reads = case.data["tool"], case.data["reads"]
    for row in case.data["rows"]:
        before = states.read_results(lab, reads)
        if not has_worked(lab.call_again(tool, row)):
            continue  # they are related already, or can't be
        related = states.read_results(lab, reads)
        changed = [key for key in related if key in before and before[key] != related[key]]
        answer = lab.call_again(case.name, row)
        if not changed or not has_worked(answer):
            continue
        same = _reads_with_the_same_result(lab, changed, related)
        if len(same) == len(changed):
            time.sleep(_PAUSE)
            same = _reads_with_the_same_result(lab, changed, related)
        if len(same) == len(changed):
            read = states.read_name(same[0])
            detail = f"{case.name} undoes {tool}, and {read} shows no difference"
            return [Verdict("C908", detail, tool, answer.display_text())]
        return []
    return []


def _reads_with_the_same_result(
    lab: RunContext, keys: Sequence[str], related: Mapping[str, str]
) -> list[str]:
    """Return the reads whose results haven't changed."""
    now = states.read_results(lab, [json.loads(key) for key in keys])
    return [key for key in keys if now.get(key) == related[key]]


def fed(lab: RunContext, case: Case) -> list[Verdict]:
    """Call the source again, then the tool with values from its result.

    Earlier results of equal calls count, until one of them leads to a finding.
    """
    return _fed(lab, case, lab.call) if _fed(lab, case, lab.recall) else []


def _fed(lab: RunContext, case: Case, call: Callable[[str, Json], Answer]) -> list[Verdict]:
    source, argument = case.data["source"], case.data["argument"]
    source_answer = call(source["tool"], source["arguments"])
    learned = KnownValues()
    learned.learn(source["tool"], source["arguments"], source_answer)
    values = [
        value
        for source_, values in learned.values.items()
        if source_.name == source["member"] and list(source_.parents) == source["parents"]
        for value in values
    ]
    is_reading = safety.claims_read_only(lab.tool(case.name))
    refused: list[tuple[Json, Answer]] = []
    ill_formed: list[Json] = []
    tried = 0
    existing = [value for value in values if not lab.is_destroyed(value)]
    for value in existing[:_MOST]:
        arguments = {**case.data["arguments"], argument: value}
        if errors := lab.input(case.name).errors(arguments):
            if tried or errors[0].validator != "pattern" or list(errors[0].path) != [argument]:
                return []
            ill_formed.append(value)
            continue
        answer = call(case.name, arguments)
        tried += 1
        if answer.fault is not None:
            return []  # the check of a single call reports it
        if answer.is_refusal or is_soft_error(answer):
            # With other arguments, the rejected values may be these.
            if not case.data["arguments"] or str(value) in answer.text():
                refused.append((value, answer))
        elif is_reading and (other := _other_id(answer, source["member"], argument, value)):
            detail = f"asked for {argument} {value!r}, it returns {other!r}"
            return [Verdict("C902", detail, argument, answer.display_text())]
    if len(ill_formed) > 1 and not tried:
        detail = (
            f"{argument} {ill_formed[0]!r}, which {source['tool']} gives as {source['member']}:"
            " it does not match the pattern of the input schema"
        )
        return [
            Verdict("C901", detail, f"{source['tool']} {argument}", source_answer.display_text())
        ]
    unknown = [item for item in refused if ABSENT.search(item[1].text())]
    is_surely = is_reading and len(refused) == tried
    if not unknown and not (refused and is_surely):
        return []  # some values work, or a tool that writes may have reasons
    value, answer = (unknown or refused)[0]
    detail = (
        f"{argument} {value!r}, which {source['tool']} gives as {source['member']}:"
        f" {brief(answer.text(), 80)}"
    )
    return [Verdict("C901", detail, f"{source['tool']} {argument}", answer.display_text())]


def check_links(lab: RunContext, case: Case) -> list[Verdict]:
    """Call the tool again, and read the resources that its result links to."""
    uri: str = case.data["uri"]
    answer = lab.call(case.name, case.data["arguments"])
    if (
        "://" not in uri
        or uri.startswith(("http:", "https:"))
        or uri not in links_of(answer.result)
    ):
        return []
    read = lab.ask("resources/read", {"uri": uri})
    if not read.is_refusal:
        return []
    return [Verdict("C903", f"{uri}: {brief(read.text(), 80)}", "", read.display_text())]


def _other_id(answer: Answer, member: str, argument: str, value: Json) -> Json:
    """Return the ID in a result, if it differs from the requested one."""
    data = answer.data()
    while is_object(data) and len(data) == 1 and is_object(next(iter(data.values()))):
        data = next(iter(data.values()))
    if not is_object(data):
        return None
    for name in dict.fromkeys((member, argument)):
        identifier = data.get(name)
        if isinstance(identifier, str | int) and type(identifier) is type(value):
            return identifier if identifier != value else None
    return None
