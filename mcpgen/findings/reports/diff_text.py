"""Renders the report of `diff` for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.reports.terminal import Paint
from mcpgen.findings.reports.values import count, signed_values
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable

_COLORS = {
    Severity.BREAKING: "31",
    Severity.SECURITY: "35",
    Severity.DANGEROUS: "33",
    Severity.COMPATIBLE: "32",
    Severity.COSMETIC: "2",
}
_WIDTH = max(len(str(severity)) for severity in Severity)
_MUCH, _ALL = 300, 100_000
_LISTED = 10
_INDENT = " " * (2 + _WIDTH + 2 + 5 + 1)


def render(report: DiffReport, *, verbose: bool = False, color: bool = False) -> str:
    """Return the findings by subject, worst first. Cosmetic ones are shown only if verbose."""
    paint = Paint(color)
    limit = _ALL if verbose else _MUCH
    lines = [paint.strong(f"{unmistakable(report.old)} -> {unmistakable(report.new)}"), ""]
    floor = Severity.COSMETIC if verbose else Severity.COMPATIBLE
    repeated = [] if verbose else report.repeated_findings(floor=floor)
    in_many = {id(finding) for findings in repeated for finding in findings}
    listed: list[DiffFinding] = []
    for subject, findings in report.subjects(floor=floor).items():
        listed += findings
        if single := [finding for finding in findings if id(finding) not in in_many]:
            lines += [paint.strong(unmistakable(subject))]
            lines += [line for finding in single for line in _finding(finding, paint, limit)]
            lines.append("")
    for findings in repeated:
        lines += [*_repeated_lines(findings, paint, limit), ""]
    if report.observed:
        lines += [paint.strong("observed, not promised")]
        lines += [*(f"  {unmistakable(text)}" for text in report.observed), ""]
    lines += [_summary(report, verbose=verbose)]
    lines += _advice(listed, paint)
    return "\n".join(lines) + "\n"


def _finding(finding: DiffFinding, paint: Paint, limit: int) -> Iterator[str]:
    mark = paint.color(f"[{finding.change.fingerprint}]", "2")
    first, *values = _lines(finding, paint, limit)
    yield f"{first} {mark}"
    yield from values


def _lines(finding: DiffFinding, paint: Paint, limit: int) -> Iterator[str]:
    change = finding.change
    severity = paint.color(f"{finding.severity!s:{_WIDTH}}", _COLORS[finding.severity])
    where = f"{unmistakable(change.path)}: " if change.path else ""
    yield f"  {severity}  {change.rule:5} {where}{unmistakable(finding.message)}"
    rows = signed_values(finding, limit)
    if len(rows) == 2 and sum(len(value) for _, value in rows) <= 60:
        yield f"{_INDENT}{rows[0][1]} -> {rows[1][1]}"
    else:
        yield from (f"{_INDENT}{sign} {value}" for sign, value in rows)


def _repeated_lines(findings: list[DiffFinding], paint: Paint, limit: int) -> Iterator[str]:
    """Yield the lines of a finding that many tools have, and the tools' names."""
    yield paint.strong(count(findings))
    yield from _lines(findings[0], paint, limit)
    for finding in findings[:_LISTED]:
        name = unmistakable(finding.change.subject.partition(" ")[2])
        yield f"{_INDENT}in {name} {paint.color(f'[{finding.change.fingerprint}]', '2')}"
    if (remaining := len(findings) - _LISTED) > 0:
        yield f"{_INDENT}and in {remaining} more, shown with -v"


def _summary(report: DiffReport, *, verbose: bool) -> str:
    counts = [f"{count} {name}" for name, count in report.counts().items() if count]
    hidden = report.count_hidden(floor=Severity.COMPATIBLE)
    if not verbose and hidden:
        are_all = hidden == report.counts()["cosmetic"]
        counts[-1] += " (shown with -v)" if are_all else f" ({hidden} of them shown with -v)"
    if report.ignored:
        counts.append(f"{len(report.ignored)} ignored")
    return ", ".join(counts) if counts else "no changes"


def _advice(findings: list[DiffFinding], paint: Paint) -> Iterator[str]:
    grave = [f.rule for f in findings if f.severity >= Severity.DANGEROUS and f.rule.fix]
    if grave:
        yield from ("", paint.strong("What to do"))
    for rule in dict.fromkeys(rule.id for rule in grave):
        fix = next(change_rule.fix for change_rule in grave if change_rule.id == rule)
        yield f"  {rule:5} {fix}"
    if grave:
        yield "  Why a rule is there: mcpgen explain RULE"
