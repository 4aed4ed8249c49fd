"""Standard streams that never fail on an encoding, and report a failed write."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

OUTPUT_FAILED = 7
"""The exit code when stdout can't be written: it is closed, or its disk is full."""


def prepare() -> None:
    """Escape what stdout and stderr can't encode, and replace closed streams.

    A closed stdout becomes a stream on which every write raises ``OSError``. A closed
    stderr becomes one that discards its text.
    """
    if sys.stdout is None:
        _reserve(1, os.O_RDONLY)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        _reserve(2, os.O_WRONLY)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        _escape_unencodable(stream)


_FAILURES = {errno.EBADF, errno.ENOSPC, errno.EIO, errno.EFBIG}


def is_failure(error: OSError) -> bool:
    """Return True if writing to a stream failed, not to a file or a connection."""
    return error.filename is None and error.errno in _FAILURES


def failure(error: OSError) -> str:
    """Return the message for output that couldn't be written."""
    return f"cannot write to stdout: {error.strerror or type(error).__name__}"


def discard_rest() -> None:
    """Drop what stdout still buffers, so that Python doesn't fail on it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escape_unencodable(stream: object) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:  # a test or a notebook may have put anything here
        reconfigure(errors="backslashreplace")


def _reserve(descriptor: int, flags: int) -> None:
    """Open the null device as this descriptor, so that no file takes its number."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
