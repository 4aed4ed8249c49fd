"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.linting.finding import Finding, Report, Rule
from mcpgen.reports import sarif
from mcpgen.reports.sarif import SarifResult, SarifRule


def render(report: Report, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    findings = (*report.findings, *report.ignored)
    return sarif.render(map(_result, findings), file=file, text=text)


def _rule(rule: Rule) -> SarifRule:
    return SarifRule(rule.id, rule.name, str(rule.level), rule.summary, rule.why, rule.fix)


def _result(finding: Finding) -> SarifResult:
    found = finding.found
    return SarifResult(
        rule=_rule(finding.rule),
        level=str(finding.level),
        subject=found.subject,
        path=found.path,
        pointer=found.pointer,
        message=finding.message,
        fingerprint=found.fingerprint,
        ignored=finding.ignored,
    )
