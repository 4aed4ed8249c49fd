"""Swaps several folders together, and completes the swaps of a killed run.

Each folder is swapped in one step. Before the first step, a journal lists all of them. It is stored
next to one of the folders; the others have a pointer to it.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from mcpgen.files.swap import OLD, TREE, Staged, containers_of, inode, stage

_AN_HOUR = 3600
_JOURNAL = "journal.json"
_POINTER = "journal"


def swap(staged: Sequence[Staged]) -> None:
    """Put all folders into place, or none if one of them fails."""
    journal = _begin(staged) if len(staged) > 1 else None
    try:
        for item in staged:
            item.commit()
    except BaseException:
        is_undone = [_is_undone(entry) for entry in reversed(staged)]
        # Otherwise, the journal stays, along with the files it lists.
        if journal is not None and all(is_undone):
            journal.unlink()
        raise
    if journal is not None:
        journal.unlink()


def _is_undone(staged: Staged) -> bool:
    try:
        staged.undo()
    except OSError:
        return False
    return True


def discard(staged: Staged) -> None:
    """Remove the remains of a swap, unless the next run needs them."""
    is_lost = (staged.container / OLD).is_dir() and not staged.location.exists()
    if _journal(staged.container) is None and not is_lost:
        staged.discard()


def _begin(staged: Sequence[Staged]) -> Path:
    """Write the journal. From now on, the next run completes the swaps of a killed one."""
    journal = staged[0].container.resolve() / _JOURNAL
    for item in staged:
        (item.container / _POINTER).write_text(str(journal), encoding="utf-8")
    swaps = [_to_json(item) for item in staged]
    unready = journal.with_suffix(".part")
    unready.write_text(json.dumps(swaps), encoding="utf-8")
    unready.replace(journal)
    return journal


def _journal(container: Path) -> Path | None:
    """Return the journal of the swap that a folder belongs to, if the swap has begun."""
    try:
        journal = Path((container / _POINTER).read_text(encoding="utf-8"))
        return journal if journal.is_file() else None
    except (OSError, ValueError):
        return None


def _read(journal: Path) -> list[Staged]:
    """Parse a journal. Folders that don't point back at it, or were moved, are ignored."""
    try:
        swaps: Any = json.loads(journal.read_bytes())
        listed = [_parse_staged(**item) for item in swaps]
        return [staged for staged in listed if _is_sound(staged, journal)]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _to_json(staged: Staged) -> dict[str, Any]:
    fields = asdict(staged)
    fields["place"] = str(fields.pop("location").resolve())
    return {**fields, "container": str(staged.container.resolve())}


def _parse_staged(*, container: str, place: str, **rest: Any) -> Staged:
    return Staged(Path(container), Path(place), **rest)


def _is_sound(staged: Staged, journal: Path) -> bool:
    paths = map(PurePosixPath, (*staged.changed, *staged.stale))
    is_inside = not any(path.is_absolute() or ".." in path.parts for path in paths)
    is_beside = staged.container in containers_of(staged.location)
    return is_inside and is_beside and _journal(staged.container) == journal


def _is_pending(staged: Staged) -> bool:
    """Return True if a folder hasn't been swapped or replaced by another program."""
    at, tree = inode(staged.location), inode(staged.container / TREE)
    if at is None and (staged.container / OLD).is_dir():
        return tree == staged.new
    return at == staged.old and tree == staged.new


def is_unfinished(folder: Path) -> bool:
    """Return True if a killed run didn't swap this folder or one of the same swap."""
    journals = {journal for path in containers_of(folder) if (journal := _journal(path))}
    return any(_is_pending(staged) for journal in journals for staged in _read(journal))


def with_related(paths: Iterable[Path]) -> list[Path]:
    """Return these folders, and the folders that a killed run was swapping with them."""
    concerned = dict.fromkeys(paths)
    for path in [*concerned]:
        for journal in filter(None, map(_journal, containers_of(path))):
            concerned |= dict.fromkeys(staged.location for staged in _read(journal))
    return [*concerned]


def recover(folder: Path, *, is_alone: bool) -> None:
    """Complete the swap of a killed run, and remove its remains.

    If other runs may be active, remains younger than an hour stay.
    """
    for container in containers_of(folder):
        if not is_alone and _age(container) < _AN_HOUR:
            continue
        journal = _journal(container)
        if journal is not None:
            _complete(journal)
        _put_back(container, folder)
        shutil.rmtree(container, ignore_errors=True)


def _complete(journal: Path) -> None:
    """Complete the swaps that a journal lists.

    The folders are staged again, because other files in them may have changed since.
    """
    for old in _read(journal):
        if not _is_pending(old):
            continue
        _put_back(old.container, old.location)
        texts = {path: (old.container / TREE / path).read_bytes().decode() for path in old.changed}
        new = stage(old.location, texts, old.stale)
        try:
            new.commit()
        finally:
            new.discard()
    journal.unlink()


def _put_back(container: Path, folder: Path) -> None:
    """Put back a folder that was on its way out when its run was killed."""
    old = container / OLD
    if old.is_dir() and not folder.exists():
        old.rename(folder)


def _age(container: Path) -> float:
    try:
        return time.time() - container.stat().st_mtime
    except FileNotFoundError:
        return 0.0
