"""`mcpgen test`: contract tests of a live server."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from mcpgen.cli.shared.console import log
from mcpgen.cli.shared.options import (
    ServerCommand,
    format_option,
    json_option,
    output_option,
    server_options,
)
from mcpgen.cli.shared.reporting import failing, report_options, write_report
from mcpgen.contract.document import Contract
from mcpgen.errors import EndlessListError, Exit
from mcpgen.findings.contract_tests import Outcome
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.reports.formats import TESTS_FORMATS, TestsFormat, render_tests
from mcpgen.servers.recording.arguments import ServerArguments


@click.command(
    cls=ServerCommand, name="test", short_help="Test a live server against its contract."
)
@server_options
@format_option(TESTS_FORMATS, "Format of the report on stdout.")
@json_option
@output_option
@click.option("--contract", metavar="FILE", help="Test the server against this contract.")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="Test only this tool, even if it writes. Repeatable.",
)
@click.option(
    "--allow-writes", is_flag=True, help=("Also call tools that aren't annotated as read-only.")
)
@click.option(
    "--arguments",
    "given",
    multiple=True,
    metavar="FILE",
    help=(
        "Start with the arguments in this file: lists by tool name in JSON or YAML, or "
        "recorded calls. Repeatable."
    ),
)
@click.option(
    "--seed", type=int, metavar="N", help="Seed of the generated arguments.  [default: 0]"
)
@click.option(
    "--calls",
    type=click.IntRange(min=1),
    metavar="N",
    help="Make at most this many requests.  [default: 200 for each tool, at least 1000]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    metavar="N",
    help="Stop after this time.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0.1),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for a response.",
)
@click.option(
    "--judge", "judges", multiple=True, metavar="ID", help="Apply only this rule. Repeatable."
)
@click.option(
    "--fail-on",
    default="error",
    show_default=True,
    metavar="LEVEL[,LEVEL]",
    help="Exit with code 1 on failures of this level: error, warning, note; none for never.",
)
@click.option("--keep", metavar="FILE", help="Write the failures and the seed to this file.")
@click.option(
    "--write-arguments",
    metavar="FILE",
    help="Write a template for --arguments with the untested tools.",
)
@click.option("--replay", metavar="FILE", help="Repeat only the failures stored in this file.")
@click.option(
    "--no-search", is_flag=True, help=("Test only with arguments derived from the schemas.")
)
def command(arguments: ServerArguments, **options: Any) -> int:
    """Test a live server with valid, boundary and invalid arguments for every tool.

    SERVER is the same as in `mcpgen record`. A contract stands for the server that it was recorded
    from. Only tools that claim to be read-only are called, unless --allow-writes or --tool is
    given. Secrets are never guessed, nor paths outside of a scratch folder.

    The exit code is 1 if there is an error, with --strict also for a warning.
    """
    from mcpgen.files import cache
    from mcpgen.testing import live, saved_failures
    from mcpgen.testing.run_options import Limits

    fail_on = failing(options["fail_on"], strict=arguments.strict)
    replayed = (
        saved_failures.read(_read(options["replay"]), options["replay"])
        if options["replay"]
        else None
    )
    run_options = _parse_wanted(options, replayed[0] if replayed else 0)
    file = _contract(options["contract"])
    limits = Limits(options["calls"], options["seconds"], options["limit"])
    try:
        server = live.prepare(arguments, file, lambda text: log(text, quiet=arguments.quiet))
    except EndlessListError as error:
        outcome = replace(live.unlisted_outcome(arguments, error), fail_on=fail_on)
        return _report(outcome, arguments, options)
    # By default, Hypothesis writes its database to the current folder.
    with contextlib.suppress(FileNotFoundError):  # this user has no home
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache.folder() / "hypothesis"))
    with live.running(server, run_options, limits) as run:
        if replayed:
            run.replay(replayed[1])
        else:
            run.explore()
    outcome = run.outcome(arguments.display_name, fail_on)
    if options["write_arguments"]:
        _write_arguments(Path(options["write_arguments"]), outcome, server.contract)
    if options["keep"]:
        from mcpgen.files import write

        write.replace(Path(options["keep"]).resolve(), saved_failures.text(outcome))
    return _report(outcome, arguments, options)


def _report(outcome: Outcome, arguments: ServerArguments, options: dict[str, Any]) -> int:
    from mcpgen.testing.arguments.safety import redact

    named = Path(options["contract"]).as_posix() if options["contract"] else ""
    form, output = cast("TestsFormat", options["format_"]), options["file"]
    manner: ReportOptions[TestsFormat] = report_options(
        form, output, verbose=arguments.verbose, contract=named
    )
    write_report(render_tests(outcome, manner, redact), output, fails=outcome.fails)
    for notice in outcome.notices:
        log(f"notice: {notice}", quiet=arguments.quiet)
    return Exit.FINDING if outcome.fails else Exit.DONE


def _write_arguments(path: Path, outcome: Outcome, contract: Contract) -> None:
    """Write a template with arguments for each untested or failing tool."""
    from mcpgen.files import write
    from mcpgen.schemas.examples import NoExampleError, example

    document: dict[str, list[Any]] = {}
    for name, tool_coverage in outcome.coverage.items():
        if tool_coverage.results and not tool_coverage.left_out:
            continue
        try:
            document[name] = [example(contract.tools[name].get("inputSchema"))]
        except NoExampleError:
            document[name] = [{}]
    write.replace(path.resolve(), json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _parse_wanted(options: dict[str, Any], seed: int) -> Any:
    from mcpgen.findings.rules.tests.catalogue import find
    from mcpgen.servers.recording.inputs.arguments_file import read_arguments
    from mcpgen.testing.run_options import RunOptions

    arguments: dict[str, list[Any]] = {}
    for path in options["given"]:
        for name, several in read_arguments(path).items():
            arguments.setdefault(name, []).extend(several)
    return RunOptions(
        named=options["tools"],
        allows_writes=options["allow_writes"],
        arguments_by_tool=arguments,
        seed=seed if options["seed"] is None else options["seed"],
        judges=[find(option).id for option in options["judges"]],
        searches=not options["no_search"],
    )


def _read(path: str) -> bytes:
    from mcpgen.servers.recording.request import read_file

    return read_file(path)


def _contract(path: str | None) -> Contract | None:
    if path is None:
        return None
    from mcpgen.servers.recording.request import contract_of_file

    return contract_of_file(path)
