"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mcpgen import __version__
from mcpgen.compare.change import Severity
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.compare.report.line_numbers import line_numbers, line_of
from mcpgen.compare.report.values import arrow
from mcpgen.compare.rules.rule import Rule
from mcpgen.compare.texts.unmistakable import unmistakable
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
    numbers = line_numbers(text) if text else {}
    findings = (*report.findings, *report.ignored)
    rules = list({finding.rule.id: finding.rule for finding in findings}.values())
    return document(map(_rule, rules), (_result(finding, file, numbers) for finding in findings))


def document(rules: Iterable[Json], results: Iterable[Json]) -> str:
    """Return the document of one run."""
    driver = {"name": "mcpgen", "version": __version__, "rules": [*rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [*results],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def location(pointer: str, subject: str, file: str, numbers: dict[str, int]) -> Json:
    """Return where something is: in a contract, and on a line if that is a file."""
    place: dict[str, Json] = {
        "logicalLocations": [{"fullyQualifiedName": pointer, "name": subject}]
    }
    if file:
        place["physicalLocation"] = {
            "artifactLocation": {"uri": file},
            "region": {"startLine": line_of(pointer, numbers)},
        }
    return place


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


def _result(finding: Finding, file: str, numbers: dict[str, int]) -> Json:
    change = finding.change
    place = f"{change.subject} {change.path}".strip()
    message = f"{unmistakable(place)}: {unmistakable(finding.message)}"
    message = f"{message}: {values}" if (values := arrow(change, 1000)) else message
    result: dict[str, Json] = {
        "ruleId": finding.rule.id,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [location(finding.pointer, change.subject, file, numbers)],
        "partialFingerprints": {"mcpgen/v1": change.fingerprint},
    }
    if finding.ignored:
        suppression = {"kind": "external", "justification": finding.ignored}
        result["suppressions"] = [suppression]
    return result
