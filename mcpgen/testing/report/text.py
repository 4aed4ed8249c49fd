"""The report for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.display import brief
from mcpgen.reports.rules import Level
from mcpgen.reports.terminal import INDENT, Paint, by_rule, counted, heading
from mcpgen.reports.texts.unmistakable import unmistakable
from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome

_LISTED = {Level.ERROR: 10, Level.WARNING: 3, Level.NOTE: 1}


def render(outcome: Outcome, *, verbose: bool = False, color: bool = False) -> str:
    """Return the failures by their judges, the worst first, and a table of what was reached."""
    head = f"{outcome.server}: {len(outcome.coverage)} tools, protocol {outcome.revision}"
    paint = Paint(color)
    lines = [paint.strong(unmistakable(head)), ""]
    for failures in by_rule(outcome.failures, lambda each: (each.level, each.judge)):
        lines += [*_judge(failures, paint, verbose=verbose), ""]
    lines += [*_coverage(outcome), "", *_summary(outcome)]
    return "\n".join(lines) + "\n"


def _judge(failures: list[Failure], paint: Paint, *, verbose: bool) -> Iterator[str]:
    first = failures[0]
    yield heading(first.level, first.judge, paint)
    limit = len(failures) if verbose else _LISTED[first.level]
    for failure in failures[:limit]:
        detail = failure.verdict.detail
        what = f"{failure.case.subject}: {detail}" if detail else failure.case.subject
        yield f"{INDENT}{unmistakable(what)}"
        if failure.verdict.answer and not _is_said(failure):
            yield f"{INDENT}  -> {unmistakable(brief(failure.verdict.answer, 120))}"
        if failure.line:
            yield f"{INDENT}  $ {unmistakable(failure.line)}"
    if len(failures) > limit:
        yield f"{INDENT}and {len(failures) - limit} more, shown with -v"


def _is_said(failure: Failure) -> bool:
    return failure.verdict.answer in failure.verdict.detail


def _coverage(outcome: Outcome) -> Iterator[str]:
    if not outcome.coverage:
        return
    rows = [("tool", "calls", "results", "members seen", "ways to fail")]
    left_out: list[str] = []
    for name, seen in outcome.coverage.items():
        if seen.left_out:
            left_out.append(f"left out: {unmistakable(name)}: {seen.left_out}")
        if seen.left_out and not seen.calls:
            continue
        declared = set(outcome.declared.get(name, ()))
        members = f"{len(declared & seen.members)} of {len(declared)}" if declared else "-"
        errors = ", ".join(f"{key} {count}" for key, count in sorted(seen.errors.items())) or "-"
        rows.append((unmistakable(name), str(seen.calls), str(seen.results), members, errors))
    widths = [max(len(row[at]) for row in rows) for at in range(5)]
    for row in rows if len(rows) > 1 else ():
        cells = [
            f"{cell:>{width}}" if at in (1, 2) else f"{cell:{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    yield from left_out


def _summary(outcome: Outcome) -> Iterator[str]:
    said = ", ".join(counted(outcome.counts())) or "nothing found"
    yield f"{said}; {outcome.calls} calls, seed {outcome.seed}"
    if outcome.stopped:
        yield f"not everything was tried: {outcome.stopped}"
    if outcome.failures:
        yield "What a judge means: mcpgen explain ID"
