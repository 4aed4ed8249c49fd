"""The report for a person at a terminal: by rule, as one change often mends all of its places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.linting.finding import Finding, Report
from mcpgen.reports.rules import Level
from mcpgen.reports.texts.unmistakable import unmistakable

_COLORS = {Level.ERROR: "31", Level.WARNING: "33", Level.NOTE: "2"}
_WIDTH = max(len(str(level)) for level in Level)
_LISTED = {Level.ERROR: 10, Level.WARNING: 5, Level.NOTE: 2}
"""How many places of a rule are listed unless all are asked for."""
_INDENT = " " * (_WIDTH + 2)


def render(report: Report, *, verbose: bool = False, color: bool = False) -> str:
    """Return the rules that are not kept, the worst first, each with its places."""
    head = report.contract
    if report.server and report.server != report.contract:
        head += f", {report.server}"
    tools = f"{report.tools} tool{'s' if report.tools != 1 else ''}"
    lines = [_painted(f"{unmistakable(head)}: {tools}", "1", color), ""]
    for findings in _by_rule(report.findings):
        lines += [*_rule(findings, verbose=verbose, color=color), ""]
    lines.append(_summary(report))
    if report.findings:
        lines.append("Why a rule is there: mcpgen explain RULE")
    return "\n".join(lines) + "\n"


def _by_rule(findings: Sequence[Finding]) -> list[list[Finding]]:
    grouped: dict[tuple[int, str], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((-finding.level, finding.rule.id), []).append(finding)
    return [grouped[key] for key in sorted(grouped)]


def _rule(findings: Sequence[Finding], *, verbose: bool, color: bool) -> Iterator[str]:
    first = findings[0]
    level = _painted(f"{first.level!s:{_WIDTH}}", _COLORS[first.level], color)
    yield f"{level}  {first.rule.id} {first.rule.name}: {first.rule.summary}"
    limit = len(findings) if verbose else _LISTED[first.level]
    for finding in findings[:limit]:
        found = finding.found
        place = unmistakable(f"{found.subject} {found.path}".strip())
        detail = f": {unmistakable(found.detail)}" if found.detail else ""
        mark = _painted(f"[{found.fingerprint}]", "2", color)
        yield f"{_INDENT}{place}{detail} {mark}"
    if len(findings) > limit:
        yield f"{_INDENT}and {len(findings) - limit} more, shown with -v"
    yield f"{_INDENT}-> {first.rule.fix}"


def _summary(report: Report) -> str:
    counts = [
        f"{count} {level}{'s' if count > 1 else ''}"
        for level, count in report.counts().items()
        if count
    ]
    if report.ignored:
        counts.append(f"{len(report.ignored)} ignored")
    return ", ".join(counts) if counts else "nothing found"


def _painted(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
