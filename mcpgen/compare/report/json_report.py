"""The report as one JSON document."""

from __future__ import annotations

import json

from mcpgen.compare.change import ABSENT
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.jsontext import Json


def render(report: Report) -> str:
    """Return all findings, also the cosmetic ones, as JSON on several lines."""
    document = {
        "old": report.old,
        "new": report.new,
        "server": report.server,
        "failed": report.fails,
        "counts": report.counts(),
        "findings": [entry(finding, report.server) for finding in report.findings],
        "ignored": [
            {**entry(finding, report.server), "reason": finding.ignored}
            for finding in report.ignored
        ],
        "notices": list(report.notices),
        **({"observed": list(report.observed)} if report.observed else {}),
    }
    return json.dumps(document, indent=2) + "\n"


def entry(finding: Finding, server: str) -> dict[str, Json]:
    """Return one finding; a value that is not there is left out, unlike null."""
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
