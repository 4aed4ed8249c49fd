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
from mcpgen.errors import ContractError, McpgenError, UnreachableError, unforeseen
from mcpgen.recording import in_process, transport
from mcpgen.recording.build_contract import Recorded, build_contract
from mcpgen.recording.diagnose import explain, is_cancelled, is_closed, root_cause, timed_out
from mcpgen.recording.raw_answers import Answers
from mcpgen.recording.recording_transport import Transcript
from mcpgen.recording.session import Mode, ask


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """How to ask: in which era of the protocol, and for how many seconds at most."""

    era: Literal["auto", "legacy", "modern"] = "auto"
    timeout: float = 30.0


def record(target: Live, options: RecordOptions, stderr: TextIO) -> Recorded:
    """Ask a server for its contract; what it and its libraries print goes to ``stderr``.

    ``stderr`` is a file of the caller's own: what a first attempt printed is wiped from it.
    """
    ends = time.monotonic() + options.timeout
    with _quiet(stderr), _bounded(target, options.timeout):
        if isinstance(target, InProcess):
            with _environment(target.env):
                name, server = in_process.load(target)
                target = replace(target, name=name)
                answers = _Attempts(target, options, stderr, ends, server).answers()
        else:
            answers = _Attempts(target, options, stderr, ends).answers()
    if options.era == "modern" and "supportedVersions" not in answers.greeting:
        raise ContractError(
            f"the server speaks only an older revision: {answers.revision}",
            hint="record it with --era auto",
        )
    return build_contract(answers, target.origin())


@dataclass(slots=True)
class _Attempts:
    target: Live
    options: RecordOptions
    stderr: TextIO
    ends: float
    server: Any = None

    def answers(self) -> Answers:
        transcript = Transcript()
        try:
            return self._attempt(self._mode(), transcript)
        except Exception as error:
            if not self._is_worth_another(error, transcript):
                raise self._explained(error, transcript) from None
        self.stderr.seek(0)
        self.stderr.truncate()
        transcript = Transcript()
        try:
            return self._attempt("legacy", transcript)
        except Exception as error:
            raise self._explained(error, transcript) from None

    def _mode(self) -> Mode:
        # No revision with `server/discover` has the SSE transport.
        is_sse = isinstance(self.target, Http) and self.target.kind == "sse"
        return "legacy" if is_sse or self.options.era == "legacy" else "auto"

    def _is_worth_another(self, error: BaseException, transcript: Transcript) -> bool:
        # Some servers exit at a first message they do not know, so the older one is tried too.
        is_first = self.options.era == "auto" and isinstance(self.target, Stdio)
        return is_first and is_closed(error) and not transcript.answered and not transcript.junk

    def _explained(self, error: BaseException, transcript: Transcript) -> McpgenError:
        return explain(error, self.target, transcript, self.target.origin().secrets)

    def _attempt(self, mode: Mode, transcript: Transcript) -> Answers:
        try:
            answers: Answers | None = anyio.run(self._session, mode, transcript)
        except BaseException as error:
            cause = root_cause(error)
            # Before Python 3.11 an interruption only cancels.
            if isinstance(cause, KeyboardInterrupt) or is_cancelled(cause):
                raise KeyboardInterrupt from None
            # A server of this process may call `sys.exit`, which must not pass for our own.
            raise cause if isinstance(cause, Exception) else _ended(cause) from None
        # Of what is more than is waited for, the last part may still have come.
        if answers is None or transcript.too_much:
            raise timed_out(
                self.target, transcript, self.target.origin().secrets, self.options.timeout
            )
        return answers

    async def _session(self, mode: Mode, transcript: Transcript) -> Answers | None:
        with anyio.move_on_after(max(self.ends - time.monotonic(), 0)) as scope:
            transcript.give_up = scope.cancel
            return await ask(self._transport(transcript), transcript, mode)
        return None

    def _transport(self, transcript: Transcript) -> AbstractAsyncContextManager[Any]:
        match self.target:
            case Stdio():
                return transport.stdio(self.target, transcript, self.stderr)
            case Http():
                return transport.http(self.target, transcript)
            case InProcess():
                return transport.memory(self.server, transcript)
            case _:
                raise unforeseen(self.target)


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
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
