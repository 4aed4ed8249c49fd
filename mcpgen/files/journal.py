"""Several folders take their places, or none does: what a killed run began, the next one ends.

Each folder is swapped in one step, and they are many. So before the first step a journal names all
of them, in what one of them keeps beside its place; each of the others says where that is.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from mcpgen.files.swap import OLD, TREE, Staged, beside, inode, stage

_AN_HOUR = 3600
_JOURNAL = "journal.json"
_POINTER = "journal"


def swap(staged: Sequence[Staged]) -> None:
    """Let all folders take their places; when one cannot, those that could give theirs back."""
    journal = _begun(staged) if len(staged) > 1 else None
    try:
        for each in staged:
            each.commit()
    except BaseException:
        is_undone = [_is_undone(each) for each in reversed(staged)]
        # Else the journal stays, and with it all that it names.
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
    """Remove what is left of a swap, unless the next run needs it."""
    is_lost = (staged.container / OLD).is_dir() and not staged.place.exists()
    if _journal(staged.container) is None and not is_lost:
        staged.discard()


def _begun(staged: Sequence[Staged]) -> Path:
    """Write the journal: from here on, a run that is killed is one that will be completed."""
    journal = staged[0].container.resolve() / _JOURNAL
    for each in staged:
        (each.container / _POINTER).write_text(str(journal), encoding="utf-8")
    swaps = [
        {**asdict(e), "container": str(e.container.resolve()), "place": str(e.place.resolve())}
        for e in staged
    ]
    unready = journal.with_suffix(".part")
    unready.write_text(json.dumps(swaps), encoding="utf-8")
    unready.replace(journal)
    return journal


def _journal(container: Path) -> Path | None:
    """Return the journal that names what lies in this folder, if its swap was begun."""
    try:
        journal = Path((container / _POINTER).read_text(encoding="utf-8"))
        return journal if journal.is_file() else None
    except (OSError, ValueError):
        return None


def _read(journal: Path) -> list[Staged]:
    """Read a journal; only what points back at it is believed, and stays in its folder."""
    try:
        swaps: Any = json.loads(journal.read_bytes())
        listed = [_staged(**each) for each in swaps]
        return [each for each in listed if _is_sound(each, journal)]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _staged(*, container: str, place: str, **rest: Any) -> Staged:
    return Staged(Path(container), Path(place), **rest)


def _is_sound(staged: Staged, journal: Path) -> bool:
    paths = map(PurePosixPath, (*staged.changed, *staged.stale))
    is_inside = not any(path.is_absolute() or ".." in path.parts for path in paths)
    is_beside = staged.container in beside(staged.place)
    return is_inside and is_beside and _journal(staged.container) == journal


def _is_pending(staged: Staged) -> bool:
    """Say whether a folder has yet to take its place, and nobody else has taken it."""
    at, tree = inode(staged.place), inode(staged.container / TREE)
    if at is None and (staged.container / OLD).is_dir():
        return tree == staged.new
    return at == staged.old and tree == staged.new


def unfinished(place: Path) -> bool:
    """Say whether this folder, or one that belongs with it, was not reached by a run's swaps."""
    journals = {journal for each in beside(place) if (journal := _journal(each))}
    return any(_is_pending(staged) for journal in journals for staged in _read(journal))


def concerned(places: Iterable[Path]) -> list[Path]:
    """Return these folders, and those that a killed run was to swap with them."""
    concerned = dict.fromkeys(places)
    for place in [*concerned]:
        for journal in filter(None, map(_journal, beside(place))):
            concerned |= dict.fromkeys(staged.place for staged in _read(journal))
    return [*concerned]


def recover(place: Path, *, is_alone: bool) -> None:
    """Complete what a killed run began at a folder, and clear away what it left beside it.

    Unless it is sure that no other run is at work, what is younger than an hour is left alone.
    """
    for container in beside(place):
        if not is_alone and _age(container) < _AN_HOUR:
            continue
        journal = _journal(container)
        if journal is not None:
            _complete(journal)
        _put_back(container, place)
        shutil.rmtree(container, ignore_errors=True)


def _complete(journal: Path) -> None:
    """Swap what a journal names and its run did not come to.

    It is staged anew: other files in these folders may have been edited since.
    """
    for old in _read(journal):
        if not _is_pending(old):
            continue
        _put_back(old.container, old.place)
        texts = {path: (old.container / TREE / path).read_bytes().decode() for path in old.changed}
        new = stage(old.place, texts, old.stale)
        try:
            new.commit()
        finally:
            new.discard()
    journal.unlink()


def _put_back(container: Path, place: Path) -> None:
    """Put back a folder that was on its way out when its run was killed."""
    old = container / OLD
    if old.is_dir() and not place.exists():
        old.rename(place)


def _age(container: Path) -> float:
    try:
        return time.time() - container.stat().st_mtime
    except FileNotFoundError:
        return 0.0
