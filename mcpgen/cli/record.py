"""`mcpgen record`: ask a server what it offers, and write its contract."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

import click

from mcpgen import jsontext
from mcpgen.cli import snippet
from mcpgen.cli.options import Asked, ServerCommand, contract_of, server_options, tell
from mcpgen.cli.talk import aside, json_option, noticed, result
from mcpgen.codegen import naming
from mcpgen.contract import definitions
from mcpgen.contract import document as contract
from mcpgen.contract.document import Contract
from mcpgen.errors import ContractError, Notice, UsageError
from mcpgen.files import write
from mcpgen.isolation import isolated
from mcpgen.isolation import noticed as noticed_failures
from mcpgen.recording.build_contract import Recorded


@click.command(cls=ServerCommand, name="record", short_help="Write a server's contract.")
@server_options
@click.option("-o", "--output", "file", metavar="FILE", help="Write to this file, not to stdout.")
@json_option
def command(asked: Asked, file: str | None) -> None:
    """Ask a server what it offers, and write its contract.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list answer.
    A command that starts a server goes after --.
    """
    place = None if file in (None, "-") else Path(str(file)).resolve()
    before = None if place is None else previous(place)
    recorded = contract_of(asked)
    found = recorded.contract if before is None else _pinned(before, recorded, str(place))
    (found, text, odd), failures = isolated(_written, found)
    notices = _once((*recorded.notices, *noticed_failures(failures), *odd))
    tell(notices, asked)
    needed = snippet.needed(recorded, naming.package(definitions.server_name(found)), asked)
    if place is None:
        click.echo(text.encode(), nl=False)
        snippet.tell(needed)
        return
    is_same = place.is_file() and place.read_bytes() == text.encode()
    if not is_same:
        write.replace(place, text)
    aside(f"{file}: {_contents(found)}{', unchanged' if is_same else ''}")
    variables = [need.variable for need in needed]
    notes = noticed(notices)
    result({"file": file, "changed": not is_same, "needs": variables, "notices": notes})
    snippet.tell(needed)


def _written(found: Contract) -> tuple[Contract, str, tuple[Notice, ...]]:
    """Return a contract, how it is written, and what is odd about it."""
    return found, found.text(), definitions.read(found).notices


def _pinned(before: Contract, recorded: Recorded, where: str) -> Contract:
    from mcpgen.cli.live import pinned

    return pinned(before, recorded, where)


def previous(place: Path) -> Contract | None:
    """Read the contract that will be written over; any other file is left alone."""
    if not place.exists():
        return None
    if place.is_dir():
        raise UsageError("this is a folder", str(place), f"try: -o {place / 'contract.json'}")
    with contextlib.suppress(ContractError, OSError):
        document = jsontext.loads(place.read_bytes()) if place.is_file() else None
        if isinstance(document, dict) and "format" in document:
            return contract.read(document, str(place))
    raise UsageError(
        "the file is no contract and would be overwritten",
        str(place),
        "choose another file with -o, or delete this one",
    )


def _once(notices: Iterable[Notice]) -> list[Notice]:
    return list(dict.fromkeys(notices))


def _contents(found: Contract) -> str:
    counts = [
        (len(found.tools), "tool"),
        (len(found.prompts), "prompt"),
        (len(found.resources), "resource"),
        (len(found.resource_templates), "resource template"),
    ]
    listed = [f"{n} {name}{'s' if n != 1 else ''}" for n, name in counts if n or name == "tool"]
    return ", ".join(listed) + (f" (revision {found.revision})" if found.revision else "")
