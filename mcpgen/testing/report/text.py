"""The report for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.display import brief
from mcpgen.reports.rules import Level
from mcpgen.reports.texts.unmistakable import unmistakable
from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome

_COLORS = {Level.ERROR: "31", Level.WARNING: "33", Level.NOTE: "2"}
_WIDTH = max(len(str(level)) for level in Level)
_INDENT = " " * (_WIDTH + 2)
_LISTED = {Level.ERROR: 10, Level.WARNING: 3, Level.NOTE: 1}


def render(outcome: Outcome, *, verbose: bool = False, color: bool = False) -> str:
    """Return the failures by their judges, the worst first, and a table of what was reached."""
    head = f"{outcome.server}: {len(outcome.coverage)} tools, protocol {outcome.revision}"
    lines = [_painted(unmistakable(head), "1", color), ""]
    for failures in _by_judge(outcome):
        lines += [*_judge(failures, verbose=verbose, color=color), ""]
    lines += [*_coverage(outcome), "", *_summary(outcome)]
    return "\n".join(lines) + "\n"


def _by_judge(outcome: Outcome) -> list[list[Failure]]:
    grouped: dict[tuple[int, str], list[Failure]] = {}
    for failure in outcome.failures:
        grouped.setdefault((-failure.level, failure.judge.id), []).append(failure)
    return [grouped[key] for key in sorted(grouped)]


def _judge(failures: list[Failure], *, verbose: bool, color: bool) -> Iterator[str]:
    first = failures[0]
    level = _painted(f"{first.level!s:{_WIDTH}}", _COLORS[first.level], color)
    yield f"{level}  {first.judge.id} {first.judge.name}: {first.judge.summary}"
    limit = len(failures) if verbose else _LISTED[first.level]
    for failure in failures[:limit]:
        detail = failure.verdict.detail
        what = f"{failure.case.subject}: {detail}" if detail else failure.case.subject
        yield f"{_INDENT}{unmistakable(what)}"
        if failure.verdict.answer and not _is_said(failure):
            yield f"{_INDENT}  -> {unmistakable(brief(failure.verdict.answer, 120))}"
        if failure.line:
            yield f"{_INDENT}  $ {unmistakable(failure.line)}"
    if len(failures) > limit:
        yield f"{_INDENT}and {len(failures) - limit} more, shown with -v"


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
    counts = [
        f"{count} {level}{'s' if count > 1 else ''}"
        for level, count in outcome.counts().items()
        if count
    ]
    said = ", ".join(counts) if counts else "nothing found"
    yield f"{said}; {outcome.calls} calls, seed {outcome.seed}"
    if outcome.stopped:
        yield f"not everything was tried: {outcome.stopped}"
    if outcome.failures:
        yield "What a judge means: mcpgen explain ID"


def _painted(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
