"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json

from mcpgen import __version__
from mcpgen.compare.change import Severity
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.compare.report import values as shown
from mcpgen.compare.report.line_numbers import line_of, lines
from mcpgen.compare.rules.rule import Rule
from mcpgen.jsontext import Json

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {
    Severity.BREAKING: "error",
    Severity.SECURITY: "error",
    Severity.DANGEROUS: "warning",
    Severity.COMPATIBLE: "note",
    Severity.COSMETIC: "none",
}


def render(report: Report, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    known = lines(text) if text else {}
    found = (*report.findings, *report.ignored)
    rules = list({finding.rule.id: finding.rule for finding in found}.values())
    driver = {"name": "mcpgen", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, file, known) for finding in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> Json:
    severity = rule.severity() or Severity.COSMETIC
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix or rule.why},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"tags": [str(audience) for audience in rule.audiences]},
    }


def _result(finding: Finding, file: str, known: dict[str, int]) -> Json:
    change = finding.change
    said = f"{change.subject} {change.path}".strip()
    message = f"{shown.visible(said)}: {shown.visible(finding.message)}"
    message = f"{message}: {values}" if (values := shown.arrow(change, 1000)) else message
    location: dict[str, Json] = {
        "logicalLocations": [{"fullyQualifiedName": finding.pointer, "name": change.subject}]
    }
    if file:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": file},
            "region": {"startLine": line_of(finding.pointer, known)},
        }
    result: dict[str, Json] = {
        "ruleId": finding.rule.id,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": {"mcpgen/v1": change.fingerprint},
    }
    if finding.ignored:
        suppression = {"kind": "external", "justification": finding.ignored}
        result["suppressions"] = [suppression]
    return result
