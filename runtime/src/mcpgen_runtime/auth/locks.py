"""A file lock across processes, which the system releases when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio

if sys.platform != "win32":
    import fcntl

PATIENCE = 30.0
"""Seconds to wait for another process that refreshes a login."""

_INTERVAL = 0.02


class StillHeld(Exception):
    """The lock was held by another process for the whole time."""


@asynccontextmanager
async def hold_lock(path: Path, patience: float = PATIENCE) -> AsyncGenerator[None]:
    """Hold the lock of a file, across processes and tasks.

    Raises:
        StillHeld: ``patience`` seconds passed.
    """
    end = time.monotonic() + patience
    with _open_file(path) as descriptor:
        while not _take(descriptor):
            if time.monotonic() > end:
                raise StillHeld
            await anyio.sleep(_INTERVAL)
        with _until_released(descriptor):
            yield


@contextmanager
def held_here(path: Path, patience: float = PATIENCE) -> Generator[None]:
    """Hold the lock of a file from code that is not async."""
    end = time.monotonic() + patience
    with _open_file(path) as descriptor:
        while not _take(descriptor):
            if time.monotonic() > end:
                raise StillHeld
            time.sleep(_INTERVAL)
        with _until_released(descriptor):
            yield


@contextmanager
def _open_file(path: Path) -> Generator[int]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    no_link = getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | no_link, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _until_released(descriptor: int) -> Generator[None]:
    # Closing isn't enough: a forked process also holds the file open.
    try:
        yield
    finally:
        _release(descriptor)


if sys.platform == "win32":

    def _take(descriptor: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a network file system without locks: better than no login
            return True
        return True

    def _release(descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError:
            return
