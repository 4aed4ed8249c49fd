"""`mcpgen server`: writes a runnable server project for a contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from mcpgen_runtime._version import IS_PUBLISHED
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.console import log, log_notices, notices_document, print_result
from mcpgen.cli.shared.options import (
    STANDALONE_HELP,
    ServerCommand,
    cache_option,
    json_option,
    server_options,
)
from mcpgen.codegen import user_code
from mcpgen.codegen.user_code import GENERATED, MissingMethods
from mcpgen.errors import UsageError
from mcpgen.files import write
from mcpgen.files.write import Folder
from mcpgen.project import shadowing
from mcpgen.project.configuration.model import AUTH_KINDS, Server
from mcpgen.project.packages.build_cache import BuildCache, BuiltProject, open_cache
from mcpgen.servers.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen.codegen.former import FormerServer

_START = """\
cd {folder}
uv run {name}                # over stdio
uv run {name} --http 8000    # over Streamable HTTP
uv run pytest
"""


_AUTH_HINTS = {
    "jwt": "add auth=JwtAuth.from_env() to its run(...)",
    "introspection": "add auth=Introspection.from_env() to its run(...)",
}


@click.command(cls=ServerCommand, name="server", short_help="Write a server for a contract.")
@server_options
@click.option(
    "-o",
    "--output",
    "folder",
    default=".",
    metavar="DIR",
    help="Write the project into this folder, as DIR/NAME.  [default: here]",
)
@click.option("--name", default="", help="The package's name.  [default: the server's]")
@click.option(
    "--from",
    "location",
    metavar="FILE.py[:NAME]",
    help="Migrate a server written for the SDK or FastMCP: import the file, record its server NAME,"
    " and write methods that call its functions.",
)
@click.option(
    "--docker",
    is_flag=True,
    help="Also write a Dockerfile, compose.yaml and nginx.conf, unless they exist.",
)
@click.option(
    "--auth",
    type=click.Choice(AUTH_KINDS),
    help="Require an access token over HTTP: a JWT, or an opaque one verified by introspection.",
)
@click.option(
    "--redis",
    is_flag=True,
    help="Let several replicas serve as one server, with their state in Redis.",
)
@click.option("--telemetry", is_flag=True, help="Install the libraries for metrics and traces.")
@click.option(
    "--add-missing",
    is_flag=True,
    help="Append stubs of missing tools, prompts and resources to your classes.",
)
@click.option(
    "--standalone/--no-standalone",
    default=not IS_PUBLISHED,
    show_default=True,
    help=STANDALONE_HELP,
)
@cache_option
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    arguments: ServerArguments,
    *,
    folder: str,
    name: str,
    location: str | None,
    docker: bool,
    auth: str | None,
    redis: bool,
    telemetry: bool,
    add_missing: bool,
    standalone: bool,
    no_cache: bool,
) -> None:
    """Write a Python server that publishes exactly the definitions of a contract.

    SERVER is a contract file, written by hand or recorded, or any server, see mcpgen client --help.
    The folder _generated is rewritten each time. Other files are written once and belong to you.
    mcpgen reports methods that the contract no longer has, and removes nothing.
    """
    cache, problem = open_cache(arguments.file(), use_cache=not no_cache)
    quiet = arguments.quiet
    if problem:
        log(f"the cache is not used: {problem}", quiet=quiet)
    chosen = Server(
        output=folder, name=name, docker=docker, auth=auth or "", redis=redis, telemetry=telemetry
    )
    if location:
        generate = _migrate(arguments, location, cache, chosen, standalone=standalone)
    else:
        generate = _generate(arguments, cache, chosen, standalone=standalone)
    project = Path(folder) / generate.package
    package = project / "src" / project.name
    notices = generate.notices
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=quiet)
    if not quiet and (warning := shadowing.warning(project.name, project, "--name")):
        log(warning)
    is_new = not (package / GENERATED).exists()
    if is_new and (project / "__init__.py").exists():
        raise UsageError("a package, not a project", str(project), "choose another -o or --name")
    written = Folder(package / GENERATED, generate.generated, whole=project)
    if is_new:
        written = user_code.new_project(project, generate.package, generate.own, generate.generated)
    before = user_code.former_methods(package)
    changed = write.write_all([written])[0]
    log(f"{project}: {_contents(generate)}{'' if changed else ', unchanged'}")
    if docker and not is_new:
        _add_docker_files(generate, project)
    if not is_new:
        for hint in _hints(chosen):
            log(f"{package / 'server.py'}: belongs to you; {hint}")
    missing_methods = user_code.missing_methods(generate.stubs, package)
    _report(missing_methods, project, add_missing=add_missing)
    unused = user_code.find_unused(generate.stubs, package, before, generate.generated)
    for item in unused:
        log(str(item))
    document = {
        "folder": project.as_posix(),
        "package": generate.package,
        "changed": changed,
        "lacks": []
        if add_missing
        else [name for method in missing_methods for name in method.methods],
        "unused": [entry.name for entry in unused],
        "notices": notices_document(notices),
    }
    is_shown = is_new and not quiet
    start = _START.format(folder=project, name=generate.distribution) if is_shown else ""
    print_result(document, visible(start))


def _generate(
    arguments: ServerArguments,
    cache: BuildCache,
    chosen: Server,
    *,
    standalone: bool,
    former: FormerServer | None = None,
) -> BuiltProject:
    """Record the server or read its contract, and generate the project in memory."""
    key_parts = tuple(map(str, (*astuple(chosen)[1:], standalone)))
    if made_server := cache.server(key_parts):
        return made_server
    # Not needed if nothing changed.
    from mcpgen.codegen.server_pipeline import ServerOptions
    from mcpgen.servers.recording.previous import pinned_to_package
    from mcpgen.servers.recording.project_servers import contract_of

    options = ServerOptions(
        name=chosen.name,
        docker=chosen.docker,
        auth=chosen.auth,
        redis=chosen.redis,
        telemetry=chosen.telemetry,
        standalone=standalone,
        former=former,
    )
    recorded = contract_of(arguments, log, "mcpgen server")
    if recorded.is_live:  # the file listed servers
        cache = replace(cache, file=None)
    package = options.package(recorded.contract)
    path = Path(chosen.output) / package / "src" / package / GENERATED
    generated, key = cache.generated_server(pinned_to_package(recorded, path), options)
    made_server = BuiltProject(
        package=generated.package,
        distribution=generated.distribution,
        generated=generated.generated,
        own=generated.own,
        stubs=generated.stubs,
        notices=tuple(dict.fromkeys((*recorded.notices, *generated.notices))),
    )
    cache.keep_server(made_server, key, key_parts)
    return made_server


def _migrate(
    arguments: ServerArguments,
    location: str,
    cache: BuildCache,
    chosen: Server,
    *,
    standalone: bool,
) -> BuiltProject:
    """Import a former server, and generate a project that calls its functions."""
    if arguments.server or arguments.command:
        raise UsageError("--from and SERVER can't be combined", "--from")
    from mcpgen.servers.recording import former_server

    log(f"importing {visible(location)}, which runs its code", quiet=arguments.quiet)
    former = former_server.load(location)
    built = _generate(
        replace(arguments, server=former.source),
        cache,
        chosen,
        standalone=standalone,
        former=former.server,
    )
    return replace(built, notices=(*built.notices, *former.notices))


def _add_docker_files(built: BuiltProject, project: Path) -> None:
    """Write the Dockerfile and its companions, which can be requested later."""
    from mcpgen.codegen.server_pipeline import DOCKER_FILES

    for path in DOCKER_FILES:
        file = project / path
        if path not in built.own:
            continue
        if file.exists():
            log(f"{file}: exists and belongs to you")
            continue
        file.parent.mkdir(exist_ok=True)
        write.replace(file, built.own[path])
        log(f"{file}: written")


def _hints(chosen: Server) -> Iterator[str]:
    """Yield changes to make in an existing server.py, which options don't change."""
    if chosen.auth:
        yield _AUTH_HINTS[chosen.auth]
    if chosen.redis:
        yield "add store=RedisStore.from_env() to its Policy(...)"


def _contents(built: BuiltProject) -> str:
    counts = [(len(stub.methods), stub.path.rpartition("/")[2][:-4]) for stub in built.stubs]
    parts = [f"{n} {kind}{'' if n == 1 else 's'}" for n, kind in counts]
    return f"a server with {' and '.join(parts)}"


def _report(missing_methods: Sequence[MissingMethods], project: Path, *, add_missing: bool) -> None:
    """Log the methods that the author's classes lack, or add them."""
    for missing in missing_methods:
        names = ", ".join(missing.methods) or f"a class derived from {missing.stub.base}"
        if add_missing:
            log(f"{user_code.add(missing, project)}: added {names}")
        else:
            path = missing.file or project / missing.stub.path
            log(f"{path}: lacks {names} (--add-missing adds it)")
