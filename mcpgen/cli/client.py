"""`mcpgen client`: from a server, or its contract, to a typed client package."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from mcpgen.cli.console import log, log_notices, notices_document, print_result
from mcpgen.cli.options import ServerCommand, json_option, server_options
from mcpgen.codegen.pipeline import STYLES, Generated, Options, generate
from mcpgen.codegen.plan import Style
from mcpgen.files import write
from mcpgen.project import shadowing
from mcpgen.recording import snippet
from mcpgen.recording.previous import pinned_to_package
from mcpgen.recording.project_servers import contract_of
from mcpgen.recording.request import ServerArguments


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
def command(arguments: ServerArguments, folder: str, name: str, style: str) -> None:
    """Write a typed Python client package for a server.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list answer.
    A command that starts a server goes after --.
    """
    options = Options(name=name, style=cast("Style", style))
    recorded = contract_of(arguments, log, "mcpgen client")
    place = Path(folder) / options.package(recorded.contract)
    generated = generate(pinned_to_package(recorded, place), options)
    notices = list(dict.fromkeys((*recorded.notices, *generated.notices)))
    quiet = arguments.quiet
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=quiet)
    if not quiet and (warning := shadowing.warning(place.name, place, "--name")):
        log(warning)
    changed = write.write(generated.files, place)
    log(f"{place}: {_contents(generated)}{'' if changed else ', unchanged'}")
    needs = snippet.needed(recorded, generated.package, arguments)
    program = snippet.snippet(generated, recorded, arguments, folder)
    document = {
        "folder": place.as_posix(),
        "package": generated.package,
        "client": generated.client,
        "tools": list(generated.tools),
        "changed": changed,
        "needs": [need.variable for need in needs],
        "snippet": program,
        "notices": notices_document(notices),
    }
    print_result(document, "" if quiet else program)
    for need in needs:
        log(f"needs: {need}")


def _contents(generated: Generated) -> str:
    tools = len(generated.tools)
    return f"{generated.client} with {tools} tool{'' if tools == 1 else 's'}"
