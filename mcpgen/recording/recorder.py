"""Records a live server: starts or connects, asks within one time limit, explains what failed."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import warnings
from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Literal, TextIO

import anyio

from mcpgen.endpoint import Http, InProcess, Stdio
from mcpgen.endpoint.target import Live
from mcpgen.errors import ContractError, McpgenError, UnreachableError
from mcpgen.recording import inprocess, transport
from mcpgen.recording.build_contract import Answers, Recorded, assemble
from mcpgen.recording.diagnose import explain, is_cancelled, is_closed, late, leaf
from mcpgen.recording.recording_transport import Heard
from mcpgen.recording.session import ask


@dataclass(frozen=True, slots=True)
class Manner:
    """How to ask: in which era of the protocol, and for how many seconds at most."""

    era: Literal["auto", "legacy", "modern"] = "auto"
    timeout: float = 30.0


def record(target: Live, manner: Manner, stderr: TextIO) -> Recorded:
    """Ask a server for its contract; what it and its libraries print goes to ``stderr``.

    ``stderr`` is a file of the caller's own: what a first attempt printed is wiped from it.
    """
    ends = time.monotonic() + manner.timeout
    with _quiet(stderr), _bounded(target, manner.timeout):
        if isinstance(target, InProcess):
            with _environment(target.env):
                name, server = inprocess.load(target)
                target = replace(target, name=name)
                answers = _Attempts(target, manner, stderr, ends, server).answers()
        else:
            answers = _Attempts(target, manner, stderr, ends).answers()
    if manner.era == "modern" and "supportedVersions" not in answers.greeting:
        raise ContractError(
            f"the server speaks only an older revision: {answers.revision}",
            hint="record it with --era auto",
        )
    return assemble(answers, target.origin())


@dataclass(slots=True)
class _Attempts:
    target: Live
    manner: Manner
    stderr: TextIO
    ends: float
    server: Any = None

    def answers(self) -> Answers:
        heard = Heard()
        try:
            return self._attempt(self._mode(), heard)
        except Exception as error:
            if not self._is_worth_another(error, heard):
                raise self._explained(error, heard) from None
        self.stderr.seek(0)
        self.stderr.truncate()
        heard = Heard()
        try:
            return self._attempt("legacy", heard)
        except Exception as error:
            raise self._explained(error, heard) from None

    def _mode(self) -> str:
        # No revision with `server/discover` has the SSE transport.
        is_sse = isinstance(self.target, Http) and self.target.kind == "sse"
        return "legacy" if is_sse or self.manner.era == "legacy" else "auto"

    def _is_worth_another(self, error: BaseException, heard: Heard) -> bool:
        # Some servers exit at a first message they do not know, so the older one is tried too.
        is_first = self.manner.era == "auto" and isinstance(self.target, Stdio)
        return is_first and is_closed(error) and not heard.answered and not heard.junk

    def _explained(self, error: BaseException, heard: Heard) -> McpgenError:
        return explain(error, self.target, heard, self.target.origin().secrets)

    def _attempt(self, mode: str, heard: Heard) -> Answers:
        try:
            answers: Answers | None = anyio.run(self._talk, mode, heard)
        except BaseException as error:
            cause = leaf(error)
            # Before Python 3.11 an interruption only cancels.
            if isinstance(cause, KeyboardInterrupt) or is_cancelled(cause):
                raise KeyboardInterrupt from None
            # A server of this process may call `sys.exit`, which must not pass for our own.
            raise cause if isinstance(cause, Exception) else _ended(cause) from None
        # Of what is more than is waited for, the last part may still have come.
        if answers is None or heard.too_much:
            raise late(self.target, heard, self.target.origin().secrets, self.manner.timeout)
        return answers

    async def _talk(self, mode: str, heard: Heard) -> Answers | None:
        with anyio.move_on_after(max(self.ends - time.monotonic(), 0)) as scope:
            heard.give_up = scope.cancel
            return await ask(self._transport(heard), heard, mode)
        return None

    def _transport(self, heard: Heard) -> AbstractAsyncContextManager[Any]:
        if isinstance(self.target, Stdio):
            return transport.stdio(self.target, heard, self.stderr)
        if isinstance(self.target, Http):
            return transport.http(self.target, heard)
        return transport.memory(self.server, heard)


def _ended(error: BaseException) -> UnreachableError:
    return UnreachableError(f"the server ended with {type(error).__name__}")


_LOGGERS = ("client", "mcp.client", "mcp.shared", "httpx2", "httpcore2", "asyncio", "anyio")


@contextlib.contextmanager
def _quiet(stderr: TextIO) -> Generator[None]:
    """Keep our own output clean: the libraries say nothing, a server of this process elsewhere."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(stderr))
        stack.enter_context(contextlib.redirect_stderr(stderr))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(logging.CRITICAL + 1)
            stack.callback(logger.setLevel, level)
        yield


@contextlib.contextmanager
def _bounded(target: Live, timeout: float) -> Generator[None]:
    """End the whole process when code in it never gives way, because nothing milder stops it."""
    # Stopping a child that ignores signals takes the SDK some seconds, and always ends.
    grace = 1.0 if isinstance(target, InProcess) else 10.0
    hint = "a server that runs when it is imported belongs under: if __name__ == '__main__'"
    error = UnreachableError(
        f"no answer within {timeout:g} seconds",
        target.redacted(),
        hint if isinstance(target, InProcess) else "give it longer with --timeout",
    )

    def end() -> None:
        os.write(2, f"{error}\n".encode("utf-8", "backslashreplace"))
        os._exit(error.exit)

    timer = threading.Timer(timeout + grace, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _environment(given: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
