"""`mcpgen diff`: classifies the changes between two contracts."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import click

from mcpgen.cli.shared.console import (
    is_json,
    log,
    log_notices,
    notice_line,
)
from mcpgen.cli.shared.options import (
    ServerCommand,
    completed_servers,
    format_option,
    json_option,
    output_option,
    server_options,
)
from mcpgen.cli.shared.reporting import report_options, write_report
from mcpgen.codegen import naming
from mcpgen.compare import Audience, Severity, compare
from mcpgen.compare.judge import judge
from mcpgen.contract.definitions import server_name
from mcpgen.contract.document import Contract, read
from mcpgen.errors import Exit, Notice, UsageError
from mcpgen.files import git
from mcpgen.findings.diff import DiffReport
from mcpgen.findings.options import ReportOptions, words
from mcpgen.findings.policy import (
    DiffPolicy,
    parse_severities,
    parse_severity_override,
    read_ignores,
)
from mcpgen.findings.reports.formats import DIFF_FORMATS, DiffFormat, render_diff
from mcpgen.findings.rules.diff.catalogue import RULES
from mcpgen.jsontext import loads
from mcpgen.servers.endpoint import Offline, resolve
from mcpgen.servers.endpoint.host_files import host_config
from mcpgen.servers.endpoint.host_files.reading import parse_strictly
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.build_contract import Recorded
from mcpgen.servers.recording.own_variables import with_own_variables
from mcpgen.servers.recording.previous import keep_names, refuse_unmatched
from mcpgen.servers.recording.project_servers import contract_of, project_entry
from mcpgen.servers.recording.request import contract_of_target


class _Command(ServerCommand):
    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return ["[OPTIONS]", "OLD", "[NEW | -- COMMAND...]"]


@click.command(cls=_Command, name="diff", short_help="Show what changed between two contracts.")
@server_options
@click.argument("other", required=False, metavar="[NEW]", shell_complete=completed_servers)
@format_option(DIFF_FORMATS, "Format of the report on stdout.")
@json_option
@output_option
@click.option(
    "--fail-on",
    default="breaking,security",
    show_default=True,
    metavar="LEVEL[,LEVEL]",
    help="Exit with code 1 on findings of this level; none for never.",
)
@click.option(
    "--for",
    "audiences",
    default="wire,source,agent",
    show_default=True,
    metavar="WHOM[,WHOM]",
    help="Compare only one side: calls (wire), generated Python (source) or agents.",
)
@click.option(
    "--severity",
    "overrides",
    multiple=True,
    metavar="RULE=LEVEL",
    help="Set the level of a rule, such as D01=dangerous. Repeatable.",
)
@click.option(
    "--ignore",
    "ignores",
    multiple=True,
    metavar="FILE",
    help="Ignore the findings listed in this TOML file.  [default: pyproject.toml]",
)
@click.option("--side-channels", is_flag=True, help="Report arguments that could extract secrets.")
def command(arguments: ServerArguments, other: str | None, **options: Any) -> int:
    """Show the changes from OLD to NEW, with their severity for calls, code and agents.

    Each is a contract, a file with a tools/list result, git:REV:PATH, or a server as in `mcpgen
    record`. A command that starts the new server goes after --. Without NEW, a file is compared
    with its version in git HEAD, and a server of [tool.mcpgen] with its contract.

    The exit code is 1 if a change is breaking or a security risk, with --strict also if one is
    dangerous.
    """
    compared = compare_sources(
        arguments,
        other,
        _policy(arguments, options),
        has_side_channels=bool(options["side_channels"]),
    )
    report = compared.report
    form, output = cast("DiffFormat", options["format_"]), options["file"]
    manner: ReportOptions[DiffFormat] = report_options(
        form, output, verbose=arguments.verbose, contract=compared.file
    )
    write_report(
        render_diff(report, manner), output, fails=report.fails, has_commands=form == "github"
    )
    for notice in report.notices:
        log(f"notice: {notice}", quiet=arguments.quiet)
    log_notices(
        compared.notices,
        strict=arguments.strict,
        verbose=arguments.verbose,
        quiet=arguments.quiet,
    )
    return Exit.FINDING if report.fails else Exit.DONE


@dataclass(frozen=True, slots=True)
class Comparison:
    """The report on two contracts, the notices on reading them, and the file of the new one."""

    report: DiffReport
    notices: tuple[Notice, ...]
    file: str


def compare_sources(
    arguments: ServerArguments,
    other: str | None,
    policy: DiffPolicy,
    *,
    has_side_channels: bool = False,
) -> Comparison:
    """Read the two contracts that a command line names, and compare them."""
    sources = _sources(arguments, other)
    old, new = (_read(source, arguments) for source in sources)
    names = [source.display_name for source in sources]
    # As recording over the old contract would do.
    new = with_own_variables(new, naming.package(server_name(new.contract)), old.contract)
    after = keep_names(old.contract, new, names[1]) if new.is_live else new.contract
    refuse_unmatched(after, old, names[0])
    changes = compare(old.contract, after, channels=has_side_channels)
    name = server_name(after) or server_name(old.contract)
    report = judge(changes, policy, old=names[0], new=names[1], server=name)
    report = replace(report, observed=_observed_changes(sources, after))
    notices = (*old.notices, *new.notices)
    if is_json():
        report = replace(report, notices=(*report.notices, *map(notice_line, notices)))
    return Comparison(report, notices, sources[1].file)


def _observed_changes(sources: tuple[_Source, _Source], after: Contract) -> tuple[str, ...]:
    """Describe differences in observed results. They never fail the comparison."""
    from mcpgen.servers.shell.observed_drift import drift_between

    old, new = (
        sources.argument if git.is_revision(sources.argument) else sources.file
        for sources in sources
    )
    return drift_between(old, new, after)


def _policy(arguments: ServerArguments, options: dict[str, Any]) -> DiffPolicy:
    """Parse the options before any server is contacted."""
    fail_on = parse_severities(options["fail_on"], "--fail-on")
    if arguments.strict:
        fail_on |= {Severity.DANGEROUS}
    return DiffPolicy(
        audiences=words(options["audiences"], "--for", {str(a): a for a in Audience}),
        fail_on=fail_on,
        overrides=dict(parse_severity_override(text, RULES) for text in options["overrides"]),
        ignores=read_ignores(options["ignores"]),
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )


@dataclass(frozen=True)
class _Source:
    """A contract from the command line. ``command`` starts a server."""

    argument: str = ""
    command: tuple[str, ...] = ()

    @cached_property
    def offline(self) -> Offline | None:
        """The file with the contract, if it is one, and its parsed content."""
        path = Path(self.argument)
        if not self.argument or not path.is_file() or path.suffix == ".py":
            return None
        if path.suffix != ".json":
            return Offline(self.argument)
        document, is_json = parse_strictly(path)
        if host_config.is_host_config(document, path):
            return None
        return Offline(self.argument, document if is_json else None)

    def take_offline(self) -> Offline | None:
        """Return the file with its parsed content, and release the content."""
        opened = self.offline
        vars(self)["offline"] = opened and Offline(self.argument)
        return opened

    @property
    def display_name(self) -> str:
        """The name for reports, without secrets of a URL or command."""
        return ServerArguments(server=self.argument or None, command=self.command).display_name

    @property
    def file(self) -> str:
        """The file it is read from, if it is one."""
        return self.argument if self.offline else ""


def _sources(arguments: ServerArguments, other: str | None) -> tuple[_Source, _Source]:
    if arguments.command:
        if arguments.server is None or other is not None:
            raise UsageError(
                "a command after -- is the new server; give the old contract before it",
                hint="try: mcpgen diff CONTRACT -- COMMAND",
            )
        return _Source(arguments.server), _Source(command=arguments.command)
    if arguments.server is None:
        raise UsageError("no contract was given", hint="try: mcpgen diff OLD NEW")
    if other is not None:
        return _Source(arguments.server), _Source(other)
    named = project_entry(arguments.server)
    if named is not None and named[1].source:
        project, entry = named
        return _Source(os.path.relpath(project.folder / entry.contract)), _Source(arguments.server)
    path = git.path_of(arguments.server)
    if path is not None:
        return _Source(arguments.server), _Source(path)
    only = _Source(arguments.server)
    if not only.file:
        resolve(
            arguments.server, (), arguments.overrides()
        )  # a target that is neither a file nor a server is reported
        raise UsageError(
            "there is no second contract to compare with",
            arguments.server,
            "give a second contract or server; a single contract file is compared with git HEAD",
        )
    return _Source(f"git:HEAD:{arguments.server}"), only


def _read(source: _Source, arguments: ServerArguments) -> Recorded:
    """Read a contract of the comparison. Options for servers don't apply to files."""
    if git.is_revision(source.argument):
        document = loads(
            git.content(source.argument).removeprefix(b"\xef\xbb\xbf"), source.argument
        )
        return Recorded(read(document, source.argument))
    if opened := source.take_offline():
        strict, quiet = arguments.strict, arguments.quiet
        plain = ServerArguments(server=source.argument, strict=strict, quiet=quiet)
        if opened.document is not None:
            return contract_of_target(opened, plain, log)
        return contract_of(plain, log)
    server_arguments = replace(arguments, server=source.argument or None, command=source.command)
    return contract_of(server_arguments, log)
