"""The terminal of this process: output on stderr and input from stdin.

Text of a server is shown with unprintable characters escaped and a mark before each line,
so that it can't imitate output of this program.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress

from ..display import on_one_line
from ..threads import LOOK, wait_for_thread

_MARK = "  | "
_MOST = 4096
"""The maximum number of bytes that a terminal returns for a line."""


def is_there() -> bool:
    """Return True if a user can be asked."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # missing or closed
        return False


def show(*lines: str) -> None:
    """Show lines of this program's own."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def quote(text: str) -> str:
    """Mark each line of text from elsewhere."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(f"{_MARK}{on_one_line(line)}" for line in lines)


async def read(prompt: str) -> str | None:
    """Read a line, or return None at the end of the input."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return await wait_for_thread(_lines.next())


@asynccontextmanager
async def turn() -> AsyncGenerator[None]:
    """Wait until no other question is open, in any event loop."""
    import anyio

    while not _asking.acquire(blocking=False):
        await anyio.sleep(LOOK)
    try:
        _forget_what_is_typed()
        yield
    finally:
        _asking.release()


_asking = threading.Lock()


def _forget_what_is_typed() -> None:
    """Discard earlier input, so that it can't answer the next question."""
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios

        with suppress(OSError, ValueError, termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


class _Lines:
    """Reads lines of input only on demand.

    A thread that reads can't be interrupted, so the next reader may get the line of a
    cancelled one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_reading = False
        self._next: Future[str | None] = Future()

    def next(self) -> Future[str | None]:
        with self._lock:
            self._next = Future()
            if not self._is_reading:
                self._is_reading = True
                name = "mcp-terminal"
                threading.Thread(target=self._read, name=name, daemon=True).start()
            return self._next

    def _read(self) -> None:
        while self._is_reading:
            line = _read_typed_line(self._is_waited_for)
            with self._lock:
                # A reader may have arrived after the last one was cancelled.
                self._is_reading = line is _UNREAD and self._is_waited_for()
                if line is not _UNREAD and self._next.set_running_or_notify_cancel():
                    self._next.set_result(line)

    def _is_waited_for(self) -> bool:
        return not self._next.cancelled()


_UNREAD = "\0"
"""Placeholder for a line without a waiting reader."""
_lines = _Lines()


def _read_typed_line(is_waited_for: Callable[[], bool]) -> str | None:
    """Read a line past ``sys.stdin``, whose lock must not be held at the exit."""
    received = b""
    try:
        number = sys.stdin.fileno()
        if sys.platform != "win32":
            import select

            is_typed = False
            while not is_typed:
                is_typed = bool(select.select([number], [], [], LOOK)[0])
                if not is_waited_for():  # later input belongs to the program
                    return _UNREAD
        with open(number, "rb", buffering=0, closefd=False) as terminal:
            while not received.endswith(b"\n"):
                piece = terminal.read(_MOST)
                if not piece and not received:
                    return None
                received += piece or b"\n"
    except (OSError, ValueError):  # missing or closed
        return None
    return received.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r\n")
