"""Provides contract tests for pytest: one test for each tool and rule, all from one run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Failure, Outcome
from mcpgen.findings.policy import parse_levels
from mcpgen.findings.rules.tests.catalogue import JUDGES, find
from mcpgen.findings.severity import Level
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.inputs.arguments_file import read_arguments
from mcpgen.servers.recording.request import contract_of_file
from mcpgen.testing import live
from mcpgen.testing.run_options import Limits, RunOptions

_SERVER = "server"
_OF_TOOLS = ("C1", "C2", "C4", "C5", "C7", "C8", "C9")


def contract_tests(  # noqa: PLR0913 - as many as the command has options
    server: str | Sequence[str],
    *,
    contract: str | Path | None = None,
    arguments: str | Path | Mapping[str, Sequence[dict[str, Any]]] | None = None,
    tools: Sequence[str] = (),
    allow_writes: bool = False,
    judges: Sequence[str] = (),
    fail_on: str = "error",
    seed: int = 0,
    calls: int | None = None,
    seconds: float = 300.0,
    limit: float = 20.0,
    env: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    era: Literal["auto", "legacy", "modern"] = "auto",
) -> Callable[[str, str], None]:
    """Return a parametrized test with one case per tool and rule, all from one run.

    Assign it to a name that starts with ``test``. ``server`` is the same as in ``mcpgen test``, or
    the words of a command. The tools are listed during collection. The run starts with the first
    test.
    """
    import pytest

    server_arguments = ServerArguments(
        server=server if isinstance(server, str) else None,
        command=() if isinstance(server, str) else tuple(server),
        env=tuple(f"{name}={value}" for name, value in (env or {}).items()),
        header=tuple(f"{name}: {value}" for name, value in (headers or {}).items()),
        cwd=None if cwd is None else str(cwd),
        era=era,
    )
    options = RunOptions(
        named=tools,
        allows_writes=allow_writes,
        arguments_by_tool=_read_arguments(arguments),
        seed=seed,
        judges=[find(token).id for token in judges],
    )
    file = None if contract is None else contract_of_file(str(contract))
    failing = frozenset(parse_levels(fail_on, "fail_on"))
    tested = live.prepare(server_arguments, file, lambda _: None, is_accepted=True)
    cases = _cases(tested, options)
    once = _Once(tested, options, Limits(calls, seconds, limit), failing, frozenset(cases))

    @pytest.mark.parametrize(("subject", "judge"), cases)
    def test_contract(subject: str, judge: str) -> None:
        once.check(subject, judge)

    return test_contract


def _read_arguments(
    arguments: str | Path | Mapping[str, Sequence[dict[str, Any]]] | None,
) -> Mapping[str, Sequence[dict[str, Any]]]:
    if arguments is None:
        return {}
    if isinstance(arguments, str | Path):
        return read_arguments(str(arguments))
    return arguments


def _cases(prepared: live.TargetServer, options: RunOptions) -> list[tuple[str, str]]:
    """Return the cases. The server has one for each rule."""
    judges = [judge for judge in JUDGES if not options.judges or judge in options.judges]
    of_tools = [text for text in judges if text.startswith(_OF_TOOLS) or text in ("C301", "C302")]
    names = options.named or list(prepared.contract.tools)
    return [
        *((name, judge) for name in names for judge in of_tools),
        *((_SERVER, judge) for judge in judges),
    ]


@dataclass(slots=True)
class _Once:
    """The run that all test cases share."""

    prepared: live.TargetServer
    options: RunOptions
    limits: Limits
    fail_on: frozenset[Level]
    cases: frozenset[tuple[str, str]]
    outcome: Outcome | None = None
    error: McpgenError | None = None

    def check(self, subject: str, judge: str) -> None:
        """Fail if the rule reported a failure, skip if the tool was left out."""
        import pytest

        __tracebackhide__ = True
        outcome = self._outcome()
        tool_coverage = outcome.coverage.get(subject)
        if tool_coverage is not None and tool_coverage.left_out:
            pytest.skip(tool_coverage.left_out)
        failures = [
            failure
            for failure in outcome.failures
            if failure.judge.id == judge
            and failure.level in outcome.fail_on
            and self._subject(failure) == subject
        ]
        if failures:
            pytest.fail("\n".join(map(_failure_text, failures)), pytrace=False)

    def _outcome(self) -> Outcome:
        if self.error is not None:
            raise self.error
        if self.outcome is None:
            try:
                with live.running(self.prepared, self.options, self.limits) as run:
                    run.explore()
            except McpgenError as error:
                self.error = error
                raise
            self.outcome = run.outcome(self.prepared.arguments.display_name, self.fail_on)
            for notice in self.outcome.notices:
                sys.stderr.write(f"notice: {notice}\n")
        return self.outcome

    def _subject(self, failure: Failure) -> str:
        """Return the subject whose test fails: the tool if it has a test for the rule, or the
        server.
        """
        kind, _, name = failure.case.subject.partition(" ")
        is_of_tool = kind == "tool" and (name, failure.judge.id) in self.cases
        return name if is_of_tool else _SERVER


def _failure_text(failure: Failure) -> str:
    lines = [
        f"{failure.judge.id} {failure.judge.name}: {failure.judge.summary}",
        f"  {failure.case.subject}: {failure.verdict.detail}",
    ]
    if failure.verdict.answer:
        lines.append(f"  -> {failure.verdict.answer[:500]}")
    return "\n".join([*lines, *([f"  $ {failure.line}"] if failure.line else [])])
