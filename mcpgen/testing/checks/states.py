"""Checks a tool's claims by reads before and after a call."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.run_context import RunContext

_PAUSE = 0.05
_MOST_WATCHED = 3


def read_only(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool that claims to be read-only, between the reads of the case.

    If the case names an argument as ``fresh``, each call has a new value, because a cached one
    would hide writes.
    """
    reads: list[Json] = case.data["reads"]
    arguments: dict[str, Json] = case.data["arguments"]
    renewing = case.data.get("fresh")
    stable = _stable(lab, reads)
    after: dict[str, str] = {}
    for _ in range(2):
        before = dict(stable)
        if renewing in arguments:
            schema = lab.input(case.name)
            arguments = (
                fresh_arguments.renew_argument(schema, arguments, renewing, lab.calls) or arguments
            )
        answer = lab.call(case.name, arguments)
        if not stable or not answer.is_success:
            return []
        after = read_results(lab, [json.loads(key) for key in stable])
        changed = _changed_reads(before, after)
        if not changed:
            return []
        time.sleep(_PAUSE)
        again = read_results(lab, [json.loads(key) for key in changed])
        # Values that keep changing change on their own.
        stable = {key: again[key] for key in changed if again[key] == after[key]}
        if not stable:
            return []
        if case.name in lab.suspects:
            break  # it did so before
    key = next(iter(stable))
    return [Verdict("C401", f"{read_name(key)} shows something else after it", "", after[key])]


def quiet(lab: RunContext, case: Case) -> list[Verdict]:
    """Call all tools that claim to be read-only, with reads before and after.

    If something has changed, read after the calls of each tool, and then after each call. The call
    that changes it becomes a case of its own.
    """
    if not _change_anything(lab, case.data["calls"], case.data["reads"]):
        return []
    first = read_results(lab, case.data["reads"])
    state = read_results(lab, case.data["reads"])
    if changed := _changed_reads(first, state):  # one of the reading tools may have changed it
        lab.suspects |= set(case.data["calls"])
        state = {key: value for key, value in state.items() if key not in changed}
        _single_out(lab, case, [json.loads(key) for key in changed])
    for name, calls in case.data["calls"].items():
        for arguments in calls:
            if lab.call(name, arguments).fault is not None:
                break
        after = read_results(lab, [json.loads(key) for key in state])
        if changed := _changed_reads(state, after):
            time.sleep(_PAUSE)
            again = read_results(lab, [json.loads(key) for key in changed])
            if any(again.get(key) == after[key] for key in changed):
                lab.suspects.add(name)
                lab.watched[name] = [json.loads(key) for key in changed][:_MOST_WATCHED]
                _single_out_call(lab, name, calls, lab.watched[name])
        state = after
    return []


def first_calls(lab: RunContext, case: Case) -> list[Verdict]:
    """Call all tools that claim to be read-only on a new server, because some write only once.

    Each has been called once before, because a first call may load something.
    """
    calls: dict[str, list[Json]] = case.data["calls"]
    try:
        with lab.session.new_process():
            _warm_up(lab, calls)
            if not _change_anything(lab, calls, case.data["reads"]):
                return []
        with lab.session.new_process():
            _warm_up(lab, calls)
            writers = _writers(lab, calls, case.data["reads"])
        for name in writers:
            with lab.session.new_process():
                _warm_up(lab, calls)
                writing_case = _first_writer(lab, name, calls[name], writers[name])
            if writing_case is not None:
                lab.follow_ups.append(writing_case)
    except McpgenError:
        return quiet(lab, case)  # two processes may not run at the same time
    return []


def _change_anything(
    lab: RunContext, calls: Mapping[str, list[Json]], reads: Sequence[Json]
) -> bool:
    """Return True if a read shows something else after the first or the second half of the calls.

    A value switched back and forth would look unchanged after all calls. The reads may switch it,
    too.
    """
    first = read_results(lab, reads)
    state = read_results(lab, reads)
    if _changed_reads(first, state):
        return True
    for is_first in (True, False):
        for name, several in calls.items():
            middle = (len(several) + 1) // 2
            for arguments in several[:middle] if is_first else several[middle:]:
                if lab.call(name, arguments).fault is not None:
                    break
        if _changed_reads(state, read_results(lab, reads)):
            return True
    return False


def _warm_up(lab: RunContext, calls: Mapping[str, list[Json]]) -> None:
    for name, several in calls.items():
        for arguments in several[:1]:
            lab.call(name, arguments)


def _writers(
    lab: RunContext, calls: Mapping[str, list[Json]], reads: Sequence[Json]
) -> dict[str, list[Json]]:
    """Return the tools whose calls change a read, with those reads."""
    read_results(lab, reads)  # the first read may change the result of the next
    state = _stable(lab, reads)
    writers: dict[str, list[Json]] = {}
    for name, several in calls.items():
        for arguments in several[1:]:
            if lab.call(name, arguments).fault is not None:
                break
        changed = lasting_changes(lab, state)
        if changed:
            writers[name] = [json.loads(key) for key in changed][:_MOST_WATCHED]
            state |= changed
    return writers


def _first_writer(
    lab: RunContext, name: str, calls: Sequence[Json], reads: Sequence[Json]
) -> Case | None:
    """Return the first call that changes one of the reads, as a case of its own."""
    state = _stable(lab, reads)
    for arguments in calls[1:]:
        if lab.call(name, arguments).is_success and lasting_changes(lab, state):
            data: Json = {"arguments": arguments, "reads": reads, "first": calls[0]}
            return Case("writes-once", f"tool {name}", data)
    return None


def writes_once(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool that claims to be read-only on a new server, between the reads of the case."""
    try:
        with lab.session.new_process():
            lab.call(case.name, case.data["first"])
            state = _stable(lab, case.data["reads"])
            answer = lab.call(case.name, case.data["arguments"])
            changed = lasting_changes(lab, state) if answer.is_success else {}
    except McpgenError:
        return []
    for key, value in changed.items():
        return [Verdict("C401", f"{read_name(key)} shows something else after it", "", value)]
    return []


def lasting_changes(lab: RunContext, state: Mapping[str, str]) -> dict[str, str]:
    """Return the reads whose results differ from a state, and no longer change."""
    after = read_results(lab, [json.loads(key) for key in state])
    changed = _changed_reads(state, after)
    if not changed:
        return {}
    time.sleep(_PAUSE)
    again = read_results(lab, [json.loads(key) for key in changed])
    return {key: after[key] for key in changed if again.get(key) == after[key]}


def _single_out(lab: RunContext, case: Case, reads: Sequence[Json]) -> None:
    """Find the read that changes another read's result."""
    unaffected = [value for value in case.data["reads"] if value["method"] == "tools/call"]
    for read in unaffected:
        name, arguments = read["params"]["name"], read["params"]["arguments"]
        watched = [value for value in reads if value != read]
        if watched:
            _single_out_call(lab, name, [arguments], watched)


def _single_out_call(
    lab: RunContext, name: str, calls: Sequence[Json], reads: Sequence[Json]
) -> None:
    for arguments in calls:
        before = read_results(lab, reads)
        if not lab.call(name, arguments).is_success:
            continue
        changed = _changed_reads(before, read_results(lab, reads))
        if changed:
            data: Json = {"arguments": arguments, "reads": [json.loads(key) for key in changed]}
            lab.follow_ups.append(Case("read-only", f"tool {name}", data))
            return


def _stable(lab: RunContext, reads: Sequence[Json]) -> dict[str, str]:
    """Return the results of reads, except results that change on their own or by being read."""
    first = read_results(lab, reads)
    time.sleep(_PAUSE)
    second = read_results(lab, reads)
    return {key: value for key, value in second.items() if first.get(key) == value}


def read_results(lab: RunContext, reads: Sequence[Json]) -> dict[str, str]:
    result: dict[str, str] = {}
    for read in reads:
        answer = lab.ask(read["method"], read["params"])
        if answer.is_success:
            result[json.dumps(read, sort_keys=True)] = answer.comparison_key()
    return result


def _changed_reads(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [key for key in before if key in after and before[key] != after[key]]


def read_name(key: str) -> str:
    read: Json = json.loads(key)
    return str(read["params"].get("name") or read["params"].get("uri"))
