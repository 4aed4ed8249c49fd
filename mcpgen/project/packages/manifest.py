"""Records the generated folders in one file, so that leftover ones can be found."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mcpgen.files import locks, swap, write
from mcpgen.jsontext import is_object
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project
from mcpgen.project.packages.build import Build, folders

FILE = "mcp/generated.json"
_MEMBERS = {"server", "kind", "sha256"}
_KEEP = f"delete it, or its entry in {FILE} if you keep it"


@dataclass(frozen=True, slots=True)
class GeneratedFolder:
    """A generated folder: its table and key in pyproject.toml, and the hash of its files."""

    server: str
    kind: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Leftover:
    """A folder that no table generates any longer. ``kept_reason`` is why it stays, or ""."""

    folder: str
    server: str
    count: int
    kept_reason: str = ""

    @property
    def hint(self) -> str:
        """The hint for the user."""
        return _KEEP if self.kept_reason else "mcpgen generate removes it"


def read(project: Project) -> dict[str, GeneratedFolder]:
    """Read the record. An invalid file has no entries."""
    try:
        document: Any = json.loads((project.folder / FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    listed: Any = document.get("folders") if is_object(document) else None
    return {
        folder: GeneratedFolder(**value)
        for folder, value in (listed.items() if is_object(listed) else ())
        if is_object(value) and value.keys() == _MEMBERS and _are_texts(value) and _is_inner(folder)
    }


def _are_texts(item: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) for value in item.values())


def _is_inner(folder: str) -> bool:
    path = PurePosixPath(folder)
    return bool(path.parts) and not path.is_absolute() and "\\" not in folder


def leftovers(project: Project, names: Sequence[str] = ()) -> list[Leftover]:
    """Return existing folders that no table generates any longer, for these servers or all."""
    current = _current(project)
    return [
        _leftover(project, folder, generated_folder, current)
        for folder, generated_folder in read(project).items()
        if folder not in current
        # An invalid table has unknown outputs.
        and generated_folder.server not in project.settings.broken
        and (not names or generated_folder.server in names)
        and project.has(generated_folder.server)
        and (project.folder / folder).is_dir()
    ]


def _current(project: Project) -> set[str]:
    """Return the folders that the tables currently generate."""
    return {folder for entry in project.settings.servers.values() for folder in folders(entry)}


def _leftover(project: Project, folder: str, item: GeneratedFolder, current: set[str]) -> Leftover:
    path = project.folder / folder
    hashes = dict(_hashes(path))
    kept_reason = ""
    if item.kind != "client":
        kept_reason = "a server with your code needs it"
    elif not _is_plainly_inside(project, folder):
        kept_reason = "the folder is outside of the project, or behind a symlink"
    elif any(other.startswith(f"{folder}/") for other in current):
        kept_reason = "the folder contains another package"
    elif _digest(hashes) != item.sha256:
        kept_reason = "the file contains entries that mcpgen didn't write"
    return Leftover(folder, item.server, len(hashes), kept_reason)


def _is_plainly_inside(project: Project, folder: str) -> bool:
    root = project.folder.resolve()
    return (project.folder / folder).resolve() == root / folder


def remove_leftovers(project: Project, names: Sequence[str] = ()) -> list[Leftover]:
    """Remove leftover folders that haven't been edited. Returns all leftover folders."""
    for folder in read(project):
        if not (project.folder / folder).exists():
            swap.clear(project.folder / folder)
    removable = leftovers(project, names)
    for leftover in removable:
        if not leftover.kept_reason:
            swap.remove(project.folder / leftover.folder)
    return removable


def record(project: Project, builds: Sequence[tuple[Entry, Build]]) -> None:
    """Record the written folders, and earlier ones that still exist."""
    path = project.folder / FILE
    if _present(path) == _text(project, builds) or not project.holds(FILE):
        return
    with contextlib.suppress(OSError):  # reported when the file is written
        path.parent.mkdir(parents=True, exist_ok=True)
    is_there = path.parent.is_dir()
    with locks.lock_folders([path.parent] if is_there else []):
        # Read again: another run, such as one of another shard, may have added to it.
        write.replace(path, _text(project, builds))


def _present(folder: Path) -> bytes | None:
    return folder.read_bytes() if folder.is_file() else None


def _text(project: Project, builds: Sequence[tuple[Entry, Build]]) -> bytes:
    current = _current(project)
    by_folder = {
        folder: generated_folder
        for folder, generated_folder in read(project).items()
        if folder in current or (project.folder / folder).is_dir()
    }
    for entry, build in builds:
        kinds = folders(entry)
        for tree in build.trees:
            if _is_inner(tree.folder):
                hashes = {
                    path: _code_hash(path, text.encode()) for path, text in tree.files.items()
                }
                by_folder[tree.folder] = GeneratedFolder(
                    entry.name, kinds[tree.folder], _digest(hashes)
                )
    document = {
        "folders": {
            folder: asdict(generated_folder) for folder, generated_folder in by_folder.items()
        }
    }
    return f"{json.dumps(document, indent=2, sort_keys=True)}\n".encode()


def _hashes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the path and hash of each file outside `__pycache__`. Symlinks aren't followed."""
    for parent, inner, names in os.walk(folder):
        linked = [name for name in inner if Path(parent, name).is_symlink()]
        inner[:] = [name for name in inner if name != "__pycache__"]
        for name in [*names, *linked]:
            file = Path(parent, name)
            content = b"link" if file.is_symlink() else write.unix_lines(file.read_bytes())
            path = file.relative_to(folder).as_posix()
            yield path, _code_hash(path, content)


def _code_hash(path: str, content: bytes) -> str:
    """Return the hash of a generated file. It doesn't depend on the version of mcpgen."""
    if not path.endswith(".py"):
        return _hash(content)
    text = content.decode("utf-8", "surrogateescape")
    return _hash(write.without_version(path, text).encode("utf-8", "surrogateescape"))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(hashes: Mapping[str, str]) -> str:
    lines = (f"{path}\0{digest}\n" for path, digest in sorted(hashes.items()))
    return _hash("".join(lines).encode("utf-8", "surrogateescape"))
