"""A test run: runs the cases, repeats failures, and shrinks them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Failure, Outcome, Verdict
from mcpgen.findings.severity import Level
from mcpgen.isolation import reason
from mcpgen.jsontext import is_object
from mcpgen.testing import safety
from mcpgen.testing.checks import calls
from mcpgen.testing.checks.catalogue import CHECKS
from mcpgen.testing.coverage import declared_properties
from mcpgen.testing.entities import role_of
from mcpgen.testing.fresh_arguments import Renewal
from mcpgen.testing.limits import SpentError
from mcpgen.testing.overheard import FLAW
from mcpgen.testing.plan import order
from mcpgen.testing.plan.subjects import Subjects
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import RunOptions
from mcpgen.testing.safety import Scratch, secrets_of
from mcpgen.testing.shrink import shrunk

_MOST_OUTSIDE = 30
"""Maximum number of calls to an unnamed tool that sends, opens or pays something."""
_SEARCH = "the search"
_MOST_TRIES = 40
_MOST_SLOW_TRIES = 2
_MOST_SHRINKING = 120
"""Number of calls after which a failing case isn't made smaller any more."""
_MOST_DEATHS = 4
_LEAST_CALLS = 10
"""Minimum number of calls for a part of the run."""
_SHARE_OF_SEARCH = 0.4
"""Maximum share of the remaining calls for the search."""


@dataclass(slots=True)
class Run:
    """The state of a run, with its failures."""

    lab: RunContext
    options: RunOptions
    line: Callable[[Case], str] = lambda _: ""
    credentials: Credentials = field(default_factory=Credentials)
    """Credentials passed to the server, which its responses may repeat."""
    failures: dict[tuple[str, str, str], Failure] = field(
        default_factory=dict[tuple[str, str, str], Failure]
    )
    notices: list[str] = field(default_factory=list[str])
    subjects: Subjects | None = None
    skipped_tools: set[str] = field(default_factory=set[str])
    tried: set[bytes] = field(default_factory=set[bytes])
    deaths: Counter[str] = field(default_factory=Counter[str])
    stopped: str = ""
    unreached: list[str] = field(default_factory=list[str])
    """The unfinished parts of the run."""

    def explore(self) -> None:
        """Run all planned cases, within the limits."""
        with Scratch() as scratch:
            self.subjects = Subjects.select(self.lab, self.options, scratch)
            self._run_guarded(self._run_stages)

    def replay(self, cases: Iterable[tuple[Case, str]]) -> None:
        """Repeat failed cases, each with the judge that reported it."""

        def replay_cases() -> None:
            for case, judge in cases:
                for _ in range(2 if judge in _OF_STATE else 1):
                    for verdict in self.verdicts(case):
                        if verdict.judge == judge:
                            self._keep(Failure(case, verdict, True, self.line(case)))

        with Scratch():
            self._run_guarded(replay_cases)

    def outcome(self, server: str, fail_on: frozenset[Level]) -> Outcome:
        """Return the outcome of the run."""
        failures = sorted(
            self.failures.values(),
            key=lambda failure: (
                -failure.level,
                failure.judge.id,
                failure.case.subject,
                failure.key,
            ),
        )
        tools = self.lab.contract.tools
        if self.subjects is not None:
            failures += self._untested_tools()
        return Outcome(
            server,
            self.lab.contract.revision,
            self.options.seed,
            self.lab.calls,
            tuple(failures),
            {name: self.lab.coverage.tool_coverage(name) for name in tools},
            {name: _declared_properties(self.lab, name) for name in tools},
            tuple(dict.fromkeys(self.notices)),
            self.stopped,
            fail_on,
        )

    def _untested_tools(self) -> list[Failure]:
        """Return warnings for tools without a successful call."""
        assert self.subjects is not None
        if self.options.judges:
            return []
        coverage = {
            subject.name: self.lab.coverage.tool_coverage(subject.name)
            for subject in self.subjects.tested
        }
        if self.lab.contract.tools and not coverage:
            detail = f"0 of {len(self.lab.contract.tools)} tools"
            return [Failure(Case("untested", "server"), Verdict("C108", detail), True)]
        return [
            Failure(
                Case("untested", f"tool {name}"),
                Verdict("C107", f"{tool_coverage.calls} calls"),
                True,
            )
            for name, tool_coverage in coverage.items()
            if tool_coverage.calls and not tool_coverage.results and name not in self.skipped_tools
        ]

    # Cases

    def _run_guarded(self, explore: Callable[[], None]) -> None:
        try:
            explore()
        except SpentError as error:
            self.stopped = str(error)
            if self.unreached:
                self.stopped += f"; not finished: {', '.join(self.unreached)}"
        except McpgenError as error:
            verdict = Verdict("C301", "it cannot be started again", "restart")
            self._keep(Failure(Case("unknown", "server"), verdict))
            self.stopped = error.problem

    def _run_stages(self) -> None:
        assert self.subjects is not None
        stages = [*order.stages(self.subjects, is_from_file=self.options.is_from_file)]
        self.unreached = [stage.name for stage in stages]
        if self.options.searches:
            self.unreached.append(_SEARCH)
        unfinished: list[order.Stage] = []
        for number, stage in enumerate(stages):
            shares = sum(later.share for later in stages[number:])
            calls = max(_LEAST_CALLS, self.lab.calls_left * stage.share // max(1, shares))
            if not stage.share or not self._run_stage(stage, calls):
                unfinished.append(stage)
        for stage in unfinished:
            self._run_stage(stage, self.lab.calls_left)
        if self.options.searches:
            self._search(self.subjects)
            self.unreached.remove(_SEARCH)

    def _run_stage(self, stage: order.Stage, calls: int) -> bool:
        """Try the cases of a stage until so many calls are made. Returns True at its end."""
        end = self.lab.calls + calls
        for case in stage.cases:
            self.attempt(case)
            if end <= self.lab.calls < self.lab.max_calls:
                return False
        self.unreached.remove(stage.name)
        return True

    def attempt(self, case: Case) -> None:
        """Try a case, unless it was tried or would only hang again."""
        if case.key in self.tried or case.name in self.skipped_tools or self._is_outside(case):
            return
        self.tried.add(case.key)
        self._judge(case, self.verdicts(case))
        unanswered, self.lab.unanswered = self.lab.unanswered, []
        for call, answer in unanswered if case.check != "call" else ():
            for verdict in calls.judge_answer(self.lab, call, answer):
                if not self.is_known(call, verdict):
                    self._keep(Failure(call, verdict, True, self.line(call), self.lab.calls))
        follow_ups, self.lab.follow_ups = self.lab.follow_ups, []
        for item in follow_ups if case.check not in ("call", "neighbor") else ():
            self.attempt(item)

    def _is_outside(self, case: Case) -> bool:
        """Return True for a tool that acts on the world outside and was called often enough."""
        definition = self.lab.tool(case.name)
        if not definition or case.name in self.options.named:
            return False
        calls_ = self.lab.coverage.tool_coverage(case.name).calls
        return calls_ >= _MOST_OUTSIDE and safety.acts_outside(definition)

    def verdicts(self, case: Case) -> list[Verdict]:
        """Run a case. A defect of mcpgen affects only this case, and is a finding of its own."""
        if case.name in self.lab.contract.tools:
            self.lab.coverage.tool_coverage(case.name).checks.add(case.check)
        stored = case.data.get(_RENEWAL)
        if is_object(stored) and (renewal := Renewal.from_data(stored)) is not None:
            self.lab.renewals.setdefault(case.name, renewal)
        try:
            verdicts = CHECKS[case.check](self.lab, case)
        except (SpentError, McpgenError):
            raise
        except Exception as error:  # an exception in a check isn't a fault of the server
            detail = f"{case.check}: {reason(error)}; please report this"
            return self._redact(case, [Verdict("C109", detail, FLAW)])
        self._note_good(case, verdicts)
        verdicts = [*verdicts, *self.lab.overheard.take_verdicts()]
        judges = self.options.judges
        return self._redact(
            case, [verdict for verdict in verdicts if not judges or verdict.judge in judges]
        )

    def _redact(self, case: Case, verdicts: Sequence[Verdict]) -> list[Verdict]:
        """Remove secrets from verdicts."""
        if not verdicts:
            return []
        secrets = secrets_of({"calls": dict(self.options.arguments_by_tool)}) | secrets_of(
            case.data
        )
        return [
            replace(
                verdict,
                detail=secrets.replace(self.credentials.hide(verdict.detail)),
                answer=secrets.replace(self.credentials.hide(verdict.answer)),
            )
            for verdict in verdicts
        ]

    def _note_good(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Remember arguments that a tool answered with a result."""
        if case.check != "call" or any(verdict.judge in _NOT_GOOD for verdict in verdicts):
            return
        subject = self.subjects.find(case.name) if self.subjects else None
        if subject is not None and self.lab.is_good(case.name, case.data["arguments"]):
            arguments = case.data["arguments"]
            subject.note_good(arguments, finds=not self.lab.is_vain(case.name, arguments))

    def _judge(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            if not self.is_known(case, verdict):
                self.confirm(case, verdict)
            if verdict.judge == "C302" and case.check == "call":
                self.skipped_tools.add(case.name)
            if verdict.judge == "C301":
                self.deaths[case.name] += 1
                if self.deaths[case.name] >= _MOST_DEATHS:
                    self.skipped_tools.add(case.name)

    def is_known(self, case: Case, verdict: Verdict) -> bool:
        """Return True if the same failure was found before."""
        return _key(Failure(case, verdict)) in self.failures

    def confirm(self, case: Case, verdict: Verdict) -> None:
        """Keep a failure, as small as it can be, if the case fails once more."""
        calls = self.lab.calls
        try:
            is_confirmed = self._is_confirmed(case, verdict)
            if not is_confirmed and verdict.judge in _OF_STATE and self._fails(case, verdict):
                again = replace(verdict, detail=f"{verdict.detail} at the second call".strip())
                self._keep(self._failure(case, again, calls, is_sure=True))
                return
            if not is_confirmed and verdict.judge in _OF_FRESH_STATE:
                is_confirmed = self._fails_on_a_new_process(case, verdict)
            if not is_confirmed and verdict.judge in _FAULTS and case.check == "call":
                count = self.lab.write_again(case)
                if count and self._fails(case, verdict):
                    again = replace(verdict, detail=f"{verdict.detail} after {count} earlier calls")
                    self._keep(self._failure(case, again, calls, is_sure=True))
                    return
        except SpentError:
            # The first attempt used up the time, so it isn't repeated.
            self._keep(self._failure(case, verdict, calls, is_sure=verdict.judge in _FAULTS))
            raise
        if not is_confirmed:
            self._keep(self._failure(case, verdict, calls, is_sure=False))
            return
        self._keep(self._failure(case, verdict, calls, is_sure=True))
        smallest, shown_verdict = self._shrunk(case, verdict)
        self.failures.pop(_key(Failure(case, verdict)), None)
        self._keep(Failure(smallest, shown_verdict, True, self.line(smallest), calls))

    def _failure(self, case: Case, verdict: Verdict, calls: int, *, is_sure: bool) -> Failure:
        """Return a failure, as a note if it couldn't be reproduced."""
        if not is_sure:
            verdict = Verdict("C305", f"{verdict.judge}: {verdict.detail}", verdict.judge)
        return Failure(case, verdict, False, self.line(case), calls)

    def _is_confirmed(self, case: Case, verdict: Verdict) -> bool:
        if verdict.judge in _SURE or not verdict.is_repeatable or case.check == "pages":
            return True
        if verdict.judge == "C401" and case.name in self.lab.suspects:
            return True
        writes = role_of(self.lab.tool(case.name)) != "read"
        if verdict.judge in _OF_RESULTS and case.check == "call" and writes:
            return self._fails_unless_refused(case, verdict)
        return self._fails(case, verdict)

    def _fails(self, case: Case, verdict: Verdict) -> bool:
        """Return True if a case fails in the same way."""
        return any(item.is_like(verdict) for item in self.verdicts(case))

    def _fails_unless_refused(self, case: Case, verdict: Verdict) -> bool:
        """Return True if a call of a tool that writes fails again, or is refused this time.

        A room that the first call has booked is taken, but its result was wrong.
        """
        answer = self.lab.call_again(case.name, case.data["arguments"])
        verdicts = calls.judge_answer(self.lab, case, answer)
        return answer.is_refusal or any(item.is_like(verdict) for item in verdicts)

    def _fails_on_a_new_process(self, case: Case, verdict: Verdict) -> bool:
        """Return True if a case fails again where nothing has been called yet.

        What grows with each call may have reached its limit here.
        """
        try:
            with self.lab.session.new_process():
                return self._fails(case, verdict)
        except McpgenError:
            return False  # it may not run twice at a time

    def _shrunk(self, case: Case, verdict: Verdict) -> tuple[Case, Verdict]:
        """Return the smallest failing case, and its verdict."""
        if verdict.judge in _SURE or not verdict.is_repeatable:
            return case, verdict
        most = _MOST_SLOW_TRIES if verdict.judge in _SLOW else _MOST_TRIES
        verdicts = [verdict]

        end = self.lab.calls + _MOST_SHRINKING

        def fails(smaller: Case) -> bool:
            if self.subjects is None or not self.subjects.is_safe_to_shrink(smaller):
                return False
            if self.lab.calls >= end:
                return False  # a case of many calls would leave too few for others
            matching = [item for item in self.verdicts(smaller) if item.is_like(verdict)]
            verdicts[:] = matching[:1] or verdicts
            return bool(matching)

        return shrunk(case, fails, min(most, self.lab.calls_left // 4)), verdicts[0]

    def _keep(self, failure: Failure) -> None:
        if renewal := self.lab.renewals.get(failure.case.name):
            case = failure.case
            data = {_RENEWAL: renewal.to_data(), **case.data}
            failure = replace(failure, case=replace(case, data=data))
        self.failures.setdefault(_key(failure), failure)

    # The search

    def _search(self, subjects: Subjects) -> None:
        try:
            from mcpgen.testing import search
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            self.notices.append(
                "Hypothesis is not installed, so nothing was searched: mcpgen[test]"
            )
            return
        untested = [item for item in subjects.tested if item.name not in self.skipped_tools]
        for number, subject in enumerate(untested):
            share = math.floor(
                self.lab.calls_left * _SHARE_OF_SEARCH / max(1, len(untested) - number)
            )
            if share < 5:
                return
            search.search(self, subjects, subject, min(share, search.MOST_CALLS))


_RENEWAL = "renewal"
"""Member of the data of a case whose calls need a new value each time."""


def _key(failure: Failure) -> tuple[str, str, str]:
    """Return the key of a failure. Wrong output and messages don't concern the called tool."""
    verdict = failure.verdict
    if verdict.judge == "C304":
        return ("C304", "", "")
    return (verdict.judge, "", verdict.detail) if verdict.pointer == FLAW else failure.key


_NOT_GOOD = frozenset({"C201", "C202", "C205", "C301", "C302", "C502"})
"""Rules about calls that don't serve as a basis for other cases."""
_SURE = frozenset({"C106", "C109", "C303", "C304", "C404", "C607", "C909"})
"""Rules whose findings are stored as observed. They don't depend on arguments, were already
repeated, or can't be, as what was lost is lost.
"""
_OF_RESULTS = frozenset({"C101", "C102"})
"""Rules about a result that a repetition may not have, as the call may only work once."""
_OF_STATE = frozenset({"C301"})
"""Rules whose reproduction restarts the server and may take as many calls as before."""
_OF_FRESH_STATE = frozenset({"C402", "C904", "C906", "C907", "C908"})
"""Rules whose reproduction may need a server that no earlier call has changed or filled."""
_FAULTS = frozenset({"C301", "C302"})
"""Rules whose finding may have used up the time for a repetition."""
_SLOW = frozenset({"C302"})
"""Rules whose finding takes the whole response time each time."""


def _declared_properties(lab: RunContext, name: str) -> set[str]:
    schema = lab.output(name)
    return declared_properties(schema.schema) if schema is not None else set()
