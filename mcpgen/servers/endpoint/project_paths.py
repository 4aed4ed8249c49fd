"""Converts paths for a contract: inside of the project, relative to the command's start folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from mcpgen.servers.endpoint.sensitivity import is_words


@dataclass(frozen=True, slots=True)
class ProjectPaths:
    """The project's folder, and the start folder of a command."""

    project: Path
    start: Path

    @classmethod
    def from_start(cls, cwd: str | None) -> ProjectPaths:
        """Return the paths of a command that starts in ``cwd``, or in the current folder."""
        path = Path.cwd()
        start = Path(os.path.normpath(path / (cwd or ".")))
        # A configuration file above this folder marks its project.
        return cls(start if path.is_relative_to(start) else path, start)

    def relative(self, path: str, *, must_exist: bool = False) -> str | None:
        """Return a path in the project relative to the start folder, or None.

        With ``must_exist``, the path must exist, because the text doesn't look like a path.
        """
        if "\0" in path or path.startswith("~") or (PureWindowsPath(path).drive and os.sep == "/"):
            return None
        full = Path(os.path.normpath(self.start / path))
        is_relative = not Path(path).is_absolute()
        inner = _inner(full, self.project)
        if inner is None and is_relative:
            inner = _inner(full, self.start)
        if inner is None or not (_exists(full) or (not must_exist and _are_words(inner))):
            return None
        start = _inner(self.start, self.project)
        if is_relative or start is None:
            return path if is_relative else None
        return Path(os.path.relpath(inner, start)).as_posix()

    def cwd(self) -> str | None:
        """Return the start folder relative to the project's folder, or None if not below it."""
        inner = _inner(self.start, self.project)
        return inner if inner is None or _exists(self.start) or _are_words(inner) else None


def _inner(path: Path, folder: Path) -> str | None:
    """Return a path relative to an enclosing folder, even through symlinks, or None."""
    for base, start in ((path, folder), (path.resolve(), folder.resolve())):
        if base.is_relative_to(start):
            return base.relative_to(start).as_posix()
    return None


def _are_words(path: str) -> bool:
    return all(map(is_words, Path(path).parts))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
