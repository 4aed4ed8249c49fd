"""Renders the report of `diff` as Markdown, for a pull request or a step summary."""

from __future__ import annotations

import re

from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.reports.values import count, signed_values
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable

_MARKS = {
    Severity.BREAKING: "**breaking**",
    Severity.SECURITY: "**security**",
    Severity.DANGEROUS: "dangerous",
    Severity.COMPATIBLE: "compatible",
    Severity.COSMETIC: "cosmetic",
}


def render(report: DiffReport, *, verbose: bool = False) -> str:
    """Return a table per tool, worst first. Text from a server can't leave its table cell."""
    lines = [f"### {_code(report.old)} → {_code(report.new)}", ""]
    counts = [f"{count} {name}" for name, count in report.counts().items() if count]
    counts += [f"{len(report.ignored)} ignored"] if report.ignored else []
    lines += [f"{', '.join(counts) or 'No changes'}.", ""]
    floor = Severity.COSMETIC if verbose else Severity.COMPATIBLE
    repeated = [] if verbose else report.repeated_findings(floor=floor)
    in_many = {id(finding) for findings in repeated for finding in findings}
    for subject, findings in report.subjects(floor=floor).items():
        if single := [finding for finding in findings if id(finding) not in in_many]:
            lines += [f"#### {_code(subject)}", "", "| | rule | where | what | fingerprint |"]
            lines += ["|---|---|---|---|---|", *map(_row, single), ""]
    for findings in repeated:
        lines += [f"#### {count(findings)}", "", "| | rule | where | what | fingerprint |"]
        lines += ["|---|---|---|---|---|", _row(findings[0], _subjects(findings)), ""]
    if report.observed:
        lines += ["#### Observed, not promised", "", *(f"- {_code(e)}" for e in report.observed)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(finding: DiffFinding, marks: str = "") -> str:
    change = finding.change
    values = [f"{sign} {_code(text)}" for sign, text in signed_values(finding, 1000)]
    what = "<br>".join([_plain(finding.message), *values])
    where = _code(change.path) if change.path else ""
    return (
        f"| {_MARKS[finding.severity]} | {finding.rule.id} {finding.rule.name} | {where} "
        f"| {what} | {marks or f'`{change.fingerprint}`'} |"
    )


def _subjects(findings: list[DiffFinding]) -> str:
    """Return the tools with an equal finding, each with its own fingerprint."""
    changes = [finding.change for finding in findings]
    names = [(_code(change.subject.partition(" ")[2]), change.fingerprint) for change in changes]
    return "<br>".join(f"{name} `{fingerprint}`" for name, fingerprint in names)


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|@])", r"\\\1", unmistakable(text))


def _code(text: str) -> str:
    """Return a string as HTML code, in which every special character is escaped."""
    escaped = unmistakable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = re.sub(r"[`*_|\[\]\\@~:!]", lambda match: f"&#{ord(match[0])};", escaped)
    return f"<code>{escaped}</code>"
