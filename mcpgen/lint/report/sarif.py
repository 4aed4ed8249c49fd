"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.findings import sarif
from mcpgen.findings.sarif import SarifResult, SarifRule
from mcpgen.lint.finding import Finding, Report


def render(report: Report, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    findings = (*report.findings, *report.ignored)
    return sarif.render(map(_result, findings), file=file, text=text)


def _result(finding: Finding) -> SarifResult:
    found = finding.found
    return SarifResult(
        rule=SarifRule.of(finding.rule),
        level=str(finding.level),
        subject=found.subject,
        path=found.path,
        pointer=found.pointer,
        message=finding.message,
        fingerprint=found.fingerprint,
        ignored=finding.ignored,
    )
