"""`mcpgen watch`: generates again when the table, a contract or a server's source changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from mcpgen.cli.jobs import project_options
from mcpgen.cli.talk import aside, is_json, json_option
from mcpgen.endpoint import python
from mcpgen.errors import McpgenError, UsageError
from mcpgen.project import Entry, Project, find

_SKIPPED = frozenset({"__pycache__", "node_modules", "build", "dist"})


@click.command(name="watch", short_help="Generate again whenever something changes.")
@project_options
@click.option(
    "--interval",
    type=click.FloatRange(0.05, 60),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="Look for changes this often.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show errors alone.")
@json_option
def command(*, names: tuple[str, ...], config: str | None, interval: float, quiet: bool) -> None:
    """Generate again whenever a contract or [tool.mcpgen] changes, until interrupted.

    A server that is an object in a Python file or module is asked anew when a Python file beside
    it changes, and its contract is updated: it is your own. With --json each run is one document.
    """
    project = find(config)
    project.names(names)
    _once(project, names, quiet=quiet)
    before = _stamps(project, names)
    aside("watching; press Ctrl-C to stop", quiet=quiet)
    while True:
        time.sleep(interval)
        project = _again(project)
        now = _stamps(project, names)
        changed = sorted(path for path in {*now, *before} if now.get(path) != before.get(path))
        if not changed:
            continue
        aside(
            f"changed: {', '.join(project.shown(Path(path)) for path in changed[:3])}", quiet=quiet
        )
        for entry in _own(project, names):
            if any(path.endswith(".py") and _is_beside(path, project, entry) for path in changed):
                _run(project, ["lock", entry.name, "--accept"], quiet=quiet)
        _once(project, names, quiet=quiet)
        # What was written meanwhile is no change to act upon; what was edited meanwhile is.
        before = {**now, **_contracts(project, names)}


def _again(project: Project) -> Project:
    """Read the table again; while it is being edited, the former one stays in force."""
    try:
        return find(str(project.file))
    except McpgenError:
        return project


def _once(project: Project, names: Sequence[str], *, quiet: bool) -> None:
    _run(project, ["generate", *names], quiet=quiet)


def _run(project: Project, words: Sequence[str], *, quiet: bool) -> None:
    """Run a command in a process of its own, so that a server is imported anew each time."""
    options = ["--config", str(project.file), *(["--json"] if is_json() else [])]
    quietly = ["-q"] if quiet else []
    sys.stdout.flush()
    subprocess.run(python.running("mcpgen", *words, *options, *quietly), check=False)  # noqa: S603 - our own command


def _entries(project: Project, names: Sequence[str]) -> list[Entry]:
    try:
        return project.entries(names)
    except UsageError:
        return []


def _own(project: Project, names: Sequence[str]) -> Iterator[Entry]:
    """Yield the servers that are objects in Python files or modules."""
    for entry in _entries(project, names):
        if isinstance(entry.source, str) and _source(project, entry) is not None:
            yield entry


def _source(project: Project, entry: Entry) -> Path | None:
    """Return the folder with an in-process server's source."""
    if not isinstance(entry.source, str) or "://" in entry.source:
        return None
    place, _, name = entry.source.partition(":")
    if place.endswith(".py"):
        return (project.folder / place).parent
    if name and all(part.isidentifier() for part in place.split(".")):
        return (project.folder / Path(*place.split("."))).parent
    return None


def _is_beside(path: str, project: Project, entry: Entry) -> bool:
    folder = _source(project, entry)
    return folder is not None and Path(path).is_relative_to(folder)


def _stamps(project: Project, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return when each watched file was changed, and its size."""
    found = _contracts(project, names)
    for entry in _own(project, names):
        folder = _source(project, entry)
        made = {str(project.folder / t.output / t.name) for t in (entry.client, entry.server) if t}
        for here, folders, files in os.walk(folder) if folder else ():
            folders[:] = [
                each
                for each in folders
                if each not in _SKIPPED and each[0] != "." and f"{here}/{each}" not in made
            ]
            found |= _stamped(Path(here, name) for name in files if name.endswith(".py"))
    return found


def _contracts(project: Project, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    contracts = [project.folder / entry.contract for entry in _entries(project, names)]
    return _stamped(iter([project.file, *contracts]))


def _stamped(files: Iterator[Path]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            continue
        found[str(file)] = (stat.st_mtime_ns, stat.st_size)
    return found
