"""`mcpgen agent`: generates packages, and the files that models read."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mcpgen.cli.shared import console
from mcpgen.cli.shared.build_client import ClientOptions, contents, made_client
from mcpgen.cli.shared.console import log
from mcpgen.cli.shared.options import (
    STANDALONE_HELP,
    Command,
    cache_option,
    completed_servers,
    json_option,
    no_observed_option,
    observed_place,
    split_name,
)
from mcpgen.errors import UsageError
from mcpgen.files import write
from mcpgen.project import shadowing
from mcpgen.project.packages.build_cache import BuiltClient, open_cache
from mcpgen.servers.recording.arguments import ServerArguments


@click.command(
    cls=Command, name="agent", short_help="Write the files that let a model call servers by code."
)
@click.argument("servers", nargs=-1, metavar="[NAME=]SERVER...", shell_complete=completed_servers)
@click.option(
    "-o",
    "--output",
    "folder",
    default=".",
    metavar="DIR",
    help="Write into this folder: DIR/NAME and DIR/servers/NAME.  [default: here]",
)
@click.option(
    "--timeout",
    type=float,
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Give up if a server takes longer than this.",
)
@click.option("--standalone", is_flag=True, help=STANDALONE_HELP)
@no_observed_option
@cache_option
@click.option("--strict", is_flag=True, help="Exit with code 1 if there is a notice.")
@click.option("-v", "--verbose", is_flag=True, help="Show every notice, and the servers' logs.")
@click.option("-q", "--quiet", is_flag=True, help="Show no notices.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    servers: tuple[str, ...],
    folder: str,
    timeout: float,
    *,
    standalone: bool,
    no_observed: bool,
    no_cache: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Write a typed package for each server, and files that models read.

    The folder DIR/servers/NAME contains SKILL.md, index.md with one line per tool, index.pyi with
    signatures, and one file per tool with everything. A model needs few tokens to find a tool, and
    more to call it. All packages are written, or none.

    SERVER is the same as for mcpgen client, which also has options for a single server: mcpgen
    client --layout agent. NAME is the package, by default the server's own name.
    """
    if not servers:
        raise UsageError("no server was given", hint="try: mcpgen agent demo")
    made_clients: list[BuiltClient] = []
    for token in dict.fromkeys(servers):
        name, server = split_name(token)
        unobserved = observed_place(None, no_observed)
        options = ClientOptions(
            folder, name, layout="agent", standalone=standalone, observed=unobserved
        )
        arguments = ServerArguments(
            server=server, timeout=timeout, strict=strict, verbose=verbose, quiet=quiet
        )
        cache, problem = open_cache(arguments.file(), use_cache=not no_cache)
        if problem:
            log(f"the cache is not used: {problem}", quiet=quiet)
        made_clients.append(made_client(arguments, cache, options, "mcpgen agent"))
        _refuse_clash(server, made_clients)
    for item in made_clients:
        console.log_notices(item.notices, strict=strict, verbose=verbose, quiet=quiet)
    changed = _write(ClientOptions(folder), made_clients, quiet=quiet)
    console.print_result(
        {"servers": [_document(*pair) for pair in zip(made_clients, changed, strict=True)]}
    )


def _refuse_clash(server: str, clients: Sequence[BuiltClient]) -> None:
    """Reject two servers with the same name, because their packages would share a folder."""
    *made_clients, last = clients
    if any(other.package == last.package for other in made_clients):
        hint = f"give one of them another name: NAME={server}"
        raise UsageError(f"two servers are called {last.package}", server, hint)


def _write(
    options: ClientOptions, clients: Sequence[BuiltClient], *, quiet: bool
) -> list[dict[str, list[str]]]:
    """Write all folders at once. Returns the changed files by server and folder."""
    folders = [options.folders(entry) for entry in clients]
    for package, *_ in folders:
        warning = shadowing.warning(package.location.name, package.location, "NAME=SERVER")
        if warning and not quiet:
            log(warning)
    paths = iter(write.write_all([folder for agent_folder in folders for folder in agent_folder]))
    changed: list[dict[str, list[str]]] = []
    for item, written in zip(clients, folders, strict=True):
        changed.append({folder.location.as_posix(): next(paths) for folder in written})
        for number, (path, some) in enumerate(changed[-1].items()):
            what = "for models" if number else contents(item)
            log(f"{path}: {what}{'' if some else ', unchanged'}")
    return changed


def _document(client: BuiltClient, changed: dict[str, list[str]]) -> dict[str, object]:
    return {
        "package": client.package,
        "client": client.client,
        "tools": list(client.tools),
        "folders": changed,
        "needs": [need.variable for need in client.needs],
        "notices": console.notices_document(client.notices),
    }
