"""Reports as JSON documents."""

from __future__ import annotations

import json

from mcpgen.findings.change import ABSENT
from mcpgen.findings.contract_tests import Failure, Outcome, Redact
from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.lint import LintFinding, LintReport
from mcpgen.jsontext import Json


def render_diff(report: DiffReport) -> str:
    """Return all findings, also the cosmetic ones, as JSON on several lines."""
    document = {
        "old": report.old,
        "new": report.new,
        "server": report.server,
        "failed": report.fails,
        "counts": report.counts(),
        "findings": [diff_entry(finding, report.server) for finding in report.findings],
        "ignored": [
            {**diff_entry(finding, report.server), "reason": finding.ignored}
            for finding in report.ignored
        ],
        "notices": list(report.notices),
        **({"observed": list(report.observed)} if report.observed else {}),
    }
    return json.dumps(document, indent=2) + "\n"


def diff_entry(finding: DiffFinding, server: str) -> dict[str, Json]:
    """Return a finding as JSON. A missing value is left out, unlike null."""
    change, rule = finding.change, finding.rule
    kind, _, name = change.subject.partition(" ")
    values = {"old": change.old, "new": change.new}
    return {
        "rule": rule.id,
        "name": rule.name,
        "severity": str(finding.severity),
        "audience": [str(audience) for audience in rule.audiences],
        "fails": finding.fails,
        "consent": finding.asks,
        "server": server,
        **({"tool": name} if kind == "tool" else {}),
        "subject": change.subject,
        "path": change.path,
        "pointer": finding.pointer,
        "oldPointer": change.old_pointer,
        "newPointer": change.new_pointer,
        **{key: value for key, value in values.items() if value is not ABSENT},
        "message": finding.message,
        "hint": rule.fix,
        "fingerprint": change.fingerprint,
    }


def render_lint(report: LintReport) -> str:
    """Return all findings as JSON on several lines."""
    document = {
        "contract": report.contract,
        "server": report.server,
        "tools": report.tools,
        "failed": report.fails,
        "counts": report.counts(),
        "findings": [_lint_entry(finding) for finding in report.findings],
        "ignored": [
            {**_lint_entry(lint_finding), "reason": lint_finding.ignored}
            for lint_finding in report.ignored
        ],
        "notices": list(report.notices),
    }
    return json.dumps(document, indent=2) + "\n"


def _lint_entry(finding: LintFinding) -> dict[str, Json]:
    problem, rule = finding.problem, finding.rule
    kind, _, name = problem.subject.partition(" ")
    return {
        "rule": rule.id,
        "name": rule.name,
        "level": str(finding.level),
        "fails": finding.fails,
        "subject": problem.subject,
        **({"tool": name} if kind == "tool" else {}),
        "path": problem.path,
        "pointer": problem.pointer,
        "message": finding.message,
        "why": rule.why,
        "hint": rule.fix,
        "fingerprint": problem.fingerprint,
    }


def render_tests(outcome: Outcome, redact: Redact) -> str:
    """Return all failures and the coverage as indented JSON."""
    document: dict[str, Json] = {
        "server": outcome.server,
        "revision": outcome.revision,
        "seed": outcome.seed,
        "calls": outcome.calls,
        "tested": outcome.tested_tools,
        "tools": len(outcome.coverage),
        "failed": outcome.fails,
        "stopped": outcome.stopped,
        "counts": outcome.counts(),
        "failures": [test_entry(failure, outcome, redact) for failure in outcome.failures],
        "coverage": {name: _coverage_entry(outcome, name) for name in outcome.coverage},
        "notices": list(outcome.notices),
    }
    return json.dumps(document, indent=2) + "\n"


def test_entry(failure: Failure, outcome: Outcome, redact: Redact) -> dict[str, Json]:
    """Return a failure as JSON."""
    judge = failure.judge
    return {
        "judge": judge.id,
        "name": judge.name,
        "level": str(failure.level),
        "fails": failure.level in outcome.fail_on,
        "subject": failure.case.subject,
        "message": judge.summary,
        "detail": failure.verdict.detail,
        "answer": failure.verdict.answer[:1000],
        "check": failure.case.check,
        "data": redact(failure.case.data),
        "run": failure.line,
        "why": judge.why,
        "hint": judge.fix,
        "calls": failure.calls,
        "fingerprint": failure.fingerprint,
    }


def _coverage_entry(outcome: Outcome, name: str) -> dict[str, Json]:
    tool_coverage, declared = outcome.coverage[name], set(outcome.declared.get(name, ()))
    return {
        "calls": tool_coverage.calls,
        "results": tool_coverage.results,
        "errors": dict(sorted(tool_coverage.errors.items())),
        "checks": sorted(tool_coverage.checks),
        "membersSeen": sorted(declared & tool_coverage.members),
        "membersNotSeen": sorted(declared - tool_coverage.members),
        "leftOut": tool_coverage.left_out,
    }
