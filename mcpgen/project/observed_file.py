"""Finds the observed file of a contract: the one in its table, or the one next to it."""

from __future__ import annotations

from pathlib import Path

from mcpgen.contract.observation.document import observed_path
from mcpgen.errors import UsageError
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project, project_here


def of_entry(project: Project, entry: Entry) -> Path | None:
    """Return the observed file of a table, or None if it uses none."""
    return project.folder / entry.observed_file if entry.observed_file else None


def of_contract(contract: Path) -> Path | None:
    """Return the observed file of a contract, which may not exist, or None if none is used.

    The tables of the current project decide, unless they disagree.
    """
    project = project_here()
    if project is None:
        return observed_path(contract)
    files = {
        of_entry(project, entry) if entry.observed != "" else observed_path(contract)
        for entry in project.settings.servers.values()
        if (project.folder / entry.contract).resolve() == contract.resolve()
    }
    return files.pop() if len(files) == 1 else observed_path(contract)


def content(folder: Path, text: str, *, is_named: bool, hint: str = "") -> bytes | None:
    """Read an observed file. It may be missing unless it was named. Errors show it as ``text``."""
    try:
        return folder.read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not is_named:
            return None
        problem = f"the observed file cannot be read: {error.strerror}"
        raise UsageError(problem, text, hint) from None
