"""Puts a folder in the place of another in one step, so that a reader sees the old or the new one.

The new folder is made beside the old one: what does not change is linked into it, so nothing is
copied. :mod:`mcpgen.files.journal` swaps several folders, and looks after what a killed run left.
"""

from __future__ import annotations

import errno
import glob
import os
import shutil
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from mcpgen.errors import UsageError
from mcpgen.files.exchange import exchange
from mcpgen.files.locks import locked

MARK = ".mcpgen-"
"""Stands in the name of every file and folder that is there only while we write."""

TREE = "tree"
OLD = "old"
_KEPT = "kept"
_GONE = "gone"


def refuse_links(folder: Path, path: str) -> None:
    """Refuse a path below a folder that leads through a link, or is one: it may lead anywhere.

    The folder itself may be a link, and so may those above it: where it is, its owner chose.
    """
    place = folder
    for part in PurePosixPath(path).parts:
        place = place / part
        if place.is_symlink():
            hint = "remove the link; the whole folder may be one, nothing in it may"
            raise UsageError("a link stands where a file is to be written", str(place), hint)


@dataclass(frozen=True, slots=True)
class Staged:
    """A folder that is ready to take the place of another.

    ``old`` and ``new`` are the inodes of the folder that stands at the place, if one does, and of
    the one that shall: whichever step a run was ended at, they tell what has happened.
    """

    container: Path
    place: Path
    changed: Collection[str]
    stale: Collection[str]
    old: int | None
    new: int

    def commit(self) -> None:
        """Take the place; on a file system that cannot do it at once, file by file."""
        tree = self.container / TREE
        try:
            if not self.place.exists():
                tree.rename(self.place)
            elif not exchange(tree, self.place):
                self._in_two_steps(tree)
        except OSError as error:
            # A mount point, or a folder in a lower layer of a container's file system.
            if error.errno not in (errno.EXDEV, errno.EBUSY):
                raise
            self._by_file(tree)

    def _in_two_steps(self, tree: Path) -> None:
        old = self.container / OLD
        self.place.rename(old)
        try:
            tree.rename(self.place)
        except BaseException:
            old.rename(self.place)
            raise

    def _by_file(self, tree: Path) -> None:
        kept = self.container / _KEPT
        for path in (*self.changed, *self.stale):
            refuse_links(self.place, path)
            if (self.place / path).exists():
                _copy(self.place / path, kept / path)
        for path in self.changed:
            _copy(tree / path, self.place / path)
        for path in self.stale:
            (self.place / path).unlink(missing_ok=True)

    def undo(self) -> None:
        """Put back what stood here before, whatever part of a commit was done."""
        tree, old, kept = (self.container / name for name in (TREE, OLD, _KEPT))
        if inode(self.place) == self.new:
            if self.old is None or old.is_dir():
                self.place.rename(tree)
            else:
                exchange(tree, self.place)
        if old.is_dir() and not self.place.exists():
            old.rename(self.place)
        if kept.is_dir():
            self._put_back(kept)

    def _put_back(self, kept: Path) -> None:
        for path in (*self.changed, *self.stale):
            refuse_links(self.place, path)
            if (kept / path).exists():
                _copy(kept / path, self.place / path)
            else:
                (self.place / path).unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what is left: the old folder after a commit, the new one without."""
        shutil.rmtree(self.container, ignore_errors=True)


def remove(place: Path) -> None:
    """Remove a folder so that a reader sees all of it or nothing."""
    try:
        with locked([place.parent]):
            container = _container(place)
            place.rename(container / _GONE)
            shutil.rmtree(container)
    except OSError as error:
        reason = f"cannot remove the folder: {error.strerror}"
        raise UsageError(reason, str(error.filename or place)) from None


def clear(place: Path) -> None:
    """Complete what a run began that was killed while it removed a folder."""
    for container in beside(place):
        if (container / _GONE).is_dir():
            shutil.rmtree(container, ignore_errors=True)


def _container(place: Path) -> Path:
    """Make the folder beside a place that holds what is on its way in or out."""
    container = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}{MARK}"))
    try:
        (container / ".gitignore").write_text("*\n")
    except BaseException:  # such as a full disk
        shutil.rmtree(container, ignore_errors=True)
        raise
    return container


@cache
def new_file_mode() -> int:
    """Return the permissions of a new file by this user's umask."""
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask


def beside(place: Path) -> list[Path]:
    """Return what runs that were killed, or are still at work, keep beside a folder."""
    containers = place.parent.glob(f".{glob.escape(place.name)}{MARK}*")
    return sorted(each for each in containers if not each.is_symlink())


def inode(place: Path) -> int | None:
    """Return what tells a folder from every other, ``None`` where there is none."""
    try:
        return place.stat().st_ino
    except FileNotFoundError:
        return None


def _copy(source: Path, target: Path) -> None:
    """Replace a file at once, also one on another file system."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=MARK)
    os.close(descriptor)
    try:
        shutil.copyfile(source, name)
        shutil.copymode(source, name)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def stage(place: Path, changed: Mapping[str, str], stale: Collection[str]) -> Staged:
    """Make the folder that shall stand at ``place``, with all that is there and stays."""
    container = _container(place)
    try:
        tree = container / TREE
        tree.mkdir()
        if place.is_dir():
            _link(place, tree, {place / path for path in (*changed, *stale)})
            shutil.copymode(place, tree)
        for path, text in changed.items():
            # Looked at here too: nobody else writes into this folder, so it stays true.
            refuse_links(tree, path)
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
            target.chmod(new_file_mode())
        new = tree.stat().st_ino
    except BaseException:
        shutil.rmtree(container, ignore_errors=True)
        raise
    return Staged(container, place, tuple(changed), tuple(stale), inode(place), new)


def _link(old: Path, new: Path, without: Collection[Path]) -> None:
    """Link the files of a folder into another one, save some, and what Python compiled of them."""
    for here, folders, files in os.walk(old):
        folders[:] = [name for name in folders if name != "__pycache__"]
        there = new / Path(here).relative_to(old)
        for name in [*folders, *files]:
            source, target = Path(here, name), there / name
            if source in without:
                continue
            if source.is_symlink():
                there.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source.readlink())
            elif name in files:
                there.mkdir(parents=True, exist_ok=True)
                _link_file(source, target)
            elif not any(source.iterdir()):
                target.mkdir(parents=True)


def _link_file(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, target)
