"""The files that `mcpgen watch` looks at: the table, contracts, and sources of own servers.

They are polled, which takes 4 ms of CPU for a thousand files and works on every file system.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from mcpgen.errors import UsageError
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project
from mcpgen.project.observed_file import of_entry

Stamps: TypeAlias = dict[str, tuple[int, int]]
"""The modification time (nanoseconds) and size of each file."""

_SKIPPED = frozenset({"__pycache__", "node_modules", "build", "dist"})


def stamps(project: Project, names: Sequence[str]) -> Stamps:
    """Return the stamps of all watched files, for these servers or all."""
    watched = contract_stamps(project, names)
    for entry, folder in _in_process(project, names):
        watched |= _stamps(_python_files(folder, _generated_folders(project, entry)))
    return watched


def contract_stamps(project: Project, names: Sequence[str]) -> Stamps:
    """Return the stamps of pyproject.toml, contracts and observed files.

    mcpgen's own runs write contracts, too.
    """
    entries = _entries(project, names)
    contracts = [project.folder / entry.contract for entry in entries]
    observed = filter(None, (of_entry(project, entry) for entry in entries))
    return _stamps(map(str, [project.file, *contracts, *observed]))


def changed_files(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """Return changed, new and removed files."""
    return sorted(path for path in {*now, *before} if now.get(path) != before.get(path))


def to_ask(project: Project, names: Sequence[str], changed: Iterable[str]) -> list[str]:
    """Return the servers whose source changed, so that they must be recorded again."""
    sources = [Path(path) for path in changed if path.endswith(".py")]
    return [
        entry.name
        for entry, folder in _in_process(project, names)
        if any(path.is_relative_to(folder) for path in sources)
    ]


def _entries(project: Project, names: Sequence[str]) -> list[Entry]:
    try:
        return project.entries(names)
    except UsageError:
        return []


def _in_process(project: Project, names: Sequence[str]) -> Iterator[tuple[Entry, Path]]:
    """Yield the servers that are objects in Python files or modules, with their folders."""
    for entry in _entries(project, names):
        folder = _source_folder(project, entry)
        if folder is not None:
            yield entry, folder


def _source_folder(project: Project, entry: Entry) -> Path | None:
    if not isinstance(entry.source, str) or "://" in entry.source:
        return None
    path, _, name = entry.source.partition(":")
    if path.endswith(".py"):
        return (project.folder / path).parent
    if name and all(part.isidentifier() for part in path.split(".")):
        return (project.folder / Path(*path.split("."))).parent
    return None


def _generated_folders(project: Project, entry: Entry) -> set[str]:
    """Return the folders that a table generates, which may be next to its server's source."""
    trees = [tree for tree in (entry.client, entry.server) if tree]
    return {str(project.folder / tree.output / tree.name) for tree in trees}


def _python_files(folder: Path, without: set[str]) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if name not in _SKIPPED and name[0] != "." and os.path.join(parent, name) not in without  # noqa: PTH118 - many files
        ]
        yield from (f"{parent}{os.sep}{name}" for name in files if name.endswith(".py"))


def _stamps(files: Iterable[str]) -> Stamps:
    stamps: Stamps = {}
    for file in files:
        try:
            status = os.stat(file)  # noqa: PTH116 - many files, several times a second
        except OSError:
            continue
        stamps[file] = (status.st_mtime_ns, status.st_size)
    return stamps
