"""Reports as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcpgen_runtime.display import SarifText

from mcpgen import __version__
from mcpgen.contract.lists import LISTINGS
from mcpgen.findings.contract_tests import Failure, Outcome
from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.lint import LintFinding, LintReport
from mcpgen.findings.reports.line_numbers import line_numbers, line_of
from mcpgen.findings.reports.values import arrow
from mcpgen.findings.rule import ChangeRule, Rule
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


@dataclass(frozen=True, slots=True)
class SarifRule:
    """A rule in a SARIF report. ``level`` is ``error``, ``warning``, ``note`` or ``none``."""

    id: str
    name: str
    level: str
    summary: str
    why: str
    fix: str
    properties: dict[str, Json] = field(default_factory=dict[str, Json])

    @classmethod
    def from_rule(cls, rule: Rule) -> SarifRule:
        """Convert a rule with one level."""
        return cls(rule.id, rule.name, str(rule.level), rule.summary, rule.why, rule.fix)


@dataclass(frozen=True, slots=True)
class SarifResult:
    """A finding. ``subject`` names the definition, ``path`` the position, ``ignored`` a reason."""

    rule: SarifRule
    level: str
    subject: str
    path: str
    pointer: str
    message: str
    fingerprint: str
    ignored: str = ""


def render(results: Iterable[SarifResult], *, file: str = "", text: str = "") -> str:
    """Return a SARIF document with one run. ``file`` and ``text`` belong to the contract's file."""
    results = [*results]
    numbers = line_numbers(text) if text else {}
    rules = {result.rule.id: result.rule for result in results}
    listed = [_rule(rules[key]) for key in sorted(rules)]
    driver = {"name": "mcpgen", "version": __version__, "rules": listed}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, file, numbers) for result in results],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: SarifRule) -> Json:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix or rule.why},
        "defaultConfiguration": {"level": rule.level},
        **({"properties": rule.properties} if rule.properties else {}),
    }


def _result(result: SarifResult, file: str, numbers: dict[str, int]) -> Json:
    position = f"{result.subject} {result.path}".strip()
    written: dict[str, Json] = {
        "ruleId": result.rule.id,
        "level": result.level,
        "message": _message(sarif_text(f"{position}: {result.message}")),
        "locations": [_location(result, file, numbers)],
        "partialFingerprints": {"mcpgen/v1": result.fingerprint},
    }
    if result.ignored:
        written["suppressions"] = [{"kind": "external", "justification": result.ignored}]
    return written


def _location(result: SarifResult, file: str, numbers: dict[str, int]) -> Json:
    """Return the position in the contract, with the line if the contract is a file."""
    logical: dict[str, Json] = _logical(sarif_text(result.pointer), sarif_text(result.subject))
    location: dict[str, Json] = {"logicalLocations": [logical]}
    if file:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": file},
            "region": {"startLine": line_of(result.pointer, numbers)},
        }
    return location


def _message(text: SarifText) -> dict[str, Json]:
    return {"text": text}


def _logical(pointer: SarifText, subject: SarifText) -> dict[str, Json]:
    return {"fullyQualifiedName": pointer, "name": subject}


def sarif_text(text: str) -> SarifText:
    """Escape invisible characters, and the Markdown links of messages (section 3.11.6)."""
    visible = unmistakable(text)
    return SarifText(re.sub(r"([\\\[\]])", r"\\\1", visible) if "](" in visible else visible)


_SEVERITIES = {
    Severity.BREAKING: "error",
    Severity.SECURITY: "error",
    Severity.DANGEROUS: "warning",
    Severity.COMPATIBLE: "note",
    Severity.COSMETIC: "none",
}


def render_diff(report: DiffReport, *, file: str = "", text: str = "") -> str:
    """Return a report of `diff`. ``file`` and ``text`` belong to the contract, if it is a file."""
    findings = (*report.findings, *report.ignored)
    return render(map(_diff_result, findings), file=file, text=text)


def _diff_rule(rule: ChangeRule) -> SarifRule:
    severity = rule.severity() or Severity.COSMETIC
    tags = {"tags": [str(audience) for audience in rule.audiences]}
    return SarifRule(
        rule.id, rule.name, _SEVERITIES[severity], rule.summary, rule.why, rule.fix, tags
    )


def _diff_result(finding: DiffFinding) -> SarifResult:
    change = finding.change
    values = arrow(finding, 1000)
    return SarifResult(
        rule=_diff_rule(finding.rule),
        level=_SEVERITIES[finding.severity],
        subject=change.subject,
        path=change.path,
        pointer=finding.pointer,
        message=f"{finding.message}: {values}" if values else finding.message,
        fingerprint=change.fingerprint,
        ignored=finding.ignored,
    )


def render_lint(report: LintReport, *, file: str = "", text: str = "") -> str:
    """Return a report of `lint`. ``file`` and ``text`` belong to the contract, if it is a file."""
    findings = (*report.findings, *report.ignored)
    return render(map(_lint_result, findings), file=file, text=text)


def _lint_result(finding: LintFinding) -> SarifResult:
    problem = finding.problem
    return SarifResult(
        rule=SarifRule.from_rule(finding.rule),
        level=str(finding.level),
        subject=problem.subject,
        path=problem.path,
        pointer=problem.pointer,
        message=finding.message,
        fingerprint=problem.fingerprint,
        ignored=finding.ignored,
    )


_LISTS = {listing.definition.lower(): listing.member for listing in LISTINGS}


def render_tests(outcome: Outcome, *, file: str = "", text: str = "") -> str:
    """Return a report of `test`. ``file`` and ``text`` belong to the contract, if it is a file."""
    return render(map(_test_result, outcome.failures), file=file, text=text)


def _test_result(failure: Failure) -> SarifResult:
    subject = failure.case.subject
    kind, _, name = subject.partition(" ")
    details = [failure.judge.summary, failure.verdict.detail, failure.line]
    return SarifResult(
        rule=SarifRule.from_rule(failure.judge),
        level=str(failure.level),
        subject=subject,
        path="",
        pointer=pointer((_LISTS[kind], name)) if kind in _LISTS else "",
        message=": ".join(filter(None, details)),
        fingerprint=failure.fingerprint,
    )
