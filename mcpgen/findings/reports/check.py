"""Renders the report of `mcpgen check` as a patch, JSON, annotations or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mcpgen_runtime.display import TerminalText

from mcpgen.findings.check import CheckReport, Stale
from mcpgen.findings.reports.github import escape_command

if TYPE_CHECKING:
    from mcpgen.findings.diff import DiffReport
    from mcpgen.findings.reports.formats import DiffFormat


def summary(report: CheckReport) -> str:
    """Describe all problems in one line."""
    parts: list[str] = []
    if report.stale:
        count = sum(stale.count for stale in report.stale)
        parts.append(f"{count} file{' is' if count == 1 else 's are'} out of date")
    if report.drifted_servers:
        parts.append(f"{', '.join(report.drifted_servers)} changed since the contract was written")
    return ", and ".join(parts)


def advice(report: CheckReport, record: str) -> str:
    """Return the commands that solve the problems."""
    steps: list[str] = []
    if any(stale.state != "edited" and not stale.reason for stale in report.stale):
        steps.append("mcpgen generate writes the files")
    if kept_paths := [stale.path for stale in report.stale if stale.reason]:
        entries = f"the entries in {record}"
        steps.append(f"delete {', '.join(kept_paths)}, or {entries} if you keep them")
    if any(stale.state == "edited" for stale in report.stale):
        steps.append("a contract was edited by hand: mcpgen lock records it again")
    if report.drifted_servers:
        steps.append("read the changes, then: mcpgen lock --accept")
    return "; ".join(steps)


def text(report: CheckReport, *, color: bool, verbose: bool) -> TerminalText:
    """Return the differences as one patch, and the changes of servers below it."""
    texts: list[str] = []
    for stale in report.stale:
        if stale.diff:
            texts.append(_color(stale.diff) if color else stale.diff)
        else:
            texts.append(f"{stale.path} {_state_of_folder(stale)} ({stale.count} files)\n")
    for drift in report.drift.values():
        if drift.findings or drift.observed or verbose:
            texts.append(_render(drift, "text", verbose=verbose, color=color))
    return TerminalText("".join(texts))  # generated files and reports escape remote text


def _state_of_folder(stale: Stale) -> str:
    """Describe the state of a folder."""
    if stale.state != "left over":
        return "is not there yet"
    note = f"; it stays, as {stale.reason}" if stale.reason else ""
    return f"is left over, no table generates it any longer{note}"


def _render(
    drift: DiffReport, format: DiffFormat, *, verbose: bool = False, color: bool = False
) -> str:
    from mcpgen.findings.options import ReportOptions
    from mcpgen.findings.reports.formats import render_diff

    return render_diff(drift, ReportOptions(format, verbose, color))


def _color(diff: str) -> str:
    return "".join(
        f"\x1b[{_COLORS[line[0]]}m{line}\x1b[0m" if line[0] in _COLORS else line
        for line in diff.splitlines(keepends=True)
    )


_COLORS = {"+": 32, "-": 31, "@": 36}


def document(report: CheckReport) -> dict[str, Any]:
    """Return everything as one JSON document."""
    document: dict[str, Any] = {
        "ok": not (report.stale or report.drifted_servers or report.failed),
        "stale": [stale.document() for stale in report.stale],
    }
    if report.unfinished:
        document["unfinished"] = report.unfinished
    if report.drift:
        document["live"] = {
            name: json.loads(_render(drift, "json")) for name, drift in report.drift.items()
        }
    if report.failed:
        document["failed"] = {name: error.document() for name, error in report.failed.items()}
    return document


def commands(report: CheckReport) -> str:
    """Return workflow commands of GitHub Actions: one for each file and change."""
    lines = [
        f"::error file={escape_command(stale.path, is_property=True)},title=mcpgen check"
        f"::{escape_command(f'{stale.state}: run mcpgen generate')}\n"
        for stale in report.stale
    ]
    lines += [_render(drift, "github") for drift in report.drift.values()]
    lines += [
        "::warning title=mcpgen check::"
        f"{escape_command(f'{name} was not compared: {error.problem}')}\n"
        for name, error in report.failed.items()
    ]
    return "".join(lines)


def markdown(report: CheckReport, count: int, record: str) -> str:
    """Return a report for a pull request or a step summary."""
    return "\n".join(_markdown(report, count, record)) + "\n"


def _markdown(report: CheckReport, count: int, record: str) -> Iterator[str]:
    yield "## mcpgen check\n"
    if not (report.stale or report.drifted_servers or report.failed):
        yield f"Everything is up to date ({count} server{'' if count == 1 else 's'}).\n"
    if report.stale:
        yield "| file | server | state |\n|---|---|---|"
        for stale in report.stale:
            yield f"| `{stale.path.replace('|', '%7C')}` | {stale.server} | {stale.state} |"
        yield f"\n{advice(report, record)}\n"
    for name, error in report.failed.items():
        yield f"**{name}** was not compared: {_escape_markdown(error.problem)}\n"
    for drift in report.drift.values():
        if drift.findings or drift.observed:
            yield _render(drift, "markdown")


def _escape_markdown(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|#" else char for char in text)
