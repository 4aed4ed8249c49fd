"""Writes the output of all tables at once. The author's files are written only once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.codegen import user_code
from mcpgen.codegen.user_code import MissingMethods
from mcpgen.errors import McpgenError
from mcpgen.files import write as files
from mcpgen.files.write import Folder
from mcpgen.project.discovery import Project
from mcpgen.project.packages.build import OwnFiles
from mcpgen.project.packages.build_all import Builds, BuiltServer


def writable(project: Project, builds: Builds) -> Builds:
    """Return the builds that can be written, without writing."""
    failed = dict(builds.failed)
    for built in builds.completed:
        try:
            files.check(_folders(project.folder, built))
        except McpgenError as error:
            failed[built.entry.name] = error
    builts = [built for built in builds.completed if built.entry.name not in failed]
    return replace(builds, completed=builts, failed=failed)


def write(project: Project, builds: Sequence[BuiltServer]) -> dict[str, dict[str, list[str]]]:
    """Write all builds at once. Returns the changed files by server and folder."""
    folders = [(built, folder) for built in builds for folder in _folders(project.folder, built)]
    changed = files.write_all([folder for _, folder in folders])
    changes: dict[str, dict[str, list[str]]] = {built.entry.name: {} for built in builds}
    for (built, folder), paths in zip(folders, changed, strict=True):
        changes[built.entry.name][project.display_path(folder.location)] = paths
    return changes


def _folders(root: Path, built: BuiltServer) -> Iterator[Folder]:
    """Yield the folders to write. A new server is one folder with its author's files."""
    own_of = {own.generated: own for own in built.build.own}
    for tree in built.build.trees:
        own = own_of.get(tree.folder)
        if own is None:
            yield Folder(root / tree.folder, tree.files)
        elif (root / tree.folder).exists():
            yield Folder(root / tree.folder, tree.files, whole=root / own.folder)
        else:
            yield user_code.new_project(root / own.folder, own.name, own.files, tree.files)


@dataclass(frozen=True, slots=True)
class Missing:
    """Missing methods of the author's classes, for one contract."""

    contract: str
    own: OwnFiles
    methods: Sequence[MissingMethods]


def missing(
    project: Project, builds: Sequence[BuiltServer]
) -> tuple[list[Missing], Mapping[str, McpgenError]]:
    """Return the missing methods, and errors for servers whose methods are unknown."""
    all_missing: list[Missing] = []
    failed: dict[str, McpgenError] = {}
    for built in builds:
        for own in built.build.own:
            try:
                methods = user_code.missing_methods(own.stubs, project.folder / own.package)
            except McpgenError as error:  # an author's file that isn't valid Python
                failed[built.entry.name] = error
            else:
                all_missing.append(Missing(built.entry.contract, own, methods))
    return all_missing, failed
