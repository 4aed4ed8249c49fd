"""`mcpgen client`: from a server, or its contract, to a typed client package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from mcpgen.cli.console import log, log_notices, notices_document, print_result
from mcpgen.cli.options import (
    ServerCommand,
    cache_option,
    json_option,
    server_options,
)
from mcpgen.files import write
from mcpgen.project import shadowing
from mcpgen.project.kept import Kept, MadeClient, Need, kept
from mcpgen.project.model import STYLES
from mcpgen.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen.codegen.plan import Style


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
@cache_option
@json_option
def command(
    arguments: ServerArguments, folder: str, name: str, style: str, *, no_cache: bool
) -> None:
    """Write a typed Python client package for a server.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list answer.
    A command that starts a server goes after --.
    """
    cache, problem = kept(arguments.file(), use_cache=not no_cache)
    quiet = arguments.quiet
    if problem:
        log(f"the cache is not used: {problem}", quiet=quiet)
    options = (name, style)
    made = cache.client(options, folder) or _made(arguments, cache, options, folder)
    notices = made.notices
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=quiet)
    place = Path(folder) / made.package
    if not quiet and (warning := shadowing.warning(place.name, place, "--name")):
        log(warning)
    changed = write.write(made.files, place)
    log(f"{place}: {_contents(made)}{'' if changed else ', unchanged'}")
    document = {
        "folder": place.as_posix(),
        "package": made.package,
        "client": made.client,
        "tools": list(made.tools),
        "changed": changed,
        "needs": [need.variable for need in made.needs],
        "snippet": made.program,
        "notices": notices_document(notices),
    }
    print_result(document, "" if quiet else made.program)
    for need in made.needs:
        log(f"needs: {need.text}")


def _made(
    arguments: ServerArguments, cache: Kept, chosen: Sequence[str], folder: str
) -> MadeClient:
    """Ask the server, or read its contract, and generate; nothing is written yet."""
    # Not needed where nothing changed.
    from mcpgen.codegen.pipeline import Options
    from mcpgen.recording import snippet
    from mcpgen.recording.previous import pinned_to_package
    from mcpgen.recording.project_servers import contract_of

    name, style = chosen
    options = Options(name=name, style=cast("Style", style))
    recorded = contract_of(arguments, log, "mcpgen client")
    if recorded.is_live:  # the file listed servers
        cache = replace(cache, file=None)
    place = Path(folder) / options.package(recorded.contract)
    generated, key = cache.generated(pinned_to_package(recorded, place), options)
    needs = snippet.needed(recorded, generated.package, arguments)
    made = MadeClient(
        package=generated.package,
        client=generated.client,
        tools=generated.tools,
        files=generated.files,
        notices=tuple(dict.fromkeys((*recorded.notices, *generated.notices))),
        program=snippet.snippet(generated, recorded, arguments, folder),
        needs=tuple(Need(need.variable, str(need)) for need in needs),
    )
    cache.keep_client(made, key, chosen, folder)
    return made


def _contents(made: MadeClient) -> str:
    tools = len(made.tools)
    return f"{made.client} with {tools} tool{'' if tools == 1 else 's'}"
