"""`mcpgen client`: from a server, or its contract, to a typed client package."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from mcpgen import contract, jsontext, output
from mcpgen.cli import shadow, snippet
from mcpgen.cli.options import Asked, ServerCommand, contract_of, server_options, tell
from mcpgen.cli.talk import aside, json_option, noticed, result
from mcpgen.contract import Contract
from mcpgen.errors import ContractError
from mcpgen.live.assemble import Recorded
from mcpgen.pipeline import STYLES, Generated, Options, generate
from mcpgen.plan import Style, pin


@click.command(cls=ServerCommand, name="client", short_help="Write a typed client package.")
@server_options
@click.option(
    "-o",
    "--output",
    "folder",
    default=".",
    metavar="DIR",
    help="Write the package into this folder, as DIR/NAME.  [default: here]",
)
@click.option("--name", default="", help="The package's name.  [default: the server's]")
@click.option(
    "--style",
    type=click.Choice(STYLES),
    default="dataclass",
    show_default=True,
    help="What arguments and results are: Pydantic dataclasses, Pydantic models or plain dicts.",
)
@json_option
def command(asked: Asked, folder: str, name: str, style: str) -> None:
    """Write a typed Python client package for a server.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list answer.
    A command that starts a server goes after --.
    """
    options = Options(name=name, style=cast("Style", style))
    recorded = contract_of(asked)
    place = Path(folder) / options.package(recorded.contract)
    generated = generate(pinned(recorded, place), options)
    notices = list(dict.fromkeys((*recorded.notices, *generated.notices)))
    tell(notices, asked)
    shadow.warn(place.name, place, "--name", quiet=asked.quiet)
    changed = output.write(generated.files, place)
    aside(f"{place}: {_contents(generated)}{'' if changed else ', unchanged'}")
    needed = snippet.needed(recorded, generated.package, asked)
    program = snippet.snippet(generated, recorded, asked, folder)
    document = {
        "folder": place.as_posix(),
        "package": generated.package,
        "client": generated.client,
        "tools": list(generated.tools),
        "changed": changed,
        "needs": [need.variable for need in needed],
        "snippet": program,
        "notices": noticed(notices),
    }
    result(document, "" if asked.quiet else program)
    snippet.tell(needed)


def pinned(recorded: Recorded, place: Path) -> Contract:
    """Keep the names of the package that is there, when its server was asked anew."""
    if not recorded.is_live:
        return recorded.contract
    try:
        written = (place / "contract.json").read_bytes()
        return pin(contract.read(jsontext.loads(written)), recorded.contract)
    except (OSError, ContractError):
        return recorded.contract


def _contents(generated: Generated) -> str:
    tools = len(generated.tools)
    return f"{generated.client} with {tools} tool{'' if tools == 1 else 's'}"
