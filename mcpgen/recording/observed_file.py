"""Finds the observed file of a server as the command line names it: beside its contract."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcpgen.errors import UsageError
from mcpgen.observation import document
from mcpgen.recording.arguments import ServerArguments


@dataclass(frozen=True, slots=True)
class ObservedFile:
    """What an observed file holds, and where it is, for messages."""

    where: str
    content: bytes


def beside(arguments: ServerArguments, named: str = "") -> ObservedFile | None:
    """Read the observed file that was named, or is beside the contract; ``None`` if none is."""
    if named:
        return _read(Path(named), named)
    server = arguments.server
    if not server or arguments.command or "://" in server:
        return None
    file = Path(server)
    if file.suffix:
        return _read(document.beside(file)) if file.is_file() else None
    # Not needed where a file is named.
    from mcpgen.recording.project_servers import project_entry

    found = project_entry(server)
    if found is None or not found[1].observed_file:
        return None
    project, entry = found
    return _read(project.folder / entry.observed_file, entry.observed)


def _read(place: Path, named: str | bool = "") -> ObservedFile | None:
    """Read a file; one that nobody named need not be there."""
    try:
        return ObservedFile(place.as_posix(), place.read_bytes())
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not named:
            return None
        problem = f"the observed file cannot be read: {error.strerror}"
        raise UsageError(problem, place.as_posix()) from None
