"""The report as one JSON document."""

from __future__ import annotations

import json

from mcpgen.jsontext import Json
from mcpgen.lint.finding import Finding, Report


def render(report: Report) -> str:
    """Return all findings as JSON on several lines."""
    document = {
        "contract": report.contract,
        "server": report.server,
        "tools": report.tools,
        "failed": report.fails,
        "counts": report.counts(),
        "findings": [_entry(finding) for finding in report.findings],
        "ignored": [{**_entry(each), "reason": each.ignored} for each in report.ignored],
        "notices": list(report.notices),
    }
    return json.dumps(document, indent=2) + "\n"


def _entry(finding: Finding) -> dict[str, Json]:
    found, rule = finding.found, finding.rule
    kind, _, name = found.subject.partition(" ")
    return {
        "rule": rule.id,
        "name": rule.name,
        "level": str(finding.level),
        "fails": finding.fails,
        "subject": found.subject,
        **({"tool": name} if kind == "tool" else {}),
        "path": found.path,
        "pointer": found.pointer,
        "message": finding.message,
        "why": rule.why,
        "hint": rule.fix,
        "fingerprint": found.fingerprint,
    }
