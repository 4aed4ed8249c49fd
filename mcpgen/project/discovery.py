"""Finds pyproject.toml, and the requested servers in it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.errors import McpgenError, UsageError
from mcpgen.files import toml
from mcpgen.jsontext import is_object
from mcpgen.project.configuration.model import Entry, Settings
from mcpgen.project.configuration.table import read_each
from mcpgen.project.shard import Shard

PYPROJECT = "pyproject.toml"
_FIRST = "mcpgen init writes a first one"


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a table ``[tool.mcpgen]`` in pyproject.toml.

    With a ``shard``, only its share of the servers is selected.
    """

    file: Path
    settings: Settings
    shard: Shard | None = None

    @property
    def folder(self) -> Path:
        """The base folder of every path in the table."""
        return self.file.parent

    def entries(self, names: Sequence[str] = ()) -> list[Entry]:
        """Return the servers with these names, or all, except those with a broken table."""
        servers = self.settings.servers
        return [servers[name] for name in self.names(names) if name in servers]

    def broken(self, names: Sequence[str] = ()) -> dict[str, McpgenError]:
        """Return the errors of tables with these names, or of all."""
        broken = self.settings.broken
        return {name: broken[name] for name in self.names(names) if name in broken}

    def names(self, names: Sequence[str] = ()) -> list[str]:
        """Return these names, or all. Raises ``UsageError`` for unknown names.

        A shard may have none of them.
        """
        server_names = [*self.settings.servers, *self.settings.broken]
        for name in names:
            if name not in server_names:
                close = difflib.get_close_matches(name, server_names, 1)
                listed = (
                    f"known are: {', '.join(server_names)}" if server_names else "it lists none"
                )
                hint = f"did you mean {close[0]!r}?" if close else listed
                raise UsageError(f"there is no server named {name!r}", str(self.file), hint)
        if not server_names:
            raise UsageError("[tool.mcpgen] lists no servers", str(self.file), _FIRST)
        return [name for name in dict.fromkeys(names or server_names) if self.has(name)]

    def has(self, name: str) -> bool:
        """Return True if a server belongs to this shard."""
        return self.shard is None or self.shard.has(name)

    def refuse_outside(self, entry: Entry, path: str, at: str) -> None:
        """Reject output outside of this folder, unless the table allows it."""
        if entry.outside or self.holds(path):
            return
        hint = f"if this is intended, set it in [{entry.table_name}]: outside = true"
        raise UsageError(f"{path!r} lies outside of the project's folder", at, hint)

    def holds(self, path: str) -> bool:
        """Return True if a path is inside of this folder after resolving symlinks."""
        return (self.folder / path).resolve().is_relative_to(self.folder.resolve())

    def display_path(self, path: Path) -> str:
        """Return a path as a user in this folder would write it."""
        return path.relative_to(self.folder).as_posix() if _is_in(path, self) else str(path)


def _is_in(path: Path, project: Project) -> bool:
    return path.is_relative_to(project.folder)


def find_project(config: str | None = None, shard: Shard | None = None) -> Project:
    """Read the project of a file or folder, or the nearest one above the current folder."""
    if config is not None:
        path = Path(config)
        file = path / PYPROJECT if path.is_dir() else path
        table = _table(file)
        if table is None:
            raise UsageError("the file has no table [tool.mcpgen]", str(file), _FIRST)
        return _project(file, table, shard)
    current = Path.cwd()
    for folder in (current, *current.parents):
        file = folder / PYPROJECT
        if file.is_file() and (table := _table(file)) is not None:
            return _project(file, table, shard)
        if (folder / ".git").exists():
            break
    raise UsageError(f"no {PYPROJECT} with a table [tool.mcpgen] is here", str(current), _FIRST)


def project_here() -> Project | None:
    """Return the project of the current folder, or None if there is none or it can't be read."""
    try:
        return find_project()
    except UsageError:
        return None


def _project(file: Path, table: Any, shard: Shard | None) -> Project:
    return Project(file.absolute(), read_each(table, file.name), shard)


def _table(file: Path) -> Any:
    tool = toml.parse_file(file).get("tool", {})
    return tool.get("mcpgen") if is_object(tool) else None
