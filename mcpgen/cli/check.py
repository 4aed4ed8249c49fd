"""`mcpgen check`: are the files, and the contracts, as they would be written now?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import click

from mcpgen.cli import verdict
from mcpgen.cli.jobs import Job, cache_option, exit_code, jobs, project_options, tell_failed
from mcpgen.cli.talk import (
    aside,
    format_option,
    is_colored,
    is_json,
    json_option,
    result,
    shown,
    tell,
)
from mcpgen.cli.verdict import Checked, Stale
from mcpgen.errors import Exit, FindingError, McpgenError, UsageError
from mcpgen.files import journal, write
from mcpgen.project import Entry, Project, find, left

_FORMATS = ("text", "json", "github")


@click.command(name="check", short_help="Say whether anything generated is out of date.")
@project_options
@click.option("--live", is_flag=True, help="Also compare the contracts with the running servers.")
@format_option(_FORMATS, "How to write what was found; github makes annotations.")
@click.option("--summary", metavar="FILE", help="Also add a report in Markdown to this file.")
@cache_option
@click.option("-v", "--verbose", is_flag=True, help="Show every notice, and servers' logs.")
@click.option("-q", "--quiet", is_flag=True, help="Show no differences, errors alone.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    *,
    names: tuple[str, ...],
    config: str | None,
    live: bool,
    format_: str,
    summary: str | None,
    no_cache: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Say whether the generated files are what the contracts and [tool.mcpgen] make of them.

    Nothing is written and no server is asked; differences are shown as a patch. With --live the
    contracts are compared with the running servers too; a server that is not reached is never
    taken for a change. A server that fails costs the others nothing: the exit code says so.
    """
    project = find(config)
    made = jobs(project, names, use_cache=not no_cache, quiet=quiet)
    found = Checked(failed=made.failed)
    for job in made.done:
        tell(job.entry.name, job.made.notices, verbose=verbose, quiet=quiet or not verbose)
        try:
            found.stale += [*_stale(project, job)]
            found.unfinished += _unfinished(project, job)
        except McpgenError as error:
            found.failed[job.entry.name] = error
    found.stale += [
        Stale(each.server, each.folder, "left over", count=each.count, reason=each.kept)
        for each in left(project, names)
    ]
    tell_failed(found.failed)
    for place in found.unfinished:
        aside(f"{place}: a run was cut off between folders; mcpgen generate completes it")
    if live:
        from mcpgen.cli.live import sources

        asked = sources(project.entries(names), names)
        _ask(project, asked, found, verbose=verbose, quiet=quiet)
    if is_json():
        result(verdict.document(found))
    elif format_ == "github":
        click.echo(verdict.commands(found), nl=False)
    elif not quiet:
        shown(verdict.text(found, color=is_colored(), verbose=verbose))
    if summary:
        _add(summary, verdict.markdown(found, len(made.done)))
    return _end(found, len(made.done), quiet=quiet)


def _add(file: str, text: str) -> None:
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UsageError(f"the file cannot be written: {error.strerror}", file) from None


def _end(found: Checked, count: int, *, quiet: bool) -> int:
    """Return the exit code: that a server was not reached is never taken for a change."""
    if found.failed:
        return exit_code(found.failed)
    if not found.stale and not found.drifted:
        aside(f"{count} server{'' if count == 1 else 's'}: everything is up to date", quiet=quiet)
        return Exit.DONE
    if is_json():
        return Exit.FINDING
    raise FindingError(verdict.summary(found), hint=verdict.advice(found))


def _stale(project: Project, job: Job) -> Iterator[Stale]:
    name = job.entry.name
    if job.made.proper is not None:
        path = job.entry.contract
        diff = _diff(job.text.decode("utf-8", "replace"), job.made.proper, path)
        yield Stale(name, path, "edited", diff)
    for tree in job.made.trees:
        place = project.folder / tree.folder
        at = project.shown(place)
        if not place.exists():
            yield Stale(name, at, "missing", count=len(tree.files))
            continue
        found = write.difference(tree.files, place)
        for path in found.changed:
            before, full = found.present.get(path), f"{at}/{path}"
            state: Literal["changed", "missing"] = "missing" if before is None else "changed"
            yield Stale(name, full, state, _diff(before, tree.files[path], full))
        for file in found.stale:
            full = project.shown(file)
            yield Stale(name, full, "left over", _diff(file.read_text("utf-8"), None, full))


def _unfinished(project: Project, job: Job) -> Iterator[str]:
    for tree in job.made.trees:
        place = project.folder / tree.folder
        if journal.unfinished(place):
            yield project.shown(place)


def _diff(old: str | None, new: str | None, path: str) -> str:
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        (new or "").splitlines(keepends=True),
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
    )
    ended = (x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    return "".join(ended)


def _ask(
    project: Project, entries: Sequence[Entry], found: Checked, *, verbose: bool, quiet: bool
) -> None:
    """Compare the contracts with the servers; one that fails costs the others nothing."""
    from mcpgen.cli.live import ask, changes, pinned
    from mcpgen.cli.options import Asked
    from mcpgen.cli.record import previous

    for entry in entries:
        try:
            old = previous(project.folder / entry.contract)
            recorded = ask(project, entry, Asked(verbose=verbose, quiet=quiet))
            tell(entry.name, recorded.notices, verbose=verbose, quiet=quiet)
            if old is not None:
                new = pinned(old, recorded, entry.contract)
                found.reports[entry.name] = changes(project, entry, old, new)
        except McpgenError as error:
            found.failed[entry.name] = error
            tell_failed({entry.name: error})
