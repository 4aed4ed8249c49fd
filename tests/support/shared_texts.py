"""Texts and folders that take long to generate. In each run, one worker does it for all."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_folders: list[Path] = []


def share_texts_in(folder: Path) -> None:
    """Set the folder that all workers of this run share."""
    _folders[:] = [folder]


def shared_folder() -> Path:
    """Return the folder that all workers of this run share."""
    return _folders[0]


def shared_text(name: str, generate: Callable[[], str]) -> str:
    """Return a text from the shared folder. The first worker that needs it generates it."""
    if not _folders:
        return generate()
    path = _folders[0] / f"shared-{name}"
    with locked(path):
        if not path.exists():
            path.write_text(generate(), encoding="utf-8")
        return path.read_text(encoding="utf-8")


def shared_tree(name: str, fill: Callable[[Path], object]) -> Path:
    """Return a folder below the shared one. The first worker that needs it fills it."""
    folder = shared_folder() / name
    marker = folder.with_suffix(".done")
    with locked(marker):
        if not marker.exists():
            folder.mkdir(exist_ok=True)
            fill(folder)
            marker.touch()
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file or folder against the other processes that run tests."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
