"""`mcpgen lint`: finds improvements for a server's author."""

from __future__ import annotations

from datetime import date
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
    format_option,
    json_option,
    output_option,
    server_options,
)
from mcpgen.cli.shared.reporting import failing, report_options, write_report
from mcpgen.contract.definitions import server_name
from mcpgen.errors import Exit
from mcpgen.findings.lint import LintReport
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import LintPolicy, parse_exclusions, parse_level_override
from mcpgen.findings.reports.formats import LINT_FORMATS, LintFormat, render_lint
from mcpgen.findings.rules.lint.catalogue import RULES
from mcpgen.lint.lint import judge, lint
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.project_servers import contract_of


@click.command(
    cls=ServerCommand, name="lint", short_help="Suggest improvements to a server's definitions."
)
@server_options
@format_option(LINT_FORMATS, "Format of the report on stdout.")
@json_option
@output_option
@click.option(
    "--fail-on",
    default="error",
    show_default=True,
    metavar="LEVEL[,LEVEL]",
    help="Exit with code 1 on findings of this level: error, warning, note; none for never.",
)
@click.option(
    "--severity",
    "overrides",
    multiple=True,
    metavar="RULE=LEVEL",
    help="Set the level of a rule, such as L401=warning. Repeatable.",
)
@click.option(
    "--ignore",
    "ignores",
    multiple=True,
    metavar="RULE[:NAME]|FILE",
    help=(
        "Ignore a rule, everywhere or for names that match NAME, or the findings listed "
        "in a TOML file. Repeatable."
    ),
)
def command(arguments: ServerArguments, **options: Any) -> int:
    """Find improvements for a server's author, in the interest of models and clients.

    SERVER is a contract, a file with a tools/list result, or a server as in `mcpgen record`.
    Findings include names and schemas that APIs reject, missing and empty descriptions, missing
    output schemas, and contradictory hints.

    The exit code is 1 if there is an error, with --strict also for a warning.
    """
    rules = _policy(arguments, options)
    recorded = contract_of(arguments, log, "mcpgen lint")
    contract = recorded.contract
    findings, notices = lint(contract, recorded.notices)
    terminal_texts = tuple(map(notice_line, notices)) if is_json() else ()
    report = LintReport(
        arguments.display_name, server_name(contract), len(contract.tools), notices=terminal_texts
    )
    report = judge(findings, rules, report)
    path = Path(arguments.server or "")
    file = "" if recorded.is_live or not path.is_file() else path.as_posix()
    form, output = cast("LintFormat", options["format_"]), options["file"]
    manner: ReportOptions[LintFormat] = report_options(
        form, output, verbose=arguments.verbose, contract=file
    )
    write_report(render_lint(report, manner), output, fails=report.fails)
    for notice in report.notices:
        log(f"notice: {notice}", quiet=arguments.quiet)
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=arguments.quiet)
    return Exit.FINDING if report.fails else Exit.DONE


def _policy(arguments: ServerArguments, options: dict[str, Any]) -> LintPolicy:
    """Parse the options before any server is contacted."""
    fail_on = failing(options["fail_on"], strict=arguments.strict)
    exclusions, ignores = parse_exclusions(options["ignores"], RULES)
    return LintPolicy(
        fail_on=fail_on,
        overrides=dict(parse_level_override(text, RULES) for text in options["overrides"]),
        exclusions=exclusions,
        ignores=ignores,
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )
