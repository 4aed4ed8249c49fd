"""Several processes of a server that accept connections on one socket."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_SOCKET = "MCPGEN_WORKER_SOCKET"
_PARENT = "MCPGEN_WORKER_PARENT"
_POLL = 0.1
_FAST = 2.0
_MOST_FAILURES = 5


def inherited_socket() -> socket.socket | None:
    """Return the socket of a worker, or None in any other process.

    A worker drains when its parent ends, even if the parent was killed.
    """
    number, parent = os.environ.pop(_SOCKET, ""), os.environ.pop(_PARENT, "")
    if not number:
        return None
    watcher = threading.Thread(target=_end_with_parent, args=(int(parent),), daemon=True)
    watcher.start()
    return socket.socket(fileno=int(number))


def _end_with_parent(pipe: int) -> None:
    os.read(pipe, 1)  # returns when the parent's end is closed
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass
class Supervisor:
    """Starts and stops the workers, and replaces a worker that has ended.

    Attributes:
        count: The number of workers.
        listening: The socket that they share.
    """

    count: int
    listening: socket.socket
    _workers: dict[subprocess.Popen[bytes], float] = field(
        default_factory=dict["subprocess.Popen[bytes]", float]
    )
    _signals: list[int] = field(default_factory=list[int])

    def run(self) -> int:
        """Run the workers until they are stopped, and return the exit code."""
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)
        reading, self._writing = os.pipe()
        self._inherited = (self.listening.fileno(), reading)
        failures, forwarded = 0, 0
        for _ in range(self.count):
            self._start()
        while self._workers:
            for number in self._signals[forwarded:]:
                forwarded += 1
                self._forward(number)
            for worker in [worker for worker in self._workers if worker.poll() is not None]:
                lived = time.monotonic() - self._workers.pop(worker)
                if self._signals:
                    continue
                failures = failures + 1 if lived < _FAST else 0
                if worker.returncode == _USAGE or failures >= _MOST_FAILURES:
                    self._signals.append(signal.SIGTERM)
                    self._forward(signal.SIGTERM)
                    forwarded += 1
                    code = worker.returncode or 1
                    self._wait()
                    return code
                self._start()
            time.sleep(_POLL)
        return 130 if signal.SIGINT in self._signals else 0

    def _start(self) -> None:
        number, reading = self._inherited
        environment = {**os.environ, _SOCKET: str(number), _PARENT: str(reading)}
        worker = subprocess.Popen(  # noqa: S603 - the command of this process
            [sys.executable, *sys.orig_argv[1:]],
            env=environment,
            pass_fds=self._inherited,
            # Otherwise Ctrl-C would reach the workers twice, and end them at once.
            start_new_session=True,
        )
        self._workers[worker] = time.monotonic()

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._signals.append(number)

    def _forward(self, number: int) -> None:
        for worker in self._workers:
            worker.send_signal(number)

    def _wait(self) -> None:
        for worker in self._workers:
            worker.wait()


_USAGE = 2
