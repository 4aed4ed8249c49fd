"""`mcpgen check`: are the files, and the contracts, as they would be written now?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from mcpgen.cli import console
from mcpgen.cli.console import is_json, log
from mcpgen.cli.options import (
    cache_option,
    format_option,
    jobs_option,
    json_option,
    project_options,
    shard_option,
)
from mcpgen.errors import Exit, FindingError, McpgenError, UsageError
from mcpgen.project import check_report, staleness
from mcpgen.project.build_all import build_all
from mcpgen.project.check_report import CheckReport
from mcpgen.project.find import Project, find_project
from mcpgen.project.model import Entry
from mcpgen.project.shard import Shard
from mcpgen.shell.words import streams

_FORMATS = ("text", "json", "github")


@click.command(name="check", short_help="Say whether anything generated is out of date.")
@project_options
@click.option("--live", is_flag=True, help="Also compare the contracts with the running servers.")
@format_option(_FORMATS, "How to write what was found; github makes annotations.")
@click.option("--summary", metavar="FILE", help="Also add a report in Markdown to this file.")
@shard_option
@jobs_option
@cache_option
@click.option("-v", "--verbose", is_flag=True, help="Show every notice, and servers' logs.")
@click.option("-q", "--quiet", is_flag=True, help="Show no differences, errors alone.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    *,
    names: tuple[str, ...],
    config: str | None,
    live: bool,
    format_: str,
    summary: str | None,
    shard: Shard | None,
    jobs: int | None,
    no_cache: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Say whether the generated files are what the contracts and [tool.mcpgen] make of them.

    Nothing is written and no server is asked; differences are shown as a patch. With --live the
    contracts are compared with the running servers too; a server that is not reached is never
    taken for a change. A server that fails costs the others nothing: the exit code says so.
    """
    project = find_project(config, shard)
    console.log_share(project.names(names), shard, quiet=quiet)
    progress = console.no_progress if quiet else console.progress
    builds = build_all(project, names, use_cache=not no_cache, jobs=jobs or 0, progress=progress)
    if builds.cache_problem:
        log(f"the cache is not used: {builds.cache_problem}", quiet=quiet)
    report = CheckReport(failed=dict(builds.failed))
    for built in builds.done:
        name, notices = built.entry.name, built.build.notices
        console.log_server_notices(name, notices, verbose=verbose, quiet=quiet or not verbose)
        try:
            report.stale += [*staleness.stale(project, built)]
            report.unfinished += staleness.unfinished(project, built)
        except McpgenError as error:
            report.failed[name] = error
    report.stale += staleness.left_over(project, names)
    console.log_failures(report.failed)
    for place in report.unfinished:
        log(f"{place}: a run was cut off between folders; mcpgen generate completes it")
    if live:
        _compare(project, names, report, verbose=verbose, quiet=quiet)
    count = len(builds.done)
    _print(report, format_, shard, verbose=verbose, quiet=quiet)
    if summary:
        _append(summary, check_report.markdown(report, count))
    return _end(report, count, quiet=quiet)


def _print(
    report: CheckReport, format: str, shard: Shard | None, *, verbose: bool, quiet: bool
) -> None:
    if is_json():
        document = check_report.document(report)
        console.print_result({**document, **console.shard_document(shard)})
    elif format == "github":
        streams.write_commands(check_report.commands(report))
    elif not quiet:
        color = console.is_colored()
        console.print_text(check_report.text(report, color=color, verbose=verbose))


def _append(file: str, text: str) -> None:
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UsageError(f"the file cannot be written: {error.strerror}", file) from None


def _end(report: CheckReport, count: int, *, quiet: bool) -> int:
    """Return the exit code: that a server was not reached is never taken for a change."""
    if report.failed:
        return console.exit_code(report.failed)
    if not report.stale and not report.drifted:
        log(f"{count} server{'' if count == 1 else 's'}: everything is up to date", quiet=quiet)
        return Exit.DONE
    if is_json():
        return Exit.FINDING
    raise FindingError(check_report.summary(report), hint=check_report.advice(report))


def _compare(
    project: Project, names: Sequence[str], report: CheckReport, *, verbose: bool, quiet: bool
) -> None:
    """Compare the contracts with the servers; one that fails costs the others nothing."""
    from mcpgen.recording.project_servers import asked

    for entry in asked(project, names):
        try:
            _compare_one(project, entry, report, verbose=verbose, quiet=quiet)
        except McpgenError as error:
            report.failed[entry.name] = error
            console.log_failures({entry.name: error})


def _compare_one(
    project: Project, entry: Entry, report: CheckReport, *, verbose: bool, quiet: bool
) -> None:
    from mcpgen.project import drift
    from mcpgen.project.observed_file import of_entry
    from mcpgen.recording.arguments import ServerArguments
    from mcpgen.recording.own_variables import with_own_variables
    from mcpgen.recording.previous import pinned, previous
    from mcpgen.recording.project_servers import ask
    from mcpgen.shell.observed_drift import in_file

    old = previous(project.folder / entry.contract)
    recorded = ask(project, entry, ServerArguments(verbose=verbose, quiet=quiet), log)
    console.log_server_notices(entry.name, recorded.notices, verbose=verbose, quiet=quiet)
    if old is not None:
        recorded = with_own_variables(recorded, entry.package, old)
        new = pinned(old, recorded, entry.contract)
        changes = drift.changes(project, entry, old, new)
        observed = of_entry(project, entry)
        lapsed = in_file(observed, new) if observed else ()
        report.drift[entry.name] = replace(changes, observed=lapsed)
