"""Replaces a folder in one step, so readers see either the old or the new one.

The new folder is created next to the old one, with links to unchanged files.
:mod:`mcpgen.files.journal` swaps several folders and cleans up after killed runs.
"""

from __future__ import annotations

import errno
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from mcpgen.errors import UsageError
from mcpgen.files.locks import lock_folders

_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)


def exchange(folder: Path, other: Path) -> bool:
    """Exchange two folders. Return False if the system or the file system can't."""
    try:
        code = _call(os.fsencode(folder), os.fsencode(other))
    except AttributeError:  # a C library without the call
        return False
    if code is None or code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(other))
    return True


def _call(first: bytes, other: bytes) -> int | None:
    """Return the error number of the system call, or None if the system has none."""
    import ctypes  # only a folder that exists needs it

    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.renameat2(_CURRENT_FOLDER, first, _CURRENT_FOLDER, other, _EXCHANGE)
        return ctypes.get_errno() if failed else 0
    if sys.platform == "darwin":
        libc = ctypes.CDLL(None, use_errno=True)
        return ctypes.get_errno() if libc.renamex_np(first, other, _EXCHANGE) else 0
    return None


MARK = ".mcpgen-"
"""Part of the name of every temporary file and folder."""

TREE = "tree"
OLD = "old"
_KEPT = "kept"
_GONE = "gone"


def refuse_links(folder: Path, path: str) -> None:
    """Reject a path below a folder that is a symlink or contains one: it may lead anywhere.

    The folder itself and its parents may be symlinks, because their owner chose the location.
    """
    target = folder
    for part in PurePosixPath(path).parts:
        target = target / part
        if target.is_symlink():
            hint = "remove the link; the whole folder may be one, nothing in it may"
            raise UsageError("a symbolic link is in place of the file to write", str(target), hint)


@dataclass(frozen=True, slots=True)
class Staged:
    """A complete folder, ready to replace the current folder.

    ``old`` and ``new`` are inodes: of the current folder, if any, and of its replacement. They show
    which step a killed run reached.
    """

    container: Path
    location: Path
    changed: Collection[str]
    stale: Collection[str]
    old: int | None
    new: int

    def commit(self) -> None:
        """Put the folder into place, file by file if the file system can't do it in one step."""
        tree = self.container / TREE
        try:
            if not self.location.exists():
                tree.rename(self.location)
            elif not exchange(tree, self.location):
                self._in_two_steps(tree)
        except OSError as error:
            # A mount point, or a folder in a lower layer of a container's file system.
            if error.errno not in (errno.EXDEV, errno.EBUSY):
                raise
            self._by_file(tree)

    def _in_two_steps(self, tree: Path) -> None:
        old = self.container / OLD
        self.location.rename(old)
        try:
            tree.rename(self.location)
        except BaseException:
            old.rename(self.location)
            raise

    def _by_file(self, tree: Path) -> None:
        kept_folder = self.container / _KEPT
        for path in (*self.changed, *self.stale):
            refuse_links(self.location, path)
            if (self.location / path).exists():
                _copy(self.location / path, kept_folder / path)
        for path in self.changed:
            _copy(tree / path, self.location / path)
        for path in self.stale:
            (self.location / path).unlink(missing_ok=True)

    def undo(self) -> None:
        """Restore the previous folder, whichever step of a commit was reached."""
        tree, old, path = (self.container / name for name in (TREE, OLD, _KEPT))
        if inode(self.location) == self.new:
            if self.old is None or old.is_dir():
                self.location.rename(tree)
            else:
                exchange(tree, self.location)
        if old.is_dir() and not self.location.exists():
            old.rename(self.location)
        if path.is_dir():
            self._put_back(path)

    def _put_back(self, kept_folder: Path) -> None:
        for path in (*self.changed, *self.stale):
            refuse_links(self.location, path)
            if (kept_folder / path).exists():
                _copy(kept_folder / path, self.location / path)
            else:
                (self.location / path).unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the remains: the old folder after a commit, otherwise the new one."""
        shutil.rmtree(self.container, ignore_errors=True)


def remove(folder: Path) -> None:
    """Remove a folder so that a reader sees all of it or nothing."""
    try:
        with lock_folders([folder.parent]):
            container = _container(folder)
            folder.rename(container / _GONE)
            shutil.rmtree(container)
    except OSError as error:
        reason = f"cannot remove the folder: {error.strerror}"
        raise UsageError(reason, str(error.filename or folder)) from None


def clear(folder: Path) -> None:
    """Complete the removal of a folder that a killed run began."""
    for container in containers_of(folder):
        if (container / _GONE).is_dir():
            shutil.rmtree(container, ignore_errors=True)


def _container(folder: Path) -> Path:
    """Create the container for the folders of one swap, next to a folder."""
    container = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}{MARK}"))
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


def containers_of(folder: Path) -> list[Path]:
    """Return the containers of running and killed runs next to a folder."""
    containers = folder.parent.glob(f".{glob.escape(folder.name)}{MARK}*")
    return sorted(container for container in containers if not container.is_symlink())


def inode(folder: Path) -> int | None:
    """Return the inode of a folder, or None if it doesn't exist."""
    try:
        return folder.stat().st_ino
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


def stage(folder: Path, changed: Mapping[str, str], stale: Collection[str]) -> Staged:
    """Create the replacement of a folder, with all files that stay."""
    container = _container(folder)
    try:
        tree = container / TREE
        tree.mkdir()
        if folder.is_dir():
            _link(folder, tree, {folder / path for path in (*changed, *stale)})
            shutil.copymode(folder, tree)
        # Checked here too: no other process writes into this folder, so the result stays valid.
        for parent in {os.path.dirname(path) for path in changed}:  # noqa: PTH120 - not a path yet
            refuse_links(tree, parent)
            (tree / parent).mkdir(parents=True, exist_ok=True)
        for path, text in changed.items():
            _create(tree, path, text.encode())
        new = tree.stat().st_ino
    except BaseException:
        shutil.rmtree(container, ignore_errors=True)
        raise
    return Staged(container, folder, tuple(changed), tuple(stale), inode(folder), new)


def _create(tree: Path, path: str, content: bytes) -> None:
    """Write a file into a folder that has no such file, not even as a link."""
    try:
        with open(f"{tree}/{path}", "xb") as file:  # noqa: PTH123 - called for each tool
            file.write(content)
    except FileExistsError:
        refuse_links(tree, path)
        raise


def _link(old: Path, new: Path, without: Collection[Path]) -> None:
    """Link the files of a folder into another one, except some files and ``__pycache__``."""
    for parent, folders, files in os.walk(old):
        folders[:] = [name for name in folders if name != "__pycache__"]
        path = new / Path(parent).relative_to(old)
        for name in [*folders, *files]:
            source, target = Path(parent, name), path / name
            if source in without:
                continue
            if source.is_symlink():
                path.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source.readlink())
            elif name in files:
                path.mkdir(parents=True, exist_ok=True)
                _link_file(source, target)
            elif not any(source.iterdir()):
                target.mkdir(parents=True)


def _link_file(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, target)
