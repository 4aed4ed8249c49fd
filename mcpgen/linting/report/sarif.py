"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.compare.report.line_numbers import line_numbers
from mcpgen.compare.report.sarif import document, location
from mcpgen.compare.texts.unmistakable import unmistakable
from mcpgen.jsontext import Json
from mcpgen.linting.finding import Finding, Report, Rule


def render(report: Report, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    numbers = line_numbers(text) if text else {}
    findings = (*report.findings, *report.ignored)
    rules = {finding.rule.id: finding.rule for finding in findings}
    return document(
        (described(rules[key]) for key in sorted(rules)),
        (_result(finding, file, numbers) for finding in findings),
    )


def described(rule: Rule) -> Json:
    """Return a rule as the list of a run has it."""
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": str(rule.level)},
    }


def _result(finding: Finding, file: str, numbers: dict[str, int]) -> Json:
    found = finding.found
    place = f"{found.subject} {found.path}".strip()
    result: dict[str, Json] = {
        "ruleId": finding.rule.id,
        "level": str(finding.level),
        "message": {"text": f"{unmistakable(place)}: {unmistakable(finding.message)}"},
        "locations": [location(found.pointer, found.subject, file, numbers)],
        "partialFingerprints": {"mcpgen/v1": found.fingerprint},
    }
    if finding.ignored:
        result["suppressions"] = [{"kind": "external", "justification": finding.ignored}]
    return result
