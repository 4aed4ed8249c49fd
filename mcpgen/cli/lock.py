"""`mcpgen lock`: compares servers with their contracts, and updates the contracts."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click
from mcpgen_runtime.display import TerminalText

from mcpgen.cli.shared import console
from mcpgen.cli.shared.console import is_json, log
from mcpgen.cli.shared.options import Command, json_option, project_options, shard_option
from mcpgen.contract.document import Contract
from mcpgen.errors import Exit, FindingError, McpgenError, Notice, UsageError
from mcpgen.files import write
from mcpgen.findings.diff import DiffReport
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.reports.formats import render_diff
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project, find_project
from mcpgen.project.drift import changes, suspicions
from mcpgen.project.shard import Shard
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.build_contract import Recorded
from mcpgen.servers.recording.own_variables import with_own_variables
from mcpgen.servers.recording.previous import keep_names, previous
from mcpgen.servers.recording.project_servers import ask_all, selected_servers
from mcpgen.servers.shell import consent


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome for one server's contract."""

    state: Literal["unchanged", "new", "updated", "refused", "failed"]
    report: DiffReport | None = None
    notices: tuple[Notice, ...] = ()
    error: McpgenError | None = None

    def document(self) -> dict[str, Any]:
        notices = console.notices_document(self.notices)
        document: dict[str, Any] = {"state": self.state, "notices": notices}
        if self.report is not None:
            text = render_diff(self.report, ReportOptions("json"))
            document["report"] = json.loads(text)
        if self.error is not None:
            document["error"] = self.error.document()
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    accept: bool
    rename_variables: bool
    verbose: bool
    quiet: bool


@click.command(cls=Command, name="lock", short_help="Update the contracts from the servers.")
@project_options
@shard_option
@click.option("--accept", is_flag=True, help="Also write changes that require consent.")
@click.option(
    "--rename-variables",
    is_flag=True,
    help="Name the variables of contracts after their packages: BOOKSHELF_ARG_1, not MCP_ARG_1.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show more of each change, and servers' logs.")
@click.option("-q", "--quiet", is_flag=True, help="Show only changes and errors.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    *,
    names: tuple[str, ...],
    config: str | None,
    shard: Shard | None,
    accept: bool,
    rename_variables: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Update the contracts of [tool.mcpgen] from their servers.

    Changes are shown with their severity. A contract needs --accept, or a yes at the terminal, if a
    change is breaking, is a security risk, or gives agents something new to read, such as a new
    tool or argument.
    """
    project = find_project(config, shard)
    console.log_share(project.names(names), shard, quiet=quiet)
    options = _Options(
        accept=accept, rename_variables=rename_variables, verbose=verbose, quiet=quiet
    )
    outcomes = {name: _failed_outcome(name, error) for name, error in project.broken(names).items()}
    if project.entries(names) or not outcomes:
        outcomes |= _lock_all(project, selected_servers(project, names), options)
    servers = {name: outcome.document() for name, outcome in outcomes.items()}
    console.print_result({"servers": servers, **console.shard_document(shard)})
    return _end(outcomes)


def _lock_all(project: Project, entries: Sequence[Entry], options: _Options) -> dict[str, _Outcome]:
    """Update contracts. A failing server doesn't affect the others."""
    outcomes: dict[str, _Outcome] = {}
    contracts: dict[str, Contract | None] = {}
    for entry in entries:
        try:
            project.refuse_outside(entry, entry.contract, f"{entry.table_name}.contract")
            contracts[entry.name] = previous(project.folder / entry.contract)
        except McpgenError as error:
            outcomes[entry.name] = _failed_outcome(entry.name, error)
    usable = [entry for entry in entries if entry.name in contracts]
    arguments = ServerArguments(verbose=options.verbose, quiet=options.quiet)
    with ask_all(project, usable, arguments, log) as answers:
        for entry in usable:
            try:
                recorded = answers[entry.name]()
                outcome = _lock(project, entry, contracts[entry.name], recorded, options)
            except McpgenError as error:
                outcome = _failed_outcome(entry.name, error)
            outcomes[entry.name] = outcome
    return outcomes


def _failed_outcome(name: str, error: McpgenError) -> _Outcome:
    console.log_failures({name: error})
    return _Outcome("failed", error=error)


def _lock(
    project: Project, entry: Entry, old: Contract | None, recorded: Recorded, options: _Options
) -> _Outcome:
    path = project.folder / entry.contract
    quiet = options.quiet
    contract = None if options.rename_variables else old
    recorded = with_own_variables(recorded, entry.package, contract)
    new = keep_names(old, recorded, entry.contract)
    consent.store(new.origin)
    notices = recorded.notices
    console.log_server_notices(entry.name, notices, verbose=options.verbose, quiet=quiet)
    if old is None:
        outcome = _first(project, entry, new, options)
    elif path.read_bytes() == new.text().encode():
        log(f"{entry.contract}: unchanged", quiet=quiet)
        outcome = _Outcome("unchanged")
    else:
        outcome = _update(project, entry, (old, new), options)
    return replace(outcome, notices=notices)


def _first(project: Project, entry: Entry, new: Contract, options: _Options) -> _Outcome:
    """Write the first contract of a server."""
    path = project.folder / entry.contract
    report = suspicions(project, entry, new)
    if report.findings and not _may_write(report, entry, path, options):
        return _Outcome("refused", report)
    write.replace(path, new.text())
    log(f"{entry.contract}: written, {_contents(new)}", quiet=options.quiet)
    return _Outcome("new", report if report.findings else None)


def _update(
    project: Project, entry: Entry, contracts: tuple[Contract, Contract], options: _Options
) -> _Outcome:
    """Write the contract of a changed server."""
    path = project.folder / entry.contract
    report = _report(project, entry, contracts, accept=options.accept)
    if replace(contracts[0], origin=contracts[1].origin).text() == contracts[1].text():
        write.replace(path, contracts[1].text())
        log(f"{entry.contract}: updated, as the source changed", quiet=options.quiet)
        return _Outcome("updated", report)
    if report is not None and not _may_write(report, entry, path, options):
        return _Outcome("refused", report)
    write.replace(path, contracts[1].text())
    log(f"{entry.contract}: updated", quiet=options.quiet)
    return _Outcome("updated", report)


def _may_write(report: DiffReport, entry: Entry, folder: Path, options: _Options) -> bool:
    """Show the changes, and return True if they may be written."""
    _show(report, options)
    if options.accept or not (report.fails or report.asks):
        return True
    news = sum(finding.asks for finding in report.findings)
    if news:
        number = f"{news} of these give" if news > 1 else "1 of these gives"
        log(f"{entry.contract}: {number} an agent something new to read", quiet=options.quiet)
    if _is_confirmed(entry, folder):
        return True
    log(f"{entry.contract}: unchanged", quiet=options.quiet)
    return False


def _report(
    project: Project, entry: Entry, contracts: tuple[Contract, Contract], *, accept: bool
) -> DiffReport | None:
    try:
        return changes(project, entry, *contracts)
    except UsageError as error:
        if accept:
            return None
        raise UsageError(error.problem, entry.contract, "take the new one with --accept") from None


def _show(report: DiffReport, options: _Options) -> None:
    if not is_json():
        text = render_diff(report, ReportOptions("text", options.verbose, console.is_colored()))
        console.print_text(TerminalText(text))  # reports escape the remote text they contain


def _is_confirmed(entry: Entry, folder: Path) -> bool:
    if not sys.stdin.isatty() or is_json():
        return False
    return click.confirm(f"Accept these changes of {entry.name} into {folder.name}?", err=True)


def _contents(contract: Contract) -> str:
    count = len(contract.tools)
    return f"{count} tool{'' if count == 1 else 's'}"


def _end(outcomes: dict[str, _Outcome]) -> int:
    """Return the exit code. An unreachable server doesn't count as a change."""
    if failed := {name: item.error for name, item in outcomes.items() if item.error is not None}:
        return console.exit_code(failed)
    refused = [name for name, outcome in outcomes.items() if outcome.state == "refused"]
    if not refused:
        return Exit.DONE
    if is_json():
        return Exit.FINDING
    hint = f"read the changes, then: mcpgen lock {' '.join(refused)} --accept"
    raise FindingError(f"changes of {', '.join(refused)} need your consent", hint=hint)
