"""`mcpgen lock`: asks the servers, shows what changed and how bad it is, and updates contracts."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from mcpgen.cli.jobs import exit_code, project_options, tell_failed
from mcpgen.cli.live import ask, changes, pinned, sources, suspicions
from mcpgen.cli.options import Asked
from mcpgen.cli.record import previous
from mcpgen.cli.talk import (
    aside,
    is_colored,
    is_json,
    json_option,
    noticed,
    parts,
    result,
    shown,
    tell,
)
from mcpgen.compare.findings.finding import Report
from mcpgen.compare.report.formats import ReportOptions, render
from mcpgen.contract.document import Contract
from mcpgen.errors import Exit, FindingError, McpgenError, Notice, UsageError
from mcpgen.files import write
from mcpgen.project import Entry, Project, find


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one server's contract."""

    state: Literal["unchanged", "new", "updated", "refused", "failed"]
    report: Report | None = None
    notices: tuple[Notice, ...] = ()
    error: McpgenError | None = None

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = {"state": self.state, "notices": noticed(self.notices)}
        if self.report is not None:
            found["report"] = json.loads(render(self.report, ReportOptions("json")))
        if self.error is not None:
            found["error"] = parts(self.error)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    accept: bool
    verbose: bool
    quiet: bool


@click.command(name="lock", short_help="Update the contracts from the servers.")
@project_options
@click.option("--accept", is_flag=True, help="Write changes that need consent too.")
@click.option("-v", "--verbose", is_flag=True, help="Show more of each change, and servers' logs.")
@click.option("-q", "--quiet", is_flag=True, help="Show changes and errors alone.")
@json_option
def command(
    *, names: tuple[str, ...], config: str | None, accept: bool, verbose: bool, quiet: bool
) -> int:
    """Ask the servers of [tool.mcpgen] what they offer, and update their contracts.

    What changed is shown, and how bad it is. A contract whose server changed in a way that is
    breaking, or a matter of security, or gives an agent something new to read, such as a new tool
    or argument, is only written with --accept or a yes on a terminal.
    """
    project = find(config)
    manner = _Manner(accept=accept, verbose=verbose, quiet=quiet)
    outcomes = {name: _failed(name, error) for name, error in project.broken(names).items()}
    entries = project.entries(names)
    if entries or not outcomes:
        for entry in sources(entries, names):
            outcomes[entry.name] = _outcome(project, entry, manner)
    result({"servers": {name: outcome.document() for name, outcome in outcomes.items()}})
    return _end(outcomes)


def _outcome(project: Project, entry: Entry, manner: _Manner) -> _Outcome:
    """Update one contract; that a server fails costs the others nothing."""
    try:
        return _locked(project, entry, manner)
    except McpgenError as error:
        return _failed(entry.name, error)


def _failed(name: str, error: McpgenError) -> _Outcome:
    tell_failed({name: error})
    return _Outcome("failed", error=error)


def _locked(project: Project, entry: Entry, manner: _Manner) -> _Outcome:
    project.refuse_outside(entry, entry.contract, f"{entry.at}.contract")
    place = project.folder / entry.contract
    old = previous(place)
    recorded = ask(project, entry, Asked(verbose=manner.verbose, quiet=manner.quiet))
    new = pinned(old, recorded, entry.contract)
    tell(entry.name, recorded.notices, verbose=manner.verbose, quiet=manner.quiet)
    if old is None:
        report = suspicions(project, entry, new)
        if report.findings and not _agreed(report, entry, place, manner):
            return _Outcome("refused", report, recorded.notices)
        write.replace(place, new.text())
        aside(f"{entry.contract}: written, {_contents(new)}", quiet=manner.quiet)
        return _Outcome("new", report if report.findings else None, recorded.notices)
    if place.read_bytes() == new.text().encode():
        aside(f"{entry.contract}: unchanged", quiet=manner.quiet)
        return _Outcome("unchanged", notices=recorded.notices)
    found = _report(project, entry, (old, new), accept=manner.accept)
    if found is not None and not _agreed(found, entry, place, manner):
        return _Outcome("refused", found, recorded.notices)
    write.replace(place, new.text())
    aside(f"{entry.contract}: updated", quiet=manner.quiet)
    return _Outcome("updated", found, recorded.notices)


def _agreed(report: Report, entry: Entry, place: Path, manner: _Manner) -> bool:
    """Show what changed, and say whether it may be written."""
    _show(report, manner)
    if manner.accept or not (report.fails or report.asks):
        return True
    news = sum(finding.asks for finding in report.findings)
    if news:
        said = f"{news} of these give" if news > 1 else "1 of these gives"
        aside(f"{entry.contract}: {said} an agent something new to read", quiet=manner.quiet)
    if _said_yes(entry, place):
        return True
    aside(f"{entry.contract}: left as it was", quiet=manner.quiet)
    return False


def _report(
    project: Project, entry: Entry, sides: tuple[Contract, Contract], *, accept: bool
) -> Report | None:
    try:
        return changes(project, entry, *sides)
    except UsageError as error:
        if accept:
            return None
        raise UsageError(error.problem, entry.contract, "take the new one with --accept") from None


def _show(report: Report, manner: _Manner) -> None:
    if not is_json():
        shown(render(report, ReportOptions("text", manner.verbose, is_colored())))


def _said_yes(entry: Entry, place: Path) -> bool:
    if not sys.stdin.isatty() or is_json():
        return False
    return click.confirm(f"Accept these changes of {entry.name} into {place.name}?", err=True)


def _contents(found: Contract) -> str:
    count = len(found.tools)
    return f"{count} tool{'' if count == 1 else 's'}"


def _end(outcomes: dict[str, _Outcome]) -> int:
    """Return the exit code: that a server was not reached is never taken for a change."""
    if failed := {name: each.error for name, each in outcomes.items() if each.error is not None}:
        return exit_code(failed)
    refused = [name for name, outcome in outcomes.items() if outcome.state == "refused"]
    if not refused:
        return Exit.DONE
    if is_json():
        return Exit.FINDING
    hint = f"read the changes, then: mcpgen lock {' '.join(refused)} --accept"
    raise FindingError(f"changes of {', '.join(refused)} need your consent", hint=hint)
