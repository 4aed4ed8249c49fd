"""What `mcpgen check` found, as a patch, a JSON document, annotations or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpgen.cli.talk import parts, styled
from mcpgen.errors import McpgenError
from mcpgen.project import written

if TYPE_CHECKING:
    from mcpgen.compare.findings.finding import Report
    from mcpgen.compare.report.formats import Format


@dataclass(frozen=True, slots=True)
class Stale:
    """A file that would be written in another way, or a whole folder that is not there, or is.

    ``reason`` says why `mcpgen generate` does not remove what is left over.
    """

    server: str
    path: str
    state: Literal["changed", "missing", "left over", "edited"]
    diff: str = ""
    count: int = 1
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Return it for a JSON document."""
        said = {
            "server": self.server,
            "path": self.path,
            "state": self.state,
            "diff": self.diff,
            "reason": self.reason,
        }
        return {key: value for key, value in said.items() if value}


@dataclass(slots=True)
class Checked:
    """All that was found: files, changes of servers, and servers that were not reached.

    ``unfinished`` are folders that a killed run was to write at once, and wrote in part.
    """

    stale: list[Stale] = field(default_factory=list[Stale])
    unfinished: list[str] = field(default_factory=list[str])
    reports: dict[str, Report] = field(default_factory=dict[str, "Report"])
    failed: dict[str, McpgenError] = field(default_factory=dict[str, McpgenError])

    @property
    def drifted(self) -> list[str]:
        """The servers that changed in a way that fails."""
        return [name for name, report in self.reports.items() if report.fails]


def summary(found: Checked) -> str:
    """Say in one line what is wrong."""
    said: list[str] = []
    if found.stale:
        count = sum(stale.count for stale in found.stale)
        said.append(f"{count} file{' is' if count == 1 else 's are'} out of date")
    if found.drifted:
        said.append(f"{', '.join(found.drifted)} changed since the contract was written")
    return ", and ".join(said)


def advice(found: Checked) -> str:
    """Say which commands put it right."""
    said: list[str] = []
    if any(stale.state != "edited" and not stale.reason for stale in found.stale):
        said.append("mcpgen generate writes the files")
    if kept := [stale.path for stale in found.stale if stale.reason]:
        said.append(f"delete {', '.join(kept)}, or the entries in {written.FILE} if you keep them")
    if any(stale.state == "edited" for stale in found.stale):
        said.append("a contract was edited by hand: mcpgen lock records it again")
    if found.drifted:
        said.append("read the changes, then: mcpgen lock --accept")
    return "; ".join(said)


def text(found: Checked, *, color: bool, verbose: bool) -> str:
    """Return the differences as one patch, and the changes of servers below it."""
    said: list[str] = []
    for stale in found.stale:
        if stale.diff:
            said.append(_colored(stale.diff) if color else stale.diff)
        else:
            said.append(f"{stale.path} {_whole(stale)} ({stale.count} files)\n")
    for report in found.reports.values():
        if report.findings or verbose:
            said.append(_rendered(report, "text", verbose=verbose, color=color))
    return "".join(said)


def _whole(stale: Stale) -> str:
    """Say what is wrong with a whole folder."""
    if stale.state != "left over":
        return "is not there yet"
    kept = f"; it stays, as {stale.reason}" if stale.reason else ""
    return f"is left over, no table makes it any more{kept}"


def _rendered(report: Report, format: Format, *, verbose: bool = False, color: bool = False) -> str:
    from mcpgen.compare.report.formats import ReportOptions, render

    return render(report, ReportOptions(format, verbose, color))


def _colored(diff: str) -> str:
    colors = {"+": "green", "-": "red", "@": "cyan"}
    return "".join(
        styled(line, fg=colors[line[0]]) if line[0] in colors else line
        for line in diff.splitlines(keepends=True)
    )


def document(found: Checked) -> dict[str, Any]:
    """Return everything as one JSON document."""
    said: dict[str, Any] = {
        "ok": not (found.stale or found.drifted or found.failed),
        "stale": [stale.document() for stale in found.stale],
    }
    if found.unfinished:
        said["unfinished"] = found.unfinished
    if found.reports:
        said["live"] = {
            name: json.loads(_rendered(report, "json")) for name, report in found.reports.items()
        }
    if found.failed:
        said["failed"] = {name: parts(error) for name, error in found.failed.items()}
    return said


def commands(found: Checked) -> str:
    """Return workflow commands of GitHub Actions: one a file, one a change."""
    lines = [
        f"::error file={_escaped(stale.path, property=True)},title=mcpgen check"
        f"::{_escaped(f'{stale.state}: run mcpgen generate')}\n"
        for stale in found.stale
    ]
    lines += [_rendered(report, "github") for report in found.reports.values()]
    lines += [
        f"::warning title=mcpgen check::{_escaped(f'{name} was not compared: {error.problem}')}\n"
        for name, error in found.failed.items()
    ]
    return "".join(lines)


def _escaped(text: str, *, property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property else text


def markdown(found: Checked, count: int) -> str:
    """Return a report for a pull request or a step summary."""
    return "\n".join(_markdown(found, count)) + "\n"


def _markdown(found: Checked, count: int) -> Iterator[str]:
    yield "## mcpgen check\n"
    if not (found.stale or found.drifted or found.failed):
        yield f"Everything is up to date ({count} server{'' if count == 1 else 's'}).\n"
    if found.stale:
        yield "| file | server | state |\n|---|---|---|"
        for stale in found.stale:
            yield f"| `{stale.path.replace('|', '%7C')}` | {stale.server} | {stale.state} |"
        yield f"\n{advice(found)}\n"
    for name, error in found.failed.items():
        yield f"**{name}** was not compared: {_plain(error.problem)}\n"
    for report in found.reports.values():
        if report.findings:
            yield _rendered(report, "markdown")


def _plain(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|#" else char for char in text)
