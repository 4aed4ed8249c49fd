"""Checks whether a project declares the runtime that its clients import."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcpgen.errors import UsageError
from mcpgen.files import toml
from mcpgen.installing import RUNTIME
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.project.discovery import Project

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def lacks_runtime(folder: Path) -> Path | None:
    """Return the nearest pyproject.toml if its dependencies don't contain the runtime.

    Returns None if there is no such file, if it declares no dependencies or computes them.
    """
    start = folder.absolute()
    for parent in (start, *start.parents):
        file = parent / "pyproject.toml"
        if file.is_file():
            return file if _lacks(file) else None
        if (parent / ".git").exists():
            return None
    return None


def missing_runtime(project: Project, names: Sequence[str] = ()) -> str:
    """Return a message if the project's clients need the runtime and its dependencies lack it."""
    importing = [entry for entry in project.entries(names) if entry.client and not entry.standalone]
    file = lacks_runtime(project.folder) if importing else None
    return f"{project.display_path(file)}: the dependencies lack {RUNTIME}" if file else ""


def _lacks(file: Path) -> bool:
    try:
        document = toml.parse_file(file)
    except UsageError:
        return False
    project = _table(document, "project")
    poetry = _table(_table(document, "tool"), "poetry")
    if "dependencies" in _list(project, "dynamic") or not (project or poetry):
        return False
    return RUNTIME not in {*_names(document), *_of_poetry(poetry)}


def _names(document: dict[str, Json]) -> Iterator[str]:
    """Yield the normalized name of the project and of each dependency (PEP 621, PEP 735)."""
    project = _table(document, "project")
    lists = [_list(project, "dependencies")]
    for table in (_table(project, "optional-dependencies"), _table(document, "dependency-groups")):
        lists += [_list(table, name) for name in table]
    for requirements in lists:
        for requirement in requirements:
            if isinstance(requirement, str) and (match := _NAME.match(requirement)):
                yield _normalize(match[1])
    yield _normalize(str(project.get("name", "")))


def _of_poetry(table: dict[str, Json]) -> Iterator[str]:
    yield from map(_normalize, _table(table, "dependencies"))
    groups = _table(table, "group")
    for name in groups:
        yield from map(_normalize, _table(_table(groups, name), "dependencies"))


def _table(parent: dict[str, Json], name: str) -> dict[str, Json]:
    value = parent.get(name)
    return value if is_object(value) else {}


def _list(parent: dict[str, Json], name: str) -> list[Json]:
    value = parent.get(name)
    return value if is_array(value) else []


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
