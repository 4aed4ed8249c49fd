"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.compare.change import Severity
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.compare.report.values import arrow
from mcpgen.compare.rules.rule import Rule
from mcpgen.findings import sarif
from mcpgen.findings.sarif import SarifResult, SarifRule

_LEVELS = {
    Severity.BREAKING: "error",
    Severity.SECURITY: "error",
    Severity.DANGEROUS: "warning",
    Severity.COMPATIBLE: "note",
    Severity.COSMETIC: "none",
}


def render(report: Report, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    findings = (*report.findings, *report.ignored)
    return sarif.render(map(_result, findings), file=file, text=text)


def _rule(rule: Rule) -> SarifRule:
    severity = rule.severity() or Severity.COSMETIC
    tags = {"tags": [str(audience) for audience in rule.audiences]}
    return SarifRule(rule.id, rule.name, _LEVELS[severity], rule.summary, rule.why, rule.fix, tags)


def _result(finding: Finding) -> SarifResult:
    change = finding.change
    values = arrow(change, 1000)
    return SarifResult(
        rule=_rule(finding.rule),
        level=_LEVELS[finding.severity],
        subject=change.subject,
        path=change.path,
        pointer=finding.pointer,
        message=f"{finding.message}: {values}" if values else finding.message,
        fingerprint=change.fingerprint,
        ignored=finding.ignored,
    )
