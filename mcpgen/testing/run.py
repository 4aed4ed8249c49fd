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
from mcpgen.testing import confirmation
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.fresh_arguments import Renewal
from mcpgen.testing.arguments.safety import Scratch, secrets_of
from mcpgen.testing.checks import calls
from mcpgen.testing.checks.catalogue import CHECKS
from mcpgen.testing.connection.overheard import FLAW
from mcpgen.testing.coverage import declared_properties
from mcpgen.testing.plan import order
from mcpgen.testing.plan.subjects import Subjects
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import RunOptions, SpentError

_MOST_OUTSIDE = 30
"""Maximum number of calls to a tool with external effects that the user didn't name."""
_SEARCH = "the search"
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
        """Repeat failed cases, each with the rule that reported it."""

        def replay_cases() -> None:
            for case, judge in cases:
                for _ in range(2 if judge in confirmation.OF_STATE else 1):
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
        if self.subjects is not None and not self.options.judges:
            tested = [subject.name for subject in self.subjects.tested]
            failures += self.lab.coverage.untested(tested, self.skipped_tools, len(tools))
        outputs = [(name, self.lab.output(name)) for name in tools]
        return Outcome(
            server,
            self.lab.contract.revision,
            self.options.seed,
            self.lab.calls,
            tuple(failures),
            {name: self.lab.coverage.tool_coverage(name) for name in tools},
            {name: declared_properties(part.schema if part else {}) for name, part in outputs},
            tuple(dict.fromkeys(self.notices)),
            self.stopped,
            fail_on,
        )

    # Cases

    def _run_guarded(self, explore: Callable[[], None]) -> None:
        try:
            explore()
        except SpentError as error:
            self.stopped = str(error)
            if self.unreached:
                self.stopped += f"; not finished: {', '.join(self.unreached)}"
        except McpgenError as error:
            verdict = Verdict("C301", "the server can't be started again", "restart")
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
        """Run the cases of a stage, up to a number of calls. Returns True at its end."""
        end = self.lab.calls + calls
        for case in stage.cases:
            self.attempt(case)
            if end <= self.lab.calls < self.lab.max_calls:
                return False
        self.unreached.remove(stage.name)
        return True

    def attempt(self, case: Case) -> None:
        """Run a case, unless it was run before or would hang again."""
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
        """Return True for a tool with external effects that was called often enough."""
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
        """Store arguments that gave a result."""
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
        """Store a failure with its smallest case, if the case fails again."""
        calls = self.lab.calls
        try:
            repeated = confirmation.repeat(self, case, verdict)
        except SpentError:
            # The first attempt used up the time, so it isn't repeated.
            is_sure = verdict.judge in confirmation.FAULTS
            self._keep(self._failure(case, verdict, calls, is_sure=is_sure))
            raise
        is_sure = repeated is not None
        self._keep(self._failure(case, repeated or verdict, calls, is_sure=is_sure))
        if repeated is verdict:
            smallest, shown_verdict = confirmation.shrink(self, case, verdict)
            self.failures.pop(_key(Failure(case, verdict)), None)
            self._keep(Failure(smallest, shown_verdict, True, self.line(smallest), calls))

    def _failure(self, case: Case, verdict: Verdict, calls: int, *, is_sure: bool) -> Failure:
        """Return a failure, as a note if it couldn't be reproduced."""
        if not is_sure:
            verdict = Verdict("C305", f"{verdict.judge}: {verdict.detail}", verdict.judge)
        return Failure(case, verdict, False, self.line(case), calls)

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
"""Property of the data of a case whose calls need a new value each time."""


def _key(failure: Failure) -> tuple[str, str, str]:
    """Return the key of a failure. Wrong output and messages don't concern the called tool."""
    verdict = failure.verdict
    if verdict.judge == "C304":
        return ("C304", "", "")
    return (verdict.judge, "", verdict.detail) if verdict.pointer == FLAW else failure.key


_NOT_GOOD = frozenset({"C201", "C202", "C205", "C301", "C302", "C502"})
"""Rules about calls that don't serve as a basis for other cases."""
