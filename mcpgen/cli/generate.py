"""`mcpgen generate`: writes all that `[tool.mcpgen]` says from the contracts, with no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from mcpgen.cli import shadow
from mcpgen.cli.jobs import (
    Job,
    Jobs,
    cache_option,
    exit_code,
    failures,
    jobs,
    project_options,
    tell_failed,
)
from mcpgen.cli.talk import aside, json_option, noticed, result, tell
from mcpgen.codegen import user_code
from mcpgen.errors import FindingError, McpgenError
from mcpgen.files import write as output
from mcpgen.files.write import Folder
from mcpgen.project import Project, find, remember, remove


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
) -> int:
    """Write the clients and servers that [tool.mcpgen] in pyproject.toml says.

    They are made from the contracts, which are files: no server is asked. NAME is a server in that
    table; without one, all of them are written. Only files that differ are touched, and files of a
    former run that nothing makes any more are removed. A server that fails costs the others
    nothing: the exit code says so.
    """
    project = find(config)
    found = jobs(project, names, use_cache=not no_cache, quiet=quiet)
    for job in found.done:
        tell(job.entry.name, job.made.notices, verbose=verbose, quiet=quiet)
        if job.made.proper is not None:
            said = f"{job.entry.contract}: edited by hand (mcpgen check shows where)"
            aside(said, quiet=quiet)
    if strict and (count := sum(len(job.made.notices) for job in found.done)):
        tell_failed(found.failed)
        raise FindingError(f"{count} notices, and --strict was given", hint="see them with -v")
    ready = writable(project, found)
    for job in ready.done:
        for tree in (job.entry.client, job.entry.server):
            if tree is not None:
                place = project.folder / tree.output / tree.name
                shadow.warn(tree.name, place, f"the key name of [{job.entry.at}]", quiet=quiet)
    written = write(project, ready.done)
    _say(written, verbose=verbose, quiet=quiet)
    _report_lacks(project, ready, quiet=quiet)
    gone = _clear(project, ready, names, quiet=quiet)
    document = {"servers": {job.entry.name: _document(job, written) for job in ready.done}}
    result({**document, **gone, **failures(ready.failed)})
    tell_failed(ready.failed)
    return exit_code(ready.failed)


def _clear(
    project: Project, ready: Jobs, names: Sequence[str], *, quiet: bool
) -> dict[str, list[str]]:
    """Remove what no table makes any more, and say what of it is left to its owner."""
    found = remove(project, names)
    for each in found:
        said = f"not removed, {each.kept}; {each.hint}" if each.kept else "removed"
        aside(f"{each.folder}: no table makes it any more: {said}", quiet=quiet)
    remember(project, [(job.entry, job.made) for job in ready.done])
    kinds = {"removed": [e for e in found if not e.kept], "left": [e for e in found if e.kept]}
    return {kind: [each.folder for each in those] for kind, those in kinds.items() if those}


def _document(job: Job, written: dict[str, dict[str, list[str]]]) -> dict[str, Any]:
    return {"folders": written[job.entry.name], "notices": noticed(job.made.notices)}


def writable(project: Project, found: Jobs) -> Jobs:
    """Keep the servers of which everything can be written; nothing is touched."""
    failed = dict(found.failed)
    for job in found.done:
        try:
            output.check(_folders(project.folder, job))
        except McpgenError as error:
            failed[job.entry.name] = error
    return Jobs([job for job in found.done if job.entry.name not in failed], failed)


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
    own_of = {own.generated: own for own in job.made.own}
    for tree in job.made.trees:
        own = own_of.get(tree.folder)
        if own is None:
            yield Folder(root / tree.folder, tree.files)
        elif (root / tree.folder).exists():
            yield Folder(root / tree.folder, tree.files, whole=root / own.folder)
        else:
            yield user_code.whole(root / own.folder, own.name, own.files, tree.files)


def _say(written: dict[str, dict[str, list[str]]], *, verbose: bool, quiet: bool) -> None:
    for folder, paths in (item for folders in written.values() for item in folders.items()):
        count = f"{len(paths)} file{'' if len(paths) == 1 else 's'} changed"
        aside(f"{folder}: {count if paths else 'unchanged'}", quiet=quiet)
        for path in paths if verbose else ():
            aside(f"  {folder}/{path}", quiet=quiet)


def _report_lacks(project: Project, ready: Jobs, *, quiet: bool) -> None:
    for job in ready.done:
        for own in job.made.own:
            try:
                lacks = user_code.lacks(own.stubs, project.folder / own.package)
            except McpgenError as error:  # a file of the author's that is no Python
                ready.failed[job.entry.name] = error
                continue
            for lack in lacks:
                names = ", ".join(lack.methods) or f"a class derived from {lack.stub.base}"
                place = lack.file or project.folder / own.folder / lack.stub.path
                hint = f"mcpgen server {job.entry.contract} --add-missing adds it"
                aside(f"{project.shown(place)}: lacks {names} ({hint})", quiet=quiet)
