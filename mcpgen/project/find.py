"""Finds the pyproject.toml that is meant, and the servers in it that were asked for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.errors import McpgenError, UsageError
from mcpgen.files import toml
from mcpgen.jsontext import is_object
from mcpgen.project.model import Entry, Settings
from mcpgen.project.shard import Shard
from mcpgen.project.table import read_each

PYPROJECT = "pyproject.toml"
_FIRST = "mcpgen init writes a first one"


@dataclass(frozen=True, slots=True)
class Project:
    """A folder whose pyproject.toml has a table ``[tool.mcpgen]``.

    With a ``shard`` only the servers of that share are meant where servers are asked for.
    """

    file: Path
    settings: Settings
    shard: Shard | None = None

    @property
    def folder(self) -> Path:
        """The folder that every path in the table starts from."""
        return self.file.parent

    def entries(self, names: Sequence[str] = ()) -> list[Entry]:
        """Return the servers of these names, or all of them, save those whose table is broken."""
        servers = self.settings.servers
        return [servers[name] for name in self.names(names) if name in servers]

    def broken(self, names: Sequence[str] = ()) -> dict[str, McpgenError]:
        """Return what is wrong with the tables of these names, or of all of them."""
        broken = self.settings.broken
        return {name: broken[name] for name in self.names(names) if name in broken}

    def names(self, names: Sequence[str] = ()) -> list[str]:
        """Return these names of servers, or all; one that is in no table is refused.

        There may be none where only those of a shard are meant.
        """
        known = [*self.settings.servers, *self.settings.broken]
        for name in names:
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                listed = f"known are: {', '.join(known)}" if known else "it lists none"
                hint = f"did you mean {close[0]!r}?" if close else listed
                raise UsageError(f"there is no server named {name!r}", str(self.file), hint)
        if not known:
            raise UsageError("[tool.mcpgen] lists no servers", str(self.file), _FIRST)
        return [name for name in dict.fromkeys(names or known) if self.has(name)]

    def has(self, name: str) -> bool:
        """Say whether a server is meant, or another run's that works on another shard."""
        return self.shard is None or self.shard.has(name)

    def refuse_outside(self, entry: Entry, path: str, at: str) -> None:
        """Refuse to write outside of this folder, by whatever way, where no table allows it."""
        if entry.outside or self.holds(path):
            return
        hint = f"if that is meant, say so in [{entry.at}]: outside = true"
        raise UsageError(f"{path!r} lies outside of the project's folder", at, hint)

    def holds(self, path: str) -> bool:
        """Say whether a path leads to somewhere in this folder, whatever links are on the way."""
        return (self.folder / path).resolve().is_relative_to(self.folder.resolve())

    def shown(self, path: Path) -> str:
        """Return a path as a person in this folder would write it."""
        return path.relative_to(self.folder).as_posix() if _is_in(path, self) else str(path)


def _is_in(path: Path, project: Project) -> bool:
    return path.is_relative_to(project.folder)


def find_project(config: str | None = None, shard: Shard | None = None) -> Project:
    """Read the project's table: of this file or folder, or of the nearest one above that has it."""
    if config is not None:
        place = Path(config)
        file = place / PYPROJECT if place.is_dir() else place
        table = _table(file)
        if table is None:
            raise UsageError("the file has no table [tool.mcpgen]", str(file), _FIRST)
        return _project(file, table, shard)
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / PYPROJECT
        if file.is_file() and (table := _table(file)) is not None:
            return _project(file, table, shard)
        if (folder / ".git").exists():
            break
    raise UsageError(f"no {PYPROJECT} with a table [tool.mcpgen] is here", str(here), _FIRST)


def project_here() -> Project | None:
    """Return the project that is here, ``None`` where none is or its file cannot be read."""
    try:
        return find_project()
    except UsageError:
        return None


def _project(file: Path, table: Any, shard: Shard | None) -> Project:
    return Project(file.absolute(), read_each(table, file.name), shard)


def _table(file: Path) -> Any:
    tool = toml.parse_file(file).get("tool", {})
    return tool.get("mcpgen") if is_object(tool) else None
