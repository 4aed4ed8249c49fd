"""`mcpgen generate`: writes the output of `[tool.mcpgen]` from contracts, offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from mcpgen.cli.shared import console
from mcpgen.cli.shared.console import log
from mcpgen.cli.shared.options import (
    Command,
    cache_option,
    jobs_option,
    json_option,
    project_options,
    shard_option,
)
from mcpgen.errors import FindingError
from mcpgen.project import shadowing
from mcpgen.project.discovery import Project, find_project
from mcpgen.project.packages import manifest, output
from mcpgen.project.packages.build_all import Builds, BuiltServer, build_all
from mcpgen.project.shard import Shard


@click.command(cls=Command, name="generate", short_help="Write everything from the contracts.")
@project_options
@shard_option
@jobs_option
@cache_option
@click.option("--strict", is_flag=True, help="Write nothing when there is a notice, and exit 1.")
@click.option("-v", "--verbose", is_flag=True, help="Show every notice and every file.")
@click.option("-q", "--quiet", is_flag=True, help="Show errors alone.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    *,
    names: tuple[str, ...],
    config: str | None,
    shard: Shard | None,
    jobs: int | None,
    no_cache: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write the clients and servers of [tool.mcpgen] in pyproject.toml.

    They are generated from contract files, without contacting a server. NAME is a server in that
    table. Without NAME, all of them are written. Only changed files are touched, and leftover files
    of earlier runs are removed. A failing server doesn't affect the others, except for the exit
    code.
    """
    project = find_project(config, shard)
    console.log_share(project.names(names), shard, quiet=quiet)
    progress = console.no_progress if quiet else console.progress
    builds = build_all(project, names, use_cache=not no_cache, jobs=jobs or 0, progress=progress)
    _log_builds(builds, verbose=verbose, quiet=quiet)
    if strict and (count := sum(len(built.build.notices) for built in builds.completed)):
        console.log_failures(builds.failed)
        raise FindingError(f"{count} notices, and --strict was given", hint="see them with -v")
    builds = output.writable(project, builds)
    if not quiet:
        _warn(project, builds.completed)
    changes = output.write(project, builds.completed)
    _log_changes(changes, verbose=verbose, quiet=quiet)
    builds = _log_missing(project, builds, quiet=quiet)
    leftovers = _clear(project, builds, names, quiet=quiet)
    document = {
        "servers": {built.entry.name: _document(built, changes) for built in builds.completed}
    }
    failures = console.failures_document(builds.failed)
    console.print_result({**document, **console.shard_document(shard), **leftovers, **failures})
    console.log_failures(builds.failed)
    return console.exit_code(builds.failed)


def _log_builds(builds: Builds, *, verbose: bool, quiet: bool) -> None:
    if builds.cache_problem:
        log(f"the cache is not used: {builds.cache_problem}", quiet=quiet)
    for built in builds.completed:
        name, notices = built.entry.name, built.build.notices
        console.log_server_notices(name, notices, verbose=verbose, quiet=quiet)
        if built.build.canonical is not None:
            hint = "edited by hand (mcpgen check shows where)"
            log(f"{built.entry.contract}: {hint}", quiet=quiet)


def _warn(project: Project, builts: Sequence[BuiltServer]) -> None:
    """Warn about new packages that would hide others."""
    for entry in (built.entry for built in builts):
        for tree in (entry.client, entry.server):
            if tree is None:
                continue
            path = project.folder / tree.output / tree.name
            if warning := shadowing.warning(
                tree.name, path, f"the key name of [{entry.table_name}]"
            ):
                log(warning)


def _clear(
    project: Project, builds: Builds, names: Sequence[str], *, quiet: bool
) -> dict[str, list[str]]:
    """Remove leftover folders, and report the remaining ones."""
    leftovers = manifest.remove_leftovers(project, names)
    for leftover in leftovers:
        outcome = (
            f"not removed, {leftover.kept_reason}; {leftover.hint}"
            if leftover.kept_reason
            else "removed"
        )
        log(f"{leftover.folder}: no table generates it any longer: {outcome}", quiet=quiet)
    manifest.record(project, [(built.entry, built.build) for built in builds.completed])
    kinds = {
        "removed": [item.folder for item in leftovers if not item.kept_reason],
        "left": [item.folder for item in leftovers if item.kept_reason],
    }
    return {kind: folders for kind, folders in kinds.items() if folders}


def _document(
    built: BuiltServer, changes: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, Any]:
    notices = console.notices_document(built.build.notices)
    return {"folders": changes[built.entry.name], "notices": notices}


def _log_changes(
    changes: Mapping[str, Mapping[str, Sequence[str]]], *, verbose: bool, quiet: bool
) -> None:
    for folder, paths in (item for folders in changes.values() for item in folders.items()):
        count = f"{len(paths)} file{'' if len(paths) == 1 else 's'} changed"
        log(f"{folder}: {count if paths else 'unchanged'}", quiet=quiet)
        for path in paths if verbose else ():
            log(f"  {folder}/{path}", quiet=quiet)


def _log_missing(project: Project, builds: Builds, *, quiet: bool) -> Builds:
    """Log the missing methods of the author's classes, and record why they are unknown."""
    all_missing, failed = output.missing(project, builds.completed)
    for item in all_missing:
        for missing in item.methods:
            names = ", ".join(missing.methods) or f"a class derived from {missing.stub.base}"
            path = missing.file or project.folder / item.own.folder / missing.stub.path
            hint = f"mcpgen server {item.contract} --add-missing adds it"
            log(f"{project.display_path(path)}: lacks {names} ({hint})", quiet=quiet)
    return replace(builds, failed={**builds.failed, **failed})
