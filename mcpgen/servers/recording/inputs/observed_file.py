"""Reads the observed file of a server as the command line names it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcpgen.servers.recording.arguments import ServerArguments


@dataclass(frozen=True, slots=True)
class ObservedFile:
    """The content of an observed file, and its path for messages."""

    where: str
    content: bytes


def find(arguments: ServerArguments, named: str = "") -> ObservedFile | None:
    """Read the named observed file, or the contract's own, or return None."""
    if named:
        return _read(Path(named), is_named=True)
    server = arguments.server
    if not server or arguments.command or "://" in server:
        return None
    # Not needed if a file is given.
    from mcpgen.project import observed_file
    from mcpgen.servers.recording.project_servers import project_entry

    file = Path(server)
    if file.suffix:
        return _read(observed_file.of_contract(file)) if file.is_file() else None
    entry = project_entry(server)
    if entry is None:
        return None
    return _read(observed_file.of_entry(*entry), is_named=bool(entry[1].observed))


def _read(folder: Path | None, *, is_named: bool = False) -> ObservedFile | None:
    if folder is None:
        return None
    from mcpgen.project import observed_file

    content = observed_file.content(folder, folder.as_posix(), is_named=is_named)
    return None if content is None else ObservedFile(folder.as_posix(), content)
