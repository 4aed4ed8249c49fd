"""The report as Markdown, for a pull request or a step's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcpgen.compare.change import Severity
from mcpgen.compare.finding import Finding, Report
from mcpgen.compare.report import shown

_MARKS = {
    Severity.BREAKING: "**breaking**",
    Severity.SECURITY: "**security**",
    Severity.DANGEROUS: "dangerous",
    Severity.COMPATIBLE: "compatible",
    Severity.COSMETIC: "cosmetic",
}


def render(report: Report, *, verbose: bool = False) -> str:
    """Return a table for each tool, the worst first; a server's text cannot leave its cell."""
    lines = [f"### {_code(report.old)} → {_code(report.new)}", ""]
    counts = [f"{count} {name}" for name, count in report.counts().items() if count]
    counts += [f"{len(report.ignored)} ignored"] if report.ignored else []
    lines += [f"{', '.join(counts) or 'No changes'}.", ""]
    for subject, findings in report.subjects().items():
        kept = [f for f in findings if verbose or f.severity > Severity.COSMETIC]
        if kept:
            lines += [f"#### {_code(subject)}", "", "| | rule | where | what | fingerprint |"]
            lines += ["|---|---|---|---|---|", *_rows(kept), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        change = finding.change
        values = [f"{sign} {_code(text)}" for sign, text in shown.values(change, 1000)]
        said = "<br>".join([_plain(finding.message), *values])
        where = _code(change.path) if change.path else ""
        yield (
            f"| {_MARKS[finding.severity]} | {finding.rule.id} {finding.rule.name} | {where} "
            f"| {said} | `{change.fingerprint}` |"
        )


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|@])", r"\\\1", shown.visible(text))


def _code(text: str) -> str:
    """Return a text as code that cannot end early: in HTML, where every character can be said."""
    escaped = shown.visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = re.sub(r"[`*_|\[\]\\@~:!]", lambda match: f"&#{ord(match[0])};", escaped)
    return f"<code>{escaped}</code>"
