"""Renders the report of `test` for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Failure, Outcome
from mcpgen.findings.reports.terminal import INDENT, Paint, by_rule, count_phrases, heading
from mcpgen.findings.severity import Level
from mcpgen.findings.texts.invisible import unmistakable

_NAMES = 8
_OF_A_TOOL = 3
"""Number of listed failures per tool and rule."""
_LISTED = {Level.ERROR: 10, Level.WARNING: 3, Level.NOTE: 1}


def render(outcome: Outcome, *, verbose: bool = False, color: bool = False) -> str:
    """Return the failures by rule, worst first, and a table of the coverage."""
    count = len(outcome.coverage)
    tools = f"{count} tool{'s' if count != 1 else ''}"
    head = f"{outcome.server}: {tools}, protocol {outcome.revision}"
    paint = Paint(color)
    lines = [paint.strong(unmistakable(head)), *_tested_lines(outcome), ""]
    for failures in by_rule(outcome.failures, lambda item: (item.level, item.judge)):
        lines += [*_judge(failures, paint, verbose=verbose), ""]
    lines += [*_coverage(outcome), "", *_summary(outcome)]
    return "\n".join(lines) + "\n"


def _tested_lines(outcome: Outcome) -> Iterator[str]:
    """Yield the number of tested tools, and the names of the others."""
    if outcome.coverage:
        yield f"{outcome.tested_tools} of {len(outcome.coverage)} tools tested"
    left_out = [name for name, tool_coverage in outcome.coverage.items() if tool_coverage.left_out]
    if left_out:
        text = ", ".join(map(unmistakable, left_out[:_NAMES]))
        more = f", and {len(left_out) - _NAMES} more" if len(left_out) > _NAMES else ""
        yield f"left out: {text}{more} (the reasons are below)"


def _judge(failures: list[Failure], paint: Paint, *, verbose: bool) -> Iterator[str]:
    first = failures[0]
    yield heading(first.level, first.judge, paint)
    limit = len(failures) if verbose else _LISTED[first.level]
    listed = failures if verbose else _few_of_a_tool(failures)
    for failure in listed[:limit]:
        detail = failure.verdict.detail
        what = f"{failure.case.subject}: {detail}" if detail else failure.case.subject
        yield f"{INDENT}{unmistakable(what)}"
        if failure.verdict.answer and not _is_said(failure):
            yield f"{INDENT}  -> {unmistakable(brief(failure.verdict.answer, 120))}"
        if failure.line:
            yield f"{INDENT}  $ {unmistakable(failure.line)}"
    remaining = len(failures) - len(listed[:limit])
    if remaining:
        yield f"{INDENT}and {remaining} more, shown with -v"


def _few_of_a_tool(failures: list[Failure]) -> list[Failure]:
    """Return the first failures for each tool: one cause often makes many."""
    counts: Counter[str] = Counter()
    listed: list[Failure] = []
    for failure in failures:
        counts[failure.case.subject] += 1
        if counts[failure.case.subject] <= _OF_A_TOOL:
            listed.append(failure)
    return listed


def _is_said(failure: Failure) -> bool:
    return failure.verdict.answer in failure.verdict.detail


def _coverage(outcome: Outcome) -> Iterator[str]:
    if not outcome.coverage:
        return
    rows = [("tool", "calls", "results", "members seen", "ways to fail")]
    left_out: list[str] = []
    for name, tool_coverage in outcome.coverage.items():
        if tool_coverage.left_out:
            left_out.append(f"left out: {unmistakable(name)}: {tool_coverage.left_out}")
        if tool_coverage.left_out and not tool_coverage.calls:
            continue
        declared = set(outcome.declared.get(name, ()))
        members = f"{len(declared & tool_coverage.members)} of {len(declared)}" if declared else "-"
        errors = (
            ", ".join(f"{key} {count}" for key, count in sorted(tool_coverage.errors.items()))
            or "-"
        )
        rows.append(
            (
                unmistakable(name),
                str(tool_coverage.calls),
                str(tool_coverage.results),
                members,
                errors,
            )
        )
    widths = [max(len(row[at]) for row in rows) for at in range(5)]
    for row in rows if len(rows) > 1 else ():
        cells = [
            f"{cell:>{width}}" if at in (1, 2) else f"{cell:{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    yield from left_out


def _summary(outcome: Outcome) -> Iterator[str]:
    text = ", ".join(count_phrases(outcome.counts())) or "nothing found"
    yield f"{text}; {outcome.calls} calls, seed {outcome.seed}"
    if outcome.stopped:
        yield f"not everything was tried: {outcome.stopped}"
    if outcome.failures:
        yield "Explain a rule: mcpgen explain ID"
