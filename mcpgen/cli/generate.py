"""`mcpgen generate`: writes all that `[tool.mcpgen]` says from the contracts, with no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from mcpgen import author, output
from mcpgen.cli.jobs import Job, cache_option, jobs, project_options
from mcpgen.cli.talk import aside, json_option, noticed, result, tell
from mcpgen.errors import FindingError
from mcpgen.output import Folder
from mcpgen.project import Project, find


@click.command(name="generate", short_help="Write everything from the contracts.")
@project_options
@cache_option
@click.option("--strict", is_flag=True, help="Write nothing when there is a notice, and exit 1.")
@click.option("-v", "--verbose", is_flag=True, help="Show every notice and every file.")
@click.option("-q", "--quiet", is_flag=True, help="Show errors alone.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    *,
    names: tuple[str, ...],
    config: str | None,
    no_cache: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Write the clients and servers that [tool.mcpgen] in pyproject.toml says.

    They are made from the contracts, which are files: no server is asked. NAME is a server in that
    table; without one, all of them are written. Only files that differ are touched, and files of a
    former run that nothing makes any more are removed.
    """
    project = find(config)
    done = jobs(project, project.entries(names), use_cache=not no_cache, quiet=quiet)
    for job in done:
        tell(job.entry.name, job.made.notices, verbose=verbose, quiet=quiet)
        if job.made.proper is not None:
            said = f"{job.entry.contract}: edited by hand (mcpgen check shows where)"
            aside(said, quiet=quiet)
    if strict and (count := sum(len(job.made.notices) for job in done)):
        raise FindingError(f"{count} notices, and --strict was given", hint="see them with -v")
    written = write(project, done)
    _say(written, verbose=verbose, quiet=quiet)
    _report_lacks(project, done, quiet=quiet)
    result({"servers": {job.entry.name: _document(job, written) for job in done}})


def _document(job: Job, written: dict[str, dict[str, list[str]]]) -> dict[str, Any]:
    return {"folders": written[job.entry.name], "notices": noticed(job.made.notices)}


def write(project: Project, done: Sequence[Job]) -> dict[str, dict[str, list[str]]]:
    """Write everything at once; return the files that changed, by server and folder."""
    folders = [(job, folder) for job in done for folder in _folders(project.folder, job)]
    changed = output.write_all([folder for _, folder in folders])
    found: dict[str, dict[str, list[str]]] = {job.entry.name: {} for job in done}
    for (job, folder), paths in zip(folders, changed, strict=True):
        found[job.entry.name][project.shown(folder.place)] = paths
    return found


def _folders(root: Path, job: Job) -> Iterator[Folder]:
    """Yield what is written; a server that is new is one folder with what is its author's."""
    new = {own.generated: own for own in job.made.own if not (root / own.generated).exists()}
    for tree in job.made.trees:
        own = new.get(tree.folder)
        if own is None:
            yield Folder(root / tree.folder, tree.files)
        else:
            yield author.whole(root / own.folder, own.name, own.files, tree.files)


def _say(written: dict[str, dict[str, list[str]]], *, verbose: bool, quiet: bool) -> None:
    for folder, paths in (item for folders in written.values() for item in folders.items()):
        count = f"{len(paths)} file{'' if len(paths) == 1 else 's'} changed"
        aside(f"{folder}: {count if paths else 'unchanged'}", quiet=quiet)
        for path in paths if verbose else ():
            aside(f"  {folder}/{path}", quiet=quiet)


def _report_lacks(project: Project, done: Sequence[Job], *, quiet: bool) -> None:
    for job in done:
        for own in job.made.own:
            for lack in author.lacks(own.stubs, project.folder / own.package):
                names = ", ".join(lack.methods) or f"a class derived from {lack.stub.base}"
                place = lack.file or project.folder / own.folder / lack.stub.path
                hint = f"mcpgen server {job.entry.contract} --add-missing adds it"
                aside(f"{project.shown(place)}: lacks {names} ({hint})", quiet=quiet)
