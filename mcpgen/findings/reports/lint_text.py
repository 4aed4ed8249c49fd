"""Renders the report of `lint` for a terminal, by rule: one edit often fixes all violations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.findings.lint import LintFinding, LintReport
from mcpgen.findings.reports.terminal import INDENT, Paint, by_rule, count_phrases, heading
from mcpgen.findings.severity import Level
from mcpgen.findings.texts.invisible import unmistakable

_LISTED = {Level.ERROR: 10, Level.WARNING: 5, Level.NOTE: 2}
"""Number of listed positions per rule, unless all are requested."""


def render(report: LintReport, *, verbose: bool = False, color: bool = False) -> str:
    """Return the violated rules, worst first, each with the positions of its violations."""
    head = report.contract
    if report.server and report.server != report.contract:
        head += f", {report.server}"
    tools = f"{report.tools} tool{'s' if report.tools != 1 else ''}"
    paint = Paint(color)
    lines = [paint.strong(f"{unmistakable(head)}: {tools}"), ""]
    for findings in by_rule(report.findings, lambda item: (item.level, item.rule)):
        lines += [*_rule(findings, paint, verbose=verbose), ""]
    lines.append(_summary(report))
    if report.findings:
        lines.append("Why a rule is there: mcpgen explain RULE")
    return "\n".join(lines) + "\n"


def _rule(findings: Sequence[LintFinding], paint: Paint, *, verbose: bool) -> Iterator[str]:
    first = findings[0]
    yield heading(first.level, first.rule, paint)
    limit = len(findings) if verbose else _LISTED[first.level]
    for finding in findings[:limit]:
        problem = finding.problem
        position = unmistakable(f"{problem.subject} {problem.path}".strip())
        detail = f": {unmistakable(problem.detail)}" if problem.detail else ""
        mark = paint.color(f"[{problem.fingerprint}]", "2")
        yield f"{INDENT}{position}{detail} {mark}"
    if len(findings) > limit:
        yield f"{INDENT}and {len(findings) - limit} more, shown with -v"
    yield f"{INDENT}-> {first.rule.fix}"


def _summary(report: LintReport) -> str:
    counts = count_phrases(report.counts())
    if report.ignored:
        counts.append(f"{len(report.ignored)} ignored")
    return ", ".join(counts) if counts else "nothing found"
