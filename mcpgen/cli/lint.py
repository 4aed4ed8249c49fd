"""`mcpgen lint`: what a server's author could do better."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, cast

import click

from mcpgen.cli.console import (
    is_json,
    log,
    log_notices,
    notice_line,
)
from mcpgen.cli.options import (
    ServerCommand,
    format_option,
    json_option,
    output_option,
    server_options,
)
from mcpgen.cli.reporting import failing, report_options, write_report
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
    cls=ServerCommand, name="lint", short_help="Say what a server's author could do better."
)
@server_options
@format_option(LINT_FORMATS, "How to write the report, to stdout.")
@json_option
@output_option
@click.option(
    "--fail-on",
    default="error",
    show_default=True,
    metavar="LEVEL[,LEVEL]",
    help="End with exit code 1 on such findings: error, warning, note; none for never.",
)
@click.option(
    "--severity",
    "overrides",
    multiple=True,
    metavar="RULE=LEVEL",
    help="Give a rule another level, such as L401=warning. Repeatable.",
)
@click.option(
    "--ignore",
    "ignores",
    multiple=True,
    metavar="RULE[:NAME]|FILE",
    help="Leave out a rule, in all or in those that match NAME, or what a TOML file lists."
    " Repeatable.",
)
def command(arguments: ServerArguments, **options: Any) -> int:
    """Say what a server's author could do better, for models and for the clients of models.

    SERVER is a contract, a file with a tools/list answer, or a server as in `mcpgen record`: names
    and schemas that APIs refuse, descriptions that are missing or say nothing, results that promise
    nothing, hints that contradict.

    Ends with exit code 1 when there is an error, with --strict also on a warning.
    """
    rules = _policy(arguments, options)
    recorded = contract_of(arguments, log, "mcpgen lint")
    contract = recorded.contract
    found, notices = lint(contract, recorded.notices)
    said = tuple(map(notice_line, notices)) if is_json() else ()
    report = LintReport(arguments.shown, server_name(contract), len(contract.tools), notices=said)
    report = judge(found, rules, report)
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
    """Understand the options before anything is asked."""
    fail_on = failing(options["fail_on"], strict=arguments.strict)
    exclusions, ignores = parse_exclusions(options["ignores"], RULES)
    return LintPolicy(
        fail_on=fail_on,
        overrides=dict(parse_level_override(text, RULES) for text in options["overrides"]),
        exclusions=exclusions,
        ignores=ignores,
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )
