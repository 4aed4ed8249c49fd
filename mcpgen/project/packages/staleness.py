"""Finds stale files, folders and contracts, without writing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from mcpgen.files import journal, write
from mcpgen.findings.check import Stale, State
from mcpgen.project.discovery import Project
from mcpgen.project.packages.build_all import BuiltServer
from mcpgen.project.packages.manifest import leftovers


def stale(project: Project, built: BuiltServer) -> Iterator[Stale]:
    """Yield the differences between files and the build of a table."""
    name = built.entry.name
    if built.build.canonical is not None:
        path = built.entry.contract
        diff = _diff(built.text.decode("utf-8", "replace"), built.build.canonical, path)
        yield Stale(name, path, "edited", diff)
    for tree in built.build.trees:
        folder = project.folder / tree.folder
        at = project.display_path(folder)
        if not folder.exists():
            yield Stale(name, at, "missing", count=len(tree.files))
            continue
        difference = write.difference(tree.files, folder)
        for path in difference.changed:
            before, full = difference.present.get(path), f"{at}/{path}"
            state: State = "missing" if before is None else "changed"
            yield Stale(name, full, state, _diff(before, tree.files[path], full))
        for file in difference.stale:
            full = project.display_path(file)
            yield Stale(name, full, "left over", _diff(file.read_text("utf-8"), None, full))


def has_old_runtime(project: Project, built: BuiltServer) -> bool:
    """Return True if a generated folder contains a runtime copy that isn't configured."""
    return any(
        "_runtime/__init__.py" not in tree.files
        and (project.folder / tree.folder / "_runtime" / "__init__.py").is_file()
        for tree in built.build.trees
    )


def same_code(project: Project, built: BuiltServer) -> Iterator[tuple[str, str]]:
    """Yield the folders whose code another version of mcpgen generated, with the version."""
    for tree in built.build.trees:
        path = project.folder / tree.folder
        if path.exists() and (version := write.difference(tree.files, path).version):
            yield project.display_path(path), version


def left_over(project: Project, names: Sequence[str]) -> list[Stale]:
    """Return the leftover folders."""
    return [
        Stale(
            leftover.server,
            leftover.folder,
            "left over",
            count=leftover.count,
            reason=leftover.kept_reason,
        )
        for leftover in leftovers(project, names)
    ]


def unfinished_folders(project: Project, built: BuiltServer) -> Iterator[str]:
    """Yield folders that a killed run didn't finish writing."""
    for tree in built.build.trees:
        path = project.folder / tree.folder
        if journal.is_unfinished(path):
            yield project.display_path(path)


def _diff(old: str | None, new: str | None, path: str) -> str:
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        (new or "").splitlines(keepends=True),
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
    )
    ended = (x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    return "".join(ended)
