"""Runs a server as a child process, with the standard library only."""

from __future__ import annotations

import atexit
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from subprocess import Popen

# On Windows, the SDK's job objects end all processes of a server; the standard library can't.
IS_USED = sys.platform != "win32"
"""Whether mcpgen starts commands itself. Otherwise the SDK does."""
GRACE = 2.0
"""Seconds to exit after stdin is closed, and again after a request to terminate."""
LONGEST_LINE = 64 * 2**20
"""Maximum size of a message in bytes."""

_POLL = 0.002
_WAKE = 0.2
"""Seconds between checks of a thread for listeners."""
_CHUNK = 65_536
_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
if sys.platform == "win32":
    _ENDING: tuple[int, ...] = ()
else:
    _ENDING = (signal.SIGTERM, signal.SIGKILL)


class TooLongError(Exception):
    """A line exceeds the maximum length of a message."""

    def __init__(self) -> None:
        super().__init__(f"it sent a message of more than {LONGEST_LINE >> 20} MiB")


@dataclass(eq=False, slots=True)
class Child:
    """A child process with line-based communication over stdin and stdout.

    ``ahead`` was sent at the start, before a response was expected. Two threads serve the pipes, so
    that no wait exceeds its limit.
    """

    process: Popen[bytes]
    ahead: bytes = b""
    is_left: bool = False
    outgoing: queue.SimpleQueue[bytes | None] = field(
        default_factory=queue.SimpleQueue["bytes | None"]
    )
    incoming: queue.Queue[list[bytes] | None] = field(
        default_factory=lambda: queue.Queue[list[bytes] | None](1)
    )
    lines: list[bytes] = field(default_factory=list[bytes])
    is_closed: bool = False
    is_too_long: bool = False

    def send(self, line: bytes) -> None:
        """Send a line, unless it was sent ahead."""
        if line == self.ahead:
            self.ahead = b""
            return
        self.outgoing.put(line)

    def receive(self, until: float) -> bytes | None:
        """Return the next line, or None at the end.

        ``until`` is a time of :func:`time.monotonic`.

        Raises:
            TimeoutError: No line arrived in time.
        """
        while not self.lines:
            if self.is_closed:
                if self.is_too_long:
                    raise TooLongError
                return None
            remaining = until - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            with suppress(queue.Empty):
                batch = self.incoming.get(timeout=remaining)
                self.is_closed = batch is None
                self.lines = (batch or [])[::-1]
        return self.lines.pop()

    def leave(self) -> None:
        """Close stdin without waiting. Further output is read and dropped."""
        self.is_left = True
        self.outgoing.put(None)

    def end(self, grace: float = 0.0) -> None:
        """End the process and its group. It has ``grace`` seconds to end by itself."""
        self.leave()
        try:
            self._end(grace)
        except BaseException:
            for number in _ENDING[-1:]:
                _signal_group(self.process, number)
            raise
        finally:
            with suppress(ValueError):
                _STARTED.remove(self)

    def _end(self, grace: float) -> None:
        ends = time.monotonic() + grace
        while time.monotonic() < ends and self.process.poll() is None:
            time.sleep(_POLL)
        for number in _ENDING:
            if not _signal_group(self.process, number) or _group_ends(self.process):
                break
        self.process.poll()

    def write_all(self) -> None:
        """Write queued lines until stdin is closed at either end. Runs in a thread."""
        stdin: Any = self.process.stdin
        with suppress(OSError, ValueError):
            while (line := self.outgoing.get()) is not None:
                stdin.write(line)
                stdin.flush()
        with suppress(OSError, ValueError):
            stdin.close()
        self._pass_on(None)  # otherwise the caller would wait for a response that can't come

    def read_all(self) -> None:
        """Queue each line. After the process was left, drop its output. Runs in a thread."""
        stdout: Any = self.process.stdout
        rest: list[bytes] = []
        length = 0
        with suppress(OSError, ValueError), stdout:
            while chunk := stdout.read1(_CHUNK):
                if self.is_left:
                    rest = []
                    continue
                *lines, last = chunk.split(b"\n")
                if lines:
                    lines[0] = b"".join([*rest, lines[0]])
                    rest, length = [], 0
                    self._pass_on(lines)
                rest.append(last)
                length += len(last)
                if length > LONGEST_LINE:
                    self.is_too_long = True
                    self._pass_on(None)
                    self.is_left = True
        self._pass_on(None)

    def _pass_on(self, lines: list[bytes] | None) -> None:
        while not self.is_left:
            with suppress(queue.Full):
                self.incoming.put(lines, timeout=_WAKE)
                return


def start(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    stderr: TextIO,
    ahead: bytes = b"",
) -> Child:
    """Start a command in its own process group, with the variables that the SDK passes on.

    ``ahead`` is sent immediately. Earlier leftover processes are ended.
    """
    from subprocess import PIPE, Popen

    from mcpgen_runtime.redaction.credentials import CREDENTIALS

    end_left()
    CREDENTIALS.add_given(env.values())
    CREDENTIALS.add_command(argv)
    process = Popen(  # noqa: S603 - the command that was asked for, and shown
        list(argv),
        env=environment() | python_path(argv) | dict(env),
        cwd=cwd,
        stdin=PIPE,
        stdout=PIPE,
        stderr=stderr,
        start_new_session=True,
    )
    child = Child(process, ahead)
    _STARTED.append(child)
    if ahead:
        child.outgoing.put(ahead)
    for run in (child.read_all, child.write_all):
        threading.Thread(target=run, daemon=True).start()
    return child


def environment() -> dict[str, str]:
    """Return the environment variables that a command inherits."""
    values = {name: os.environ.get(name) for name in _INHERITED}
    # Shells export functions as variables, which are code.
    return {k: v for k, v in values.items() if v is not None and not v.startswith("()")}


def python_path(argv: Sequence[str]) -> dict[str, str]:
    """Return the variables that let another Python process find the same packages."""
    if argv[0] != sys.executable:
        return {}
    return {
        name: os.environ[name] for name in ("PYTHONPATH", "PYTHONUSERBASE") if name in os.environ
    }


_STARTED: list[Child] = []
"""Started processes that are still running."""
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_STARTED.clear)  # a fork must not end them


@atexit.register
def end_all() -> None:
    """End all started processes."""
    for child in [*_STARTED]:
        child.end()


def end_left(grace: float = 0.0) -> None:
    """End leftover processes."""
    for child in [item for item in _STARTED if item.is_left]:
        child.end(grace)


def _group_ends(process: Popen[bytes]) -> bool:
    ends = time.monotonic() + GRACE
    while _signal_group(process, 0):
        if time.monotonic() >= ends:
            return False
        process.poll()  # which reaps it
        time.sleep(_POLL)
    return True


def _signal_group(process: Popen[bytes], number: int) -> bool:
    """Send a signal to the group. Returns False if it doesn't exist."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(process.pid, number)  # a new session's group has its leader's number
    except ProcessLookupError:
        return False
    except PermissionError:  # some processes have exited or belong to another user
        return number == 0 and process.poll() is None
    return True
