"""`mcpgen client`: writes a typed client package for a server or its contract."""

from __future__ import annotations

import json
from typing import Any

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.build_client import ClientOptions, contents, made_client, names_gone
from mcpgen.cli.shared.console import log, log_notices, notices_document, print_result
from mcpgen.cli.shared.options import (
    STANDALONE_HELP,
    ServerCommand,
    cache_option,
    json_option,
    no_observed_option,
    observed_option,
    observed_place,
    server_options,
)
from mcpgen.files import write
from mcpgen.files.write import CONTRACT
from mcpgen.project import shadowing
from mcpgen.project.configuration.model import FORMATS, LAYOUTS, STYLES
from mcpgen.project.packages.build_cache import open_cache
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.shell import consent

_SHOWN_NAMES = 10


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
    help="Classes of arguments and results: Pydantic dataclasses, Pydantic models or plain dicts."
    "  [default: dataclass]",
)
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default="package",
    show_default=True,
    help="With agent, also write the files for a model: DIR/servers/NAME, with plain dicts.",
)
@click.option(
    "--formats",
    type=click.Choice(FORMATS),
    default="assertion",
    show_default=True,
    help=(
        "Reject a result with an invalid date, date-time or UUID. With annotation, such "
        "fields are typed datetime | str and keep the string."
    ),
)
@click.option(
    "--trust",
    is_flag=True,
    help=(
        "Trust the server's tool annotations: connect() then calls the confirm hook only "
        "for tools not annotated as harmless."
    ),
)
@click.option("--standalone", is_flag=True, help=STANDALONE_HELP)
@observed_option
@no_observed_option
@cache_option
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    arguments: ServerArguments,
    folder: str,
    name: str,
    style: str | None,
    layout: str,
    *,
    formats: str,
    trust: bool,
    standalone: bool,
    observed: str | None,
    no_observed: bool,
    no_cache: bool,
) -> None:
    """Write a typed Python client package for a server.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list result. A
    command that starts a server goes after --.
    """
    options = ClientOptions(
        folder,
        name,
        style or "",
        layout,
        formats,
        trust,
        standalone,
        observed_place(observed, no_observed),
    )
    cache, problem = open_cache(arguments.file(), use_cache=not no_cache)
    quiet = arguments.quiet
    if problem:
        log(f"the cache is not used: {problem}", quiet=quiet)
    client = made_client(arguments, cache, options, "mcpgen client")
    notices = client.notices
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=quiet)
    folders = options.folders(client)
    path = folders[0].location
    if not quiet and (warning := shadowing.warning(path.name, path, "--name")):
        log(warning)
    gone = names_gone(path, client.files)
    changed, *more = write.write_all(folders)
    log(f"{path}: {contents(client)}{'' if changed else ', unchanged'}")
    if gone:
        text = ", ".join(gone[:_SHOWN_NAMES]) + (", ..." if len(gone) > _SHOWN_NAMES else "")
        log(f"{path}: {len(gone)} names no longer exist: {text}", quiet=quiet)
    document: dict[str, Any] = {
        "folder": path.as_posix(),
        "package": client.package,
        "client": client.client,
        "tools": list(client.tools),
        "changed": changed,
        "gone": gone,
        "needs": [need.variable for need in client.needs],
        "snippet": client.program,
        "notices": notices_document(notices),
    }
    for item, paths in zip(folders[1:], more, strict=True):
        log(f"{item.location}: for models{'' if paths else ', unchanged'}")
        document["skill"] = {"folder": item.location.as_posix(), "changed": paths}
    print_result(document, visible("" if quiet else client.program))
    if arguments.file() is not None:  # the origin comes from a file, which is untrusted
        origin = json.loads(client.files[CONTRACT]).get("origin")
        for line in consent.endpoint(origin) if origin else ():
            log(f"connect() will use the {line}", quiet=quiet)
    for need in client.needs:
        log(f"needs: {need.text}")
