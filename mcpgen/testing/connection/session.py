"""A session with a live server: sequential or concurrent requests, each with a time limit.

Every request returns an :class:`Answer`, and no process is left behind.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TextIO

from anyio.from_thread import BlockingPortal, start_blocking_portal

from mcpgen.errors import McpgenError, UnreachableError
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.servers.recording.wire.sdk_attempt import quiet, root_cause
from mcpgen.testing.answer import Answer
from mcpgen.testing.connection.raw_connection import RawConnection

_CLOSING_LIMIT = 15.0
_MAX_STDERR = 1 << 16


@dataclass(slots=True)
class Session:
    """A server session. The server starts with the first request, and again after it has exited.

    ``schemas`` are the input schemas of tools, some of whose arguments are sent as headers, too.
    """

    target: Stdio | Http
    revision: str
    log: TextIO
    schemas: dict[str, Json] = field(default_factory=dict[str, Json])
    starts: int = 0
    _read: int = 0
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _portal: BlockingPortal | None = None
    _connection: tuple[RawConnection, Future[None]] | None = None

    def __enter__(self) -> Session:
        """Start the thread that receives messages."""
        self._stack.enter_context(_silent(self.log))
        self._portal = self._stack.enter_context(start_blocking_portal())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the server and the thread."""
        self.close()
        # When interrupted, the thread closes a connection that is still being opened.
        self._stack.__exit__(kind, error, traceback)

    def ask(self, ask: FollowUpRequest, limit: float) -> Answer:
        """Send a request."""
        return self.ask_all((ask,), limit)[0]

    def ask_all(self, asks: Sequence[FollowUpRequest], limit: float) -> list[Answer]:
        """Send requests concurrently. Each one times out after the limit."""
        link = self._connect()
        answers = self._thread().call(link.answers, asks, limit)
        if link.is_closed:
            self.close()
        return answers

    def overheard(self) -> list[tuple[str, str]]:
        """Return the server's new log messages and stderr output."""
        texts = [("stderr", text)] if (text := self._stderr()) else []
        if self._connection is not None:
            texts += [("a log message", text) for text in self._connection[0].take_logged()]
        return texts

    def _stderr(self) -> str:
        if sys.platform == "win32":  # on Windows, all processes share one file position
            return ""
        try:
            data = os.pread(self.log.fileno(), _MAX_STDERR, self._read)
        except (OSError, ValueError, AttributeError):
            return ""
        self._read += len(data)
        return data.decode("utf-8", "replace")

    def memory(self) -> int:
        """Return the resident memory of the server in bytes, or 0 if unknown."""
        if sys.platform == "win32":
            return 0
        number = self._connection[0].process_id() if self._connection else None
        try:
            pages = int(Path(f"/proc/{number}/statm").read_text("ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    def handles(self) -> int:
        """Return the number of the server's open files and threads, or 0 if unknown."""
        number = self._connection[0].process_id() if self._connection else None
        try:
            folders = [Path(f"/proc/{number}/{name}") for name in ("fd", "task")]
            return sum(len([*folder.iterdir()]) for folder in folders)
        except OSError:
            return 0

    def ask_by(self, number: int | str, ask: FollowUpRequest, limit: float) -> Answer:
        """Send a request with an ID of a certain type."""
        link = self._connect()
        return self._thread().call(link.answer_by, number, ask, limit)

    def flaws(self) -> list[str]:
        """Return the violations of JSON-RPC in messages since the last call."""
        return self._connection[0].take_flaws() if self._connection else []

    def greeting(self) -> Json:
        """Return the result of the last handshake, once."""
        return self._connection[0].take_greeting() if self._connection else None

    def repeated_responses(self) -> list[str]:
        """Return the methods whose requests got two responses since the last call."""
        return self._connection[0].take_repeated() if self._connection else []

    @contextlib.contextmanager
    def new_process(self) -> Generator[None]:
        """Use a newly started server within the block, then the current one again."""
        present, self._connection = self._connection, None
        try:
            yield
        finally:
            self.close()
            self._connection = present

    def greeting_to(self, revision: str) -> Json:
        """Return the response of a new process to a handshake that offers a revision.

        Raises:
            UnreachableError: The server rejects the handshake.
        """
        with self.new_process():
            return self._connect(revision).take_greeting()

    def close(self) -> None:
        """Stop the server. The next request starts it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            link, task = connection
            self._thread().call(link.let_go)
            wait((task,), _CLOSING_LIMIT)
            task.cancel()  # which does nothing if it has ended

    def _connect(self, offered: str = "") -> RawConnection:
        if self._connection is None:
            self.starts += 1
            thread = self._thread()
            link = thread.call(
                RawConnection, self.target, self.revision, self.log, self.schemas, offered
            )
            try:
                task, _ = thread.start_task(link.hold)
            except Exception as error:  # any exception of an SDK transport
                raise self._unreachable(root_cause(error)) from None
            self._connection = link, task
        return self._connection[0]

    def _unreachable(self, error: BaseException) -> McpgenError:
        if isinstance(error, McpgenError):
            return error
        reason = self.target.origin().secrets.hide(str(error))
        return UnreachableError(
            f"the server can't be called again: {reason}", self.target.redacted_text()
        )

    def _thread(self) -> BlockingPortal:
        assert self._portal is not None  # it is within `with`
        return self._portal


@contextlib.contextmanager
def _silent(log: TextIO) -> Generator[None]:
    """Silence libraries, and keep stdout for mcpgen."""
    out, err = sys.stdout, sys.stderr
    with quiet(log), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield
