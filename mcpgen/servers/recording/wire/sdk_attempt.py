"""Records a server with the SDK, which supports every transport but loads slowly."""

from __future__ import annotations

import contextlib
import logging
import math
import time
import warnings
from collections.abc import Collection, Generator
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TextIO

import anyio
from mcp import MCPError
from mcpgen_runtime.connection.wire.faults import Broken

from mcpgen.errors import UnreachableError, unforeseen
from mcpgen.servers.endpoint import Http, InProcess, Stdio
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.recording.follow_up import RequestPlan
from mcpgen.servers.recording.raw_responses import Answers, Mode
from mcpgen.servers.recording.wire import recording_transport
from mcpgen.servers.recording.wire.session import answer_of, ask
from mcpgen.servers.recording.wire.transcript import Transcript


def attempt(  # noqa: PLR0913 - what all attempts get, and the server of this process
    target: Live,
    mode: Mode,
    transcript: Transcript,
    *,
    ends: float,
    stderr: TextIO,
    server: Any = None,
    capabilities: Collection[str] | None = None,
    request_plan: RequestPlan | None = None,
) -> Answers | None:
    """List everything a server offers. Returns None if it doesn't respond in time."""

    def open_transport() -> AbstractAsyncContextManager[Any]:
        match target:
            case Stdio():
                return recording_transport.stdio(target, transcript, stderr)
            case Http():
                return recording_transport.http(target, transcript)
            case InProcess():
                return recording_transport.memory(server, transcript)
            case _:
                raise unforeseen(target)

    async def session() -> Answers | None:
        with anyio.move_on_after(max(ends - time.monotonic(), 0)) as scope:
            transcript.give_up = scope.cancel
            transcript.mirrors_headers = request_plan is not None
            transcript.pause = partial(_pause, scope)
            return await ask(open_transport(), transcript, mode, capabilities, request_plan)
        return None

    try:
        answers: Answers | None = anyio.run(session)
    except BaseException as error:
        cause = root_cause(error)
        # Before Python 3.11 an interruption only cancels.
        if isinstance(cause, KeyboardInterrupt) or _is_cancelled(cause):
            raise KeyboardInterrupt from None
        if isinstance(cause, MCPError):
            raise answer_of(cause) from None
        # A server in this process may call `sys.exit`, which must not end mcpgen.
        raise cause if isinstance(cause, Exception) else _ended_error(cause) from None
    return answers


@contextlib.contextmanager
def _pause(scope: anyio.CancelScope) -> Generator[None]:
    """Stop the time of a scope while the user answers."""
    remaining = scope.deadline - anyio.current_time()
    scope.deadline = math.inf
    try:
        yield
    finally:
        scope.deadline = anyio.current_time() + remaining


def root_cause(error: BaseException) -> BaseException:
    """Return the cause of an exception: inside the SDK's exception groups, or of a fault."""
    if isinstance(error, MCPError) and isinstance(error.data, Broken) and error.data.cause:
        return error.data.cause
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    if not inner:
        return error
    return root_cause(
        next(
            (base_exception for base_exception in inner if not _is_cancelled(base_exception)),
            inner[0],
        )
    )


def _is_cancelled(error: BaseException) -> bool:
    """Return True if the event loop is stopping."""
    return type(error).__name__ in ("CancelledError", "Cancelled")


def _ended_error(error: BaseException) -> UnreachableError:
    return UnreachableError(f"the server ended with {type(error).__name__}")


_LOGGERS = ("client", "mcp.client", "mcp.shared", "httpx2", "httpcore2", "asyncio", "anyio")


@contextlib.contextmanager
def quiet(stderr: TextIO) -> Generator[None]:
    """Silence libraries, and redirect output of a server in this process."""
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
