"""Keeps two runs of mcpgen from writing into one folder at the same time."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from mcpgen.errors import UsageError

if sys.platform != "win32":
    import fcntl

PATIENCE = 60.0
"""Seconds that a run waits for another that writes to the same folder."""

LOCK_FILE = ".mcpgen-lock"
"""The file to lock if the system can't lock the folder itself."""

_INTERVAL = 0.02


@contextlib.contextmanager
def lock_folders(folders: Iterable[Path]) -> Generator[bool]:
    """Lock folders against other runs of mcpgen until the process ends.

    Yields False if a lock isn't reliable, as on some network file systems. Each swap is atomic
    without locks, too.
    """
    lock = lock_by_file if sys.platform == "win32" else lock_folder
    with contextlib.ExitStack() as stack:
        # In one order, so that two runs never wait for each other.
        locks = [lock(folder, stack) for folder in sorted({folder.resolve() for folder in folders})]
        yield all(locks)


def lock_folder(folder: Path, stack: contextlib.ExitStack) -> bool:
    """Lock the folder itself. This leaves no file behind, and needs no write permission."""
    descriptor = os.open(folder, os.O_RDONLY)
    stack.callback(os.close, descriptor)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            _flock(descriptor)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                raise _busy(folder) from None
            time.sleep(_INTERVAL)
        except OSError:
            return False


def _flock(descriptor: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_by_file(folder: Path, stack: contextlib.ExitStack) -> bool:
    """Lock a file in the folder: Windows cannot lock a folder, and removes the file on release."""
    import filelock

    try:
        lock: Any = filelock.FileLock(folder / LOCK_FILE, timeout=PATIENCE)
        stack.enter_context(lock.acquire(poll_interval=_INTERVAL))
    except filelock.Timeout:
        raise _busy(folder) from None
    except (OSError, NotImplementedError):
        return False
    return True


def _busy(folder: Path) -> UsageError:
    hint = "wait until it is done, or end it"
    return UsageError("another mcpgen is writing here", str(folder), hint)
