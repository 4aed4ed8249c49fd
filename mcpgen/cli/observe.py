"""`mcpgen observe`: infers result types from the results of tools."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.console import is_json, log, print_result
from mcpgen.cli.shared.options import ServerCommand, json_option, server_options
from mcpgen.errors import AnswerError, Exit, FindingError, UsageError
from mcpgen.servers.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen.servers.shell.observing import Gathered, MergedObservations
    from mcpgen.servers.shell.observing_plan import Plan

_CALLS = ".jsonl"
_MOST_CALLS = 100


@click.command(cls=ServerCommand, name="observe", short_help="Infer result types from responses.")
@server_options
@click.option(
    "--arguments",
    "file",
    metavar="FILE",
    help=(
        "Call tools with the arguments in this file: lists by tool name in JSON or YAML, "
        "or recorded calls."
    ),
)
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="Call only this tool, even if it isn't annotated as read-only. Repeatable.",
)
@click.option(
    "--max-calls",
    "most",
    type=click.IntRange(min=1),
    default=_MOST_CALLS,
    show_default=True,
    metavar="N",
    help="Make at most this many calls.",
)
@click.option(
    "--contract",
    metavar="FILE",
    help="The contract of recorded calls.  [default: the one of [tool.mcpgen] with these tools]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The observed file; - is stdout."
    "  [default: the one of [tool.mcpgen], or next to the contract, otherwise -]",
)
@click.option("--dry-run", is_flag=True, help="Show the changes without writing them.")
@click.option("-y", "--yes", is_flag=True, help="Call without asking.")
@json_option
def command(arguments: ServerArguments, **options: Any) -> int:
    """Infer result types from results, for tools without a useful output schema.

    SERVER is a file of calls that connect(record="calls.jsonl") wrote, a server as in `mcpgen
    record`, or its contract. On a server, tools that claim to be read-only are called after you
    agreed, with the arguments of --arguments or the examples of their schemas.

    Property names and types are written to a file next to the contract, values never are. Existing
    entries are widened. Review the names, because they may be data, too.
    """
    chosen = _Options.from_click(options)
    is_recording = not arguments.command and (arguments.server or "").endswith(_CALLS)
    gathered = (
        _gather_recorded(arguments, chosen) if is_recording else _gather_live(arguments, chosen)
    )
    return _finish(arguments, chosen, gathered)


@dataclass(frozen=True, slots=True)
class _Options:
    """Command-line options."""

    file: str | None
    tools: tuple[str, ...]
    most: int
    contract: str | None
    output: str | None
    dry_run: bool
    yes: bool

    @classmethod
    def from_click(cls, options: dict[str, Any]) -> _Options:
        return cls(**options)


def _gather_recorded(arguments: ServerArguments, chosen: _Options) -> Gathered:
    from mcpgen.servers.shell.observing import from_recording

    if chosen.file is not None or chosen.tools:
        option = "--arguments" if chosen.file is not None else "--tool"
        raise UsageError("recorded calls are read, no tool is called", option, "leave it out")
    return from_recording(str(arguments.server), chosen.contract)


def _gather_live(arguments: ServerArguments, chosen: _Options) -> Gathered:
    """Call tools of a server after the user has agreed."""
    from mcpgen.servers.recording.inputs.arguments_file import read_arguments
    from mcpgen.servers.shell.observing import call_tools, find_definitions
    from mcpgen.servers.shell.observing_plan import plan
    from mcpgen.servers.shell.servers import Server

    if chosen.contract is not None:
        raise UsageError("a server has its own contract", "--contract", "name the contract itself")
    arguments_by_tool = read_arguments(chosen.file) if chosen.file else {}
    offer = find_definitions(Server(arguments, log, "mcpgen observe"))
    planned = plan(offer.contract, arguments_by_tool, chosen.tools, chosen.most, chosen.file or "")
    _show(planned, arguments_by_tool, arguments)
    if planned.calls and not chosen.yes:
        _agree(planned, arguments.display_name)
    return call_tools(offer, planned)


def _show(planned: Plan, names: Collection[str], arguments: ServerArguments) -> None:
    """Show the planned number of calls for each tool, and the tools that won't be called."""
    if planned.calls:
        counts = planned.counts().items()
        listed = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts)
        log(f"to be called, {len(planned.calls)} in all: {listed}", quiet=arguments.quiet)
    if planned.beyond:
        log(f"{planned.beyond} more calls are left out by --max-calls", quiet=arguments.quiet)
    for name, reason in planned.skipped.items():
        if name in names or arguments.verbose or not planned.calls:
            log(f"not called: {name}: {reason}", quiet=arguments.quiet)


def _agree(planned: Plan, server: str) -> None:
    """Ask the user to agree to the calls."""
    from mcpgen.servers.shell.user import is_there

    if not is_there() or is_json():
        hint = "review the planned calls, then pass --yes"
        raise UsageError("tools are called only if you agree", "--yes", hint)
    count = len(planned.calls)
    sys.stderr.flush()
    if not click.confirm(f"Make {count} call{'s' if count != 1 else ''} to {server}?", err=True):
        raise FindingError("the calls were not confirmed, nothing was sent")


def _finish(arguments: ServerArguments, chosen: _Options, gathered: Gathered) -> int:
    """Merge the results with the observed file, show and write it."""
    from mcpgen.contract.observation import report
    from mcpgen.servers.shell.observing import merge

    path = gathered.folder
    if chosen.output is not None:
        path = None if chosen.output == "-" else Path(chosen.output)
    merged = merge(gathered, path)
    for notice in merged.notices:
        log(f"notice: {notice}", quiet=arguments.quiet)
    text = report.text(merged.observation)
    if path is None and not chosen.dry_run:
        log(*text.rstrip("\n").split("\n"), quiet=arguments.quiet)
        click.echo(merged.text.encode(), nl=False)
    else:
        tools = report.document(merged.observation)
        document: dict[str, Any] = {"tools": tools, "notices": list(merged.notices)}
        if path is not None:
            document |= {"file": str(path), "changed": merged.is_change}
            if merged.is_change and not chosen.dry_run:
                _write(path, merged.text)
        print_result(document, visible(text))
    log(report.summary(merged.observation), quiet=arguments.quiet)
    return _end(arguments, gathered, merged)


def _write(folder: Path, text: str) -> None:
    from mcpgen.files import write

    write.replace(folder.resolve(), text)
    log(f"{folder}: written; review the names, and commit it")


def _end(arguments: ServerArguments, gathered: Gathered, merged: MergedObservations) -> int:
    if gathered.calls and not any(outcome.answers for outcome in merged.observation.outcomes):
        hint = "give arguments that fit: mcpgen observe SERVER --arguments FILE"
        raise AnswerError("no call succeeded, so there is nothing to learn from", hint=hint)
    if merged.notices and arguments.strict:
        raise FindingError("there are notices, and --strict was given")
    return Exit.DONE
