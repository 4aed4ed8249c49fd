"""Writes a report to stdout or a file, with line numbers if the contract is a file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import click
from mcpgen_runtime.redaction.credentials import CREDENTIALS
from mcpgen_runtime.shell import streams

from mcpgen.cli.shared.console import is_colored, print_result
from mcpgen.errors import UsageError
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import parse_levels
from mcpgen.findings.severity import Level

_Format = TypeVar("_Format", bound=str)

_WITH_LINES = ("github", "sarif")


def failing(source: str, *, strict: bool) -> frozenset[Level]:
    """Return the failing levels: the value of --fail-on, and warnings with --strict."""
    return frozenset(
        parse_levels(source, "--fail-on") | ({Level.WARNING} if strict else set[Level]())
    )


def report_options(
    format: _Format, output: str | None, *, verbose: bool, contract: str = ""
) -> ReportOptions[_Format]:
    """Return the options of a report, with the text of the contract's file if there is one."""
    text = ""
    if format in _WITH_LINES and contract.endswith(".json"):  # YAML has no line numbers
        text = Path(contract).read_text(encoding="utf-8-sig", errors="replace")
    color = format == "text" and not _is_file(output) and is_colored()
    return ReportOptions(format, verbose, color, contract, text)


def write_report(text: str, output: str | None, *, fails: bool, has_commands: bool = False) -> None:
    """Write a report to stdout, or to a file, whose path --json then prints."""
    text = CREDENTIALS.hide(text)
    if output is None or not _is_file(output):
        is_guarded = streams.is_in_github_job() and not has_commands
        click.echo((streams.without_commands(text) if is_guarded else text).encode(), nl=False)
        return
    path = Path(output).resolve()
    if path.is_dir():
        raise UsageError("a folder, not a file", str(path))
    from mcpgen.files import write

    write.replace(path, text)
    print_result({"file": output, "fails": fails})


def _is_file(output: str | None) -> bool:
    return output not in (None, "-")
