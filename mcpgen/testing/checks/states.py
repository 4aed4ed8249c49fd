"""Checks a tool's claims by reads before and after a call."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mcpgen_runtime.display import brief

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing import fresh_arguments
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
        after = _read_results(lab, [json.loads(key) for key in stable])
        changed = _changed_reads(before, after)
        if not changed:
            return []
        time.sleep(_PAUSE)
        again = _read_results(lab, [json.loads(key) for key in changed])
        # Values that keep changing change on their own.
        stable = {key: again[key] for key in changed if again[key] == after[key]}
        if not stable:
            return []
        if case.name in lab.suspects:
            break  # it did so before
    key = next(iter(stable))
    return [Verdict("C401", f"{_read_name(key)} shows something else after it", "", after[key])]


def quiet(lab: RunContext, case: Case) -> list[Verdict]:
    """Call all tools that claim to be read-only, with reads before and after.

    If something has changed, read after the calls of each tool, and then after each call. The call
    that changes it becomes a case of its own.
    """
    if not _change_anything(lab, case.data["calls"], case.data["reads"]):
        return []
    first = _read_results(lab, case.data["reads"])
    state = _read_results(lab, case.data["reads"])
    if changed := _changed_reads(first, state):  # one of the reading tools may have changed it
        lab.suspects |= set(case.data["calls"])
        state = {key: value for key, value in state.items() if key not in changed}
        _single_out(lab, case, [json.loads(key) for key in changed])
    for name, calls in case.data["calls"].items():
        for arguments in calls:
            if lab.call(name, arguments).fault is not None:
                break
        after = _read_results(lab, [json.loads(key) for key in state])
        if changed := _changed_reads(state, after):
            time.sleep(_PAUSE)
            again = _read_results(lab, [json.loads(key) for key in changed])
            if any(again.get(key) == after[key] for key in changed):
                lab.suspects.add(name)
                lab.watched[name] = [json.loads(key) for key in changed][:_MOST_WATCHED]
                _single_out_call(lab, name, calls, lab.watched[name])
        state = after
    return []


def first_calls(lab: RunContext, case: Case) -> list[Verdict]:
    """Call all tools that claim to be read-only on a new server: some write only once.

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
        return quiet(lab, case)  # it may not run twice at a time
    return []


def _change_anything(
    lab: RunContext, calls: Mapping[str, list[Json]], reads: Sequence[Json]
) -> bool:
    """Return True if a read shows something else after the first or the second half of the calls.

    A value switched back and forth would look unchanged after all calls. The reads may switch it,
    too.
    """
    first = _read_results(lab, reads)
    state = _read_results(lab, reads)
    if _changed_reads(first, state):
        return True
    for is_first in (True, False):
        for name, several in calls.items():
            middle = (len(several) + 1) // 2
            for arguments in several[:middle] if is_first else several[middle:]:
                if lab.call(name, arguments).fault is not None:
                    break
        if _changed_reads(state, _read_results(lab, reads)):
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
    _read_results(lab, reads)  # the first read may change the result of the next
    state = _stable(lab, reads)
    writers: dict[str, list[Json]] = {}
    for name, several in calls.items():
        for arguments in several[1:]:
            if lab.call(name, arguments).fault is not None:
                break
        changed = _lasting_changes(lab, state)
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
        if lab.call(name, arguments).is_success and _lasting_changes(lab, state):
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
            changed = _lasting_changes(lab, state) if answer.is_success else {}
    except McpgenError:
        return []
    for key, value in changed.items():
        return [Verdict("C401", f"{_read_name(key)} shows something else after it", "", value)]
    return []


def _lasting_changes(lab: RunContext, state: Mapping[str, str]) -> dict[str, str]:
    """Return the reads whose results differ from a state, and no longer change."""
    after = _read_results(lab, [json.loads(key) for key in state])
    changed = _changed_reads(state, after)
    if not changed:
        return {}
    time.sleep(_PAUSE)
    again = _read_results(lab, [json.loads(key) for key in changed])
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
        before = _read_results(lab, reads)
        if not lab.call(name, arguments).is_success:
            continue
        changed = _changed_reads(before, _read_results(lab, reads))
        if changed:
            data: Json = {"arguments": arguments, "reads": [json.loads(key) for key in changed]}
            lab.follow_ups.append(Case("read-only", f"tool {name}", data))
            return


def idempotent(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool that claims to be idempotent twice, and a third time to be sure."""
    arguments, reads = case.data["arguments"], case.data["reads"]
    first = lab.call(case.name, arguments)
    if not first.is_success:
        return []
    before = _read_results(lab, reads)
    verdicts: list[Verdict] = []
    results = [first.data()]
    for _ in range(2):
        answer = lab.call(case.name, arguments)
        results.append(answer.data())
        if not verdicts and answer.is_success and answer.comparison_key() != first.comparison_key():
            verdicts = [
                Verdict("C403", brief(f"{first.comparison_key()} -> {answer.comparison_key()}"), "")
            ]
        before = _lasting_changes(lab, before)
        if not before:
            grown = _growing_number(lab, case, results) if verdicts else []
            return grown or verdicts
    key, result = next(iter(before.items()))
    return [Verdict("C402", f"{_read_name(key)} shows a further change each time", "", result)]


def _growing_number(lab: RunContext, case: Case, results: list[Json]) -> list[Verdict]:
    """Report a whole number in the results of equal calls that grows by as much each time.

    Times and sizes of the call itself differ, too, but not so evenly.
    """
    while len(results) < _MIN_RESULTS:
        results.append(lab.call(case.name, case.data["arguments"]).data())
    rows = [dict(_whole_numbers(item)) for item in results]
    for path in rows[0]:
        values = [row[path] for row in rows if path in row]
        steps = {later - earlier for earlier, later in pairwise(values)}
        if (
            len(values) == len(rows)
            and len(steps) == 1
            and 0 not in steps
            and not _OF_CALLS & {*words_of(path[-1])}
        ):
            at = pointer(path)
            detail = f"{at} of the result is {', '.join(map(str, values))}"
            return [Verdict("C402", detail, at)]
    return []


_MIN_RESULTS = 4
_OF_CALLS = frozenset(
    "time timestamp date duration elapsed ms seconds millis uptime remaining quota rate request"
    " requests call calls attempt attempts".split()
)
"""Words of numbers that change with each call, whatever it does."""


def _whole_numbers(data: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the whole numbers in a result, outside lists, with their paths."""
    for name, value in data.items() if is_object(data) else ():
        if type(value) is int:
            yield (*path, name), value
        elif len(path) < _DEEPEST:
            yield from _whole_numbers(value, (*path, name))


_DEEPEST = 3


def _stable(lab: RunContext, reads: Sequence[Json]) -> dict[str, str]:
    """Return the results of reads, except results that change on their own or by being read."""
    first = _read_results(lab, reads)
    time.sleep(_PAUSE)
    second = _read_results(lab, reads)
    return {key: value for key, value in second.items() if first.get(key) == value}


def _read_results(lab: RunContext, reads: Sequence[Json]) -> dict[str, str]:
    result: dict[str, str] = {}
    for read in reads:
        answer = lab.ask(read["method"], read["params"])
        if answer.is_success:
            result[json.dumps(read, sort_keys=True)] = answer.comparison_key()
    return result


def _changed_reads(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [key for key in before if key in after and before[key] != after[key]]


def _read_name(key: str) -> str:
    read: Json = json.loads(key)
    return str(read["params"].get("name") or read["params"].get("uri"))
