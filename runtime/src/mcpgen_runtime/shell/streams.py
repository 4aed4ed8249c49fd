"""Standard streams that never fail on an encoding, and report a failed write."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable

OUTPUT_FAILED = 7
"""The exit code if stdout can't be written because it is closed or its disk is full."""


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
        if is_in_github_job():
            vars(stream)["write"] = _CommandGuard(stream.write)


def is_in_github_job() -> bool:
    """Return True if the output is read by a GitHub runner."""
    return bool(os.environ.get("GITHUB_ACTIONS"))


def write_commands(text: str) -> None:
    """Write our own workflow commands to stdout. Others are escaped."""
    guard = sys.stdout.write
    (guard.plain if isinstance(guard, _CommandGuard) else guard)(text)


def without_commands(text: str) -> str:
    """Escape everything in a text that a GitHub runner would execute.

    The runner executes ``::name::`` at the start of a line, after blanks, and ``##[name]``
    anywhere. The escapes are JSON's, so that a JSON document keeps its meaning.
    """
    text = text.replace("##[", "\\u0023#[")
    for end in ("\n", "\r"):
        text = end.join(map(_without_command, text.split(end)))
    return text


def _without_command(line: str) -> str:
    if not line.lstrip().startswith("::"):
        return line
    return line.replace("::", "\\u003a:", 1)


class _CommandGuard:
    """Removes commands from a stream, even if a line is written in pieces."""

    def __init__(self, plain: Callable[[str], int]) -> None:
        self.plain = plain
        self._start = ""  # the relevant start of the current line

    def __call__(self, text: str) -> int:
        safe = without_commands(self._start + text)
        self.plain(safe[len(self._start) :])
        last = (self._start + text).replace("\r", "\n").rpartition("\n")[2]
        self._start = last if last.strip() in ("", ":") else "x"
        return len(text)


_FAILURES = {errno.EBADF, errno.ENOSPC, errno.EIO, errno.EFBIG}


def is_failure(error: OSError) -> bool:
    """Return True if writing to stdout or stderr failed, not to a file or a connection."""
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
