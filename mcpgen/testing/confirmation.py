"""Repeats failures, and finds the smallest case that fails in the same way."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.testing.arguments.entities import role_of
from mcpgen.testing.checks import calls
from mcpgen.testing.plan.subjects import Subjects
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.shrink import shrunk

_MOST_TRIES = 40
_MOST_SLOW_TRIES = 2
_MOST_SHRINKING = 120
"""Number of calls after which a failing case is no longer shrunk."""
_SURE = frozenset({"C106", "C109", "C303", "C304", "C404", "C607", "C909"})
"""Rules whose findings aren't repeated. They don't depend on arguments, were already repeated, or
can't be, because the data is lost.
"""
_OF_RESULTS = frozenset({"C101", "C102"})
"""Rules about a result of a call that may work only once."""
OF_STATE = frozenset({"C301"})
"""Rules whose reproduction restarts the server and may take as many calls as before."""
_OF_FRESH_STATE = frozenset({"C402", "C904", "C906", "C907", "C908"})
"""Rules whose reproduction may need a server that no earlier call has changed or filled."""
FAULTS = frozenset({"C301", "C302"})
"""Rules whose finding may have used up the time for a repetition."""
_SLOW = frozenset({"C302"})
"""Rules whose findings take the whole response time each time."""


class Run(Protocol):
    """The parts of a run that a repetition needs."""

    @property
    def lab(self) -> RunContext:
        """The context of the run."""
        ...

    @property
    def subjects(self) -> Subjects | None:
        """The tools of the run, or None if it only repeats stored cases."""
        ...

    def verdicts(self, case: Case) -> list[Verdict]:
        """Run a case."""
        ...


def repeat(run: Run, case: Case, verdict: Verdict) -> Verdict | None:
    """Return the verdict if the case fails again, or None.

    If it only fails after further calls, another verdict says so.

    Raises:
        SpentError: The calls or the time are used up.
    """
    if _fails_again(run, case, verdict):
        return verdict
    if verdict.judge in OF_STATE and _fails(run, case, verdict):
        return replace(verdict, detail=f"{verdict.detail} at the second call".strip())
    if verdict.judge in _OF_FRESH_STATE and _fails_on_a_new_process(run, case, verdict):
        return verdict
    if verdict.judge in FAULTS and case.check == "call":
        count = run.lab.write_again(case)
        if count and _fails(run, case, verdict):
            return replace(verdict, detail=f"{verdict.detail} after {count} earlier calls")
    return None


def _fails_again(run: Run, case: Case, verdict: Verdict) -> bool:
    if verdict.judge in _SURE or not verdict.is_repeatable or case.check == "pages":
        return True
    if verdict.judge == "C401" and case.name in run.lab.suspects:
        return True
    writes = role_of(run.lab.tool(case.name)) != "read"
    if verdict.judge in _OF_RESULTS and case.check == "call" and writes:
        return _fails_unless_refused(run, case, verdict)
    return _fails(run, case, verdict)


def _fails(run: Run, case: Case, verdict: Verdict) -> bool:
    """Return True if a case fails in the same way."""
    return any(item.is_like(verdict) for item in run.verdicts(case))


def _fails_unless_refused(run: Run, case: Case, verdict: Verdict) -> bool:
    """Return True if a call of a tool that writes fails again, or is refused this time.

    The first call has booked a room, so the second is rejected, but the first result was wrong.
    """
    answer = run.lab.call_again(case.name, case.data["arguments"])
    verdicts = calls.judge_answer(run.lab, case, answer)
    return answer.is_refusal or any(item.is_like(verdict) for item in verdicts)


def _fails_on_a_new_process(run: Run, case: Case, verdict: Verdict) -> bool:
    """Return True if a case fails again on a server that nothing has been called on.

    In the first process, a number that grows with each call may have reached its limit.
    """
    try:
        with run.lab.session.new_process():
            return _fails(run, case, verdict)
    except McpgenError:
        return False  # it may not run twice at a time


def shrink(run: Run, case: Case, verdict: Verdict) -> tuple[Case, Verdict]:
    """Return the smallest failing case, and its verdict."""
    if verdict.judge in _SURE or not verdict.is_repeatable:
        return case, verdict
    most = _MOST_SLOW_TRIES if verdict.judge in _SLOW else _MOST_TRIES
    verdicts = [verdict]

    end = run.lab.calls + _MOST_SHRINKING

    def fails(smaller: Case) -> bool:
        if run.subjects is None or not run.subjects.is_safe_to_shrink(smaller):
            return False
        if run.lab.calls >= end:
            return False  # a case with many calls would use up the calls of others
        matching = [item for item in run.verdicts(smaller) if item.is_like(verdict)]
        verdicts[:] = matching[:1] or verdicts
        return bool(matching)

    return shrunk(case, fails, min(most, run.lab.calls_left // 4)), verdicts[0]
