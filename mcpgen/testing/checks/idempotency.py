"""Checks tools that claim to be idempotent: a repeated call must have no further effect."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.checks.states import lasting_changes, read_name, read_results
from mcpgen.testing.run_context import RunContext

_MIN_RESULTS = 4
_OF_CALLS = frozenset(
    "time timestamp date duration elapsed ms seconds millis uptime remaining quota rate request"
    " requests call calls attempt attempts".split()
)
"""Words for numbers that change with every call."""
_DEEPEST = 3


def idempotent(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool that claims to be idempotent twice, and a third time to be sure.

    If the call no longer works, another one becomes a case of its own.
    """
    arguments, reads = case.data["arguments"], case.data["reads"]
    first = lab.call(case.name, arguments)
    if not first.is_success:
        others: list[Json] = case.data.get("others", [])
        if others:
            data: Json = {**case.data, "arguments": others[0], "others": others[1:]}
            lab.follow_ups.append(Case("idempotent", case.subject, data))
        return []
    before = read_results(lab, reads)
    verdicts: list[Verdict] = []
    results = [first.data()]
    for _ in range(2):
        answer = lab.call(case.name, arguments)
        results.append(answer.data())
        if not verdicts and answer.is_success and answer.comparison_key() != first.comparison_key():
            verdicts = [
                Verdict("C403", brief(f"{first.comparison_key()} -> {answer.comparison_key()}"), "")
            ]
        before = lasting_changes(lab, before)
        if not before:
            grown = _growing_number(lab, case, results) if verdicts else []
            return grown or verdicts
    key, result = next(iter(before.items()))
    return [Verdict("C402", f"{read_name(key)} shows a further change each time", "", result)]


def _growing_number(lab: RunContext, case: Case, results: list[Json]) -> list[Verdict]:
    """Report an integer in results that grows evenly with each equal call.

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


def _whole_numbers(data: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the integers in a result, outside lists, with their paths."""
    for name, value in data.items() if is_object(data) else ():
        if type(value) is int:
            yield (*path, name), value
        elif len(path) < _DEEPEST:
            yield from _whole_numbers(value, (*path, name))
