"""`mcpgen observe`: learn from what tools answered what their results hold."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcpgen.cli.console import is_json, log, print_result
from mcpgen.cli.options import ServerCommand, json_option, server_options
from mcpgen.errors import AnswerError, Exit, FindingError, UnreachableError, UsageError
from mcpgen.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen.contract.document import Contract
    from mcpgen.observation.document import Observed
    from mcpgen.observation.tools import Call, Definition, Observation
    from mcpgen.project.find import Project
    from mcpgen.project.model import Entry
    from mcpgen.shell.observing import Plan

_CALLS = ".jsonl"
_MOST_CALLS = 100


@click.command(
    cls=ServerCommand, name="observe", short_help="Learn from answers what results hold."
)
@server_options
@click.option(
    "--arguments",
    "file",
    metavar="FILE",
    help="Call tools with the arguments of this JSON or YAML file: lists by the names of tools.",
)
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="Call only this tool, also if it does not claim to only read. Repeatable.",
)
@click.option(
    "--max-calls",
    "most",
    type=click.IntRange(min=1),
    default=_MOST_CALLS,
    show_default=True,
    metavar="N",
    help="Make no more calls than this.",
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
    "  [default: the one of [tool.mcpgen], or beside the contract, else -]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("-y", "--yes", is_flag=True, help="Call without asking.")
@json_option
def command(arguments: ServerArguments, **options: Any) -> int:
    """Learn from what tools answer what their results hold, where their schemas do not tell.

    SERVER is a file of calls that connect(record="calls.jsonl") wrote, or a server as in `mcpgen
    record`, or its contract. Of a server those tools are called that claim to only read, with the
    arguments of --arguments or with the examples of their schemas, after you agreed.

    Names of members, and kinds of values, are written into a file beside the contract; values never
    are. What is there already is widened. Review the names: they may be data, too.
    """
    chosen = _Options.of(options)
    seen = _recorded(arguments, chosen) if _is_recording(arguments) else _live(arguments, chosen)
    return _finish(arguments, chosen, seen)


@dataclass(frozen=True, slots=True)
class _Options:
    """The options, as they were given."""

    file: str | None
    tools: tuple[str, ...]
    most: int
    contract: str | None
    output: str | None
    dry_run: bool
    yes: bool

    @classmethod
    def of(cls, options: dict[str, Any]) -> _Options:
        return cls(**options)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The calls that were made, what is known of the tools, and where the observed file is."""

    calls: list[Call]
    definitions: dict[str, Definition]
    place: Path | None
    notices: list[str]


def _is_recording(arguments: ServerArguments) -> bool:
    return not arguments.command and (arguments.server or "").endswith(_CALLS)


def _finish(arguments: ServerArguments, chosen: _Options, seen: _Seen) -> int:
    """Merge what was seen into what is there, show it, and write it."""
    from mcpgen.observation import report
    from mcpgen.observation.document import Observed, load
    from mcpgen.observation.places import lapsed
    from mcpgen.observation.tools import observe

    place = seen.place
    if chosen.output is not None:
        place = None if chosen.output == "-" else Path(chosen.output)
    before = Observed() if place is None else load(place)
    hashes = {name: each.hash for name, each in seen.definitions.items()}
    observation = observe(seen.calls, seen.definitions, before)
    notices = [*lapsed(before, hashes), *seen.notices]
    for notice in notices:
        log(f"notice: {notice}", quiet=arguments.quiet)
    said = report.text(observation)
    if place is None and not chosen.dry_run:
        log(said.rstrip("\n"), quiet=arguments.quiet)
        click.echo(observation.observed.text().encode(), nl=False)
    else:
        document: dict[str, Any] = {"tools": report.document(observation), "notices": notices}
        if place is not None:
            document |= {"file": str(place), "changed": _write(place, before, chosen, observation)}
        print_result(document, said)
    log(report.summary(observation), quiet=arguments.quiet)
    return _end(arguments, seen, observation, notices)


def _end(
    arguments: ServerArguments, seen: _Seen, observation: Observation, notices: list[str]
) -> int:
    if seen.calls and not any(told.answers for told in observation.told):
        hint = "give arguments that fit: mcpgen observe SERVER --arguments FILE"
        raise AnswerError("no call succeeded, so there is nothing to learn from", hint=hint)
    if notices and arguments.strict:
        raise FindingError("there are notices, and --strict was given")
    return Exit.DONE


def _write(place: Path, before: Observed, chosen: _Options, observation: Observation) -> bool:
    """Write the observed file if that changes it; say whether it does."""
    text = observation.observed.text()
    is_same = place.is_file() and place.read_bytes() == text.encode()
    has_nothing = not observation.observed.tools and not before.tools
    if chosen.dry_run or is_same or has_nothing:
        return not (is_same or has_nothing)
    from mcpgen.files import write

    write.replace(place.resolve(), text)
    log(f"{place}: written; review the names, and commit it")
    return True


# Recorded calls


def _recorded(arguments: ServerArguments, chosen: _Options) -> _Seen:
    from mcpgen.calls.lines import UnreadableLineError, read
    from mcpgen.observation.tools import Call
    from mcpgen.shell.observing import definitions_of

    if chosen.file is not None or chosen.tools:
        option = "--arguments" if chosen.file is not None else "--tool"
        raise UsageError("recorded calls are read, no tool is called", option, "leave it out")
    name = str(arguments.server)
    try:
        found = [call for call in read(Path(name)) if call.kind == "tool"]
    except UnreadableLineError as error:
        where = f"{error.path}:{error.number}" if error.number else error.path
        raise UsageError(f"the recorded calls cannot be read: {error.reason}", where) from None
    calls = [
        Call(
            call.name,
            call.result,
            call.definition,
            tuple(at.removeprefix("/result") for at in call.redacted if at.startswith("/result/")),
        )
        for call in found
    ]
    contract, file = _contract_of_calls(calls, chosen)
    return _Seen(calls, definitions_of(contract), _observed_file(file), [])


def _contract_of_calls(calls: list[Call], chosen: _Options) -> tuple[Contract, Path]:
    """Return the contract that recorded calls are of, and its file."""
    hint = "name it: mcpgen observe CALLS --contract FILE"
    if chosen.contract is not None:
        return _contract(Path(chosen.contract)), Path(chosen.contract)
    found = [place for place in _contracts_of_project() if _has_all(place, calls)]
    if len(found) != 1:
        problem = "several contracts have" if found else "no contract of a project has"
        raise UsageError(f"{problem} the tools of these calls", "--contract", hint)
    return _contract(found[0]), found[0]


def _contract(place: Path) -> Contract:
    from mcpgen.contract import document, handwritten
    from mcpgen.recording.request import read_file

    where = str(place)
    return document.read(handwritten.parse(read_file(where), where), where)


def _contracts_of_project() -> list[Path]:
    project = _project()
    places = {project.folder / entry.contract for entry in project.entries()} if project else ()
    return sorted(place for place in places if place.is_file())


def _project() -> Project | None:
    from mcpgen.project.find import find_project

    try:
        return find_project()
    except UsageError:
        return None


def _observed_file(contract: Path) -> Path | None:
    """Return where the table of a contract has its observed file; without one it is beside it."""
    from mcpgen.observation.document import beside

    project = _project()
    entries = project.entries() if project else []
    said = {
        _place(project, entry)
        for entry in entries
        if project and (project.folder / entry.contract).resolve() == contract.resolve()
    }
    return said.pop() if len(said) == 1 else beside(contract)


def _place(project: Project, entry: Entry) -> Path | None:
    """Return the observed file of a table, ``None`` where it uses none."""
    return project.folder / entry.observed_file if entry.observed_file else None


def _has_all(place: Path, calls: list[Call]) -> bool:
    tools = _contract(place).tools
    return all(call.tool in tools for call in calls)


# A server


def _live(arguments: ServerArguments, chosen: _Options) -> _Seen:
    from mcpgen.shell.observing import Observing, definitions_of, given_arguments, plan
    from mcpgen.shell.servers import Server

    if chosen.contract is not None:
        raise UsageError("a server has its own contract", "--contract", "name the contract itself")
    given = given_arguments(_document(chosen.file), chosen.file) if chosen.file else {}
    server = Server(arguments, log, "mcpgen observe")
    contract = server.contract()
    live = contract or server.listed().contract
    planned = plan(live, given, chosen.tools, chosen.most, chosen.file or "")
    _show(planned, given, arguments)
    definitions = definitions_of(live)
    file, place = _files(arguments, is_file=contract is not None)
    notices = _differing(file, definitions)
    if not planned.calls:
        return _Seen([], definitions, place, notices)
    _agree(planned, chosen, server.arguments.shown)
    observing = Observing(planned, definitions)
    try:
        server.fulfil(observing.wish(), contract)
    except UnreachableError as error:
        if not observing.calls:
            raise
        done = f"{len(observing.calls)} of {len(planned.calls)} calls were made"
        notices.append(f"{done}: {error.problem}")
    notices += [
        f"{name}: not called, its definition is not that of the contract"
        for name in sorted(observing.changed)
    ]
    return _Seen(observing.calls, definitions, place, notices)


def _document(file: str) -> Any:
    from mcpgen.contract import yaml_reader
    from mcpgen.jsontext import loads
    from mcpgen.recording.request import read_file

    text = read_file(file)
    return (
        yaml_reader.loads(text, file) if file.endswith(yaml_reader.SUFFIXES) else loads(text, file)
    )


def _files(arguments: ServerArguments, *, is_file: bool) -> tuple[Path | None, Path | None]:
    """Return the file of the contract, if the server has one, and the observed file."""
    from mcpgen.recording.project_servers import project_entry

    name = arguments.server
    if name is None or name == "-":
        return None, None
    if is_file:
        return Path(name), _observed_file(Path(name))
    named = project_entry(name)
    if named is None:
        return None, None
    project, entry = named
    return project.folder / entry.contract, _place(project, entry)


def _differing(place: Path | None, definitions: dict[str, Definition]) -> list[str]:
    """Say which tools of a contract are not those that the server has now."""
    from mcpgen.shell.observing import definitions_of

    if place is None or not place.is_file():
        return []
    recorded = definitions_of(_contract(place))
    return [
        f"{name}: its definition is not that of {place.name}; update it, or nothing comes of this"
        for name, each in definitions.items()
        if name not in recorded or recorded[name].hash != each.hash
    ]


def _show(planned: Plan, given: Collection[str], arguments: ServerArguments) -> None:
    """Say which tools are to be called, and how often, and which are not that one may expect."""
    if planned.calls:
        counts = planned.counts().items()
        listed = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts)
        log(f"to be called, {len(planned.calls)} in all: {listed}", quiet=arguments.quiet)
    if planned.beyond:
        log(f"{planned.beyond} more calls are left out by --max-calls", quiet=arguments.quiet)
    for name, reason in planned.skipped.items():
        if name in given or arguments.verbose or not planned.calls:
            log(f"not called: {name}: {reason}", quiet=arguments.quiet)


def _agree(planned: Plan, chosen: _Options, server: str) -> None:
    """Let a person agree to the calls."""
    from mcpgen.shell.person import is_there

    if chosen.yes:
        return
    if not is_there() or is_json():
        hint = "look at what would be called, then give --yes"
        raise UsageError("tools are called only if you agree", "--yes", hint)
    count = len(planned.calls)
    sys.stderr.flush()
    if not click.confirm(f"Make {count} call{'s' if count != 1 else ''} to {server}?", err=True):
        raise FindingError("the calls were not confirmed, nothing was sent")
