"""Runs all checks on a contract, in isolation from failing definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.findings.ignores import Ignore, unused_entries
from mcpgen.findings.lint import LintFinding, LintProblem, LintReport
from mcpgen.findings.policy import LintPolicy
from mcpgen.findings.rules.lint.catalogue import RULES
from mcpgen.isolation import failure_notices, isolate
from mcpgen.lint.checks import hints, inputs, names, notices, offered, outputs, texts
from mcpgen.lint.checks.lint_context import linted_tools


def lint(
    contract: Contract, noticed_before: Sequence[Notice] = ()
) -> tuple[tuple[LintProblem, ...], tuple[Notice, ...]]:
    """Return the violations in the order of the contract, and notices.

    Notices about the contract that correspond to rules become violations. The others are returned.
    """
    problems, failures = isolate(_check_all, contract)
    before = [*notices.check(noticed_before)]
    other_notices = [notice for notice in noticed_before if not notices.is_rule(notice)]
    return _in_order([*before, *problems]), (*other_notices, *failure_notices(failures))


def _check_all(contract: Contract) -> list[LintProblem]:
    tools = linted_tools(contract)
    return [
        *notices.check(definitions.read(contract).notices),
        *names.check(tools),
        *texts.check(tools),
        *inputs.check(tools),
        *outputs.check(tools, contract.revision),
        *hints.check(tools),
        *offered.check(contract, tools),
    ]


def _in_order(problems: Iterable[LintProblem]) -> tuple[LintProblem, ...]:
    return tuple(sorted(dict.fromkeys(problems), key=lambda f: (f.subject, f.pointer, f.rule)))


def judge(problems: Iterable[LintProblem], policy: LintPolicy, report: LintReport) -> LintReport:
    """Return a report with all findings that the policy doesn't exclude."""
    entries = {
        ignore.fingerprint: ignore for ignore in policy.ignores if not ignore.is_over(policy.today)
    }
    kept_problems = [item for item in problems if not _is_excluded(item, policy)]
    findings = [_finding(item, policy, entries.get(item.fingerprint)) for item in kept_problems]
    fingerprints = {item.fingerprint for item in kept_problems}
    return replace(
        report,
        findings=tuple(finding for finding in findings if not finding.ignored),
        ignored=tuple(finding for finding in findings if finding.ignored),
        notices=(*report.notices, *unused_entries(policy.ignores, fingerprints, policy.today)),
    )


def _is_excluded(problem: LintProblem, policy: LintPolicy) -> bool:
    return any(exclusion.covers(problem.rule, problem.subject) for exclusion in policy.exclusions)


def _finding(result: LintProblem, policy: LintPolicy, entry: Ignore | None) -> LintFinding:
    rule = RULES[result.rule]
    level = policy.overrides.get(rule.id, rule.level)
    reason = entry.reason if entry is not None else ""
    return LintFinding(result, rule, level, level in policy.fail_on and not reason, reason)
