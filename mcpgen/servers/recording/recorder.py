"""Records a live server within a time limit, and explains failures."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TextIO, TypeAlias

from mcpgen.errors import ContractError, McpgenError, UnreachableError
from mcpgen.servers.endpoint import Http, InProcess, Stdio
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.recording.build_contract import Recorded, build_contract
from mcpgen.servers.recording.diagnose import explain, is_closed, timed_out
from mcpgen.servers.recording.follow_up import RequestPlan
from mcpgen.servers.recording.raw_responses import Answers, Mode
from mcpgen.servers.recording.wire import lister, server_process
from mcpgen.servers.recording.wire.server_process import Child
from mcpgen.servers.recording.wire.stored_login import register_credentials
from mcpgen.servers.recording.wire.transcript import Transcript


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """Options of a recording: protocol era, and time limit in seconds.

    ``capabilities`` replaces the declared client capabilities. ``request_plan`` has further
    requests.
    """

    era: Literal["auto", "legacy", "modern"] = "auto"
    timeout: float = 30.0
    capabilities: frozenset[str] | None = None
    request_plan: RequestPlan | None = None


def record(
    target: Live, options: RecordOptions, stderr: TextIO, started: Child | None = None
) -> Recorded:
    """Record a server. Output of the server and its libraries goes to ``stderr``.

    The caller owns that file. Output of a failed attempt is erased. A command may already have been
    started with that file. If capabilities are given, the server is recorded again without each of
    them, to find the tools that need it.
    """
    register_credentials(target)
    recorded = _record(target, options, stderr, started)
    needs: dict[str, list[str]] = {}
    for capability in sorted(options.capabilities or ()) if options.request_plan is None else ():
        unsupported = (options.capabilities or frozenset()) - {capability}
        fewer = _record(target, replace(options, capabilities=unsupported), stderr)
        for tool in recorded.contract.tools.keys() - fewer.contract.tools.keys():
            needs.setdefault(tool, []).append(capability)
    if not needs:
        return recorded
    return replace(recorded, contract=replace(recorded.contract, tool_capabilities=needs))


def _record(
    target: Live,
    options: RecordOptions,
    stderr: TextIO,
    started: Child | None = None,
) -> Recorded:
    has_person = options.request_plan is not None and options.request_plan.person is not None
    # A user may take any time. Without a user, nothing here exceeds the time limit.
    with contextlib.nullcontext() if has_person else _with_time_limit(target, options.timeout):
        if isinstance(target, Stdio) and server_process.IS_USED:
            answers = _by_ourselves(target, options, stderr, started)
        else:
            target, answers = _by_the_sdk(target, options, stderr)
    if options.era == "modern" and "supportedVersions" not in answers.greeting:
        raise ContractError(
            f"the server speaks only an older revision: {answers.revision}",
            hint="record it with --era auto",
        )
    # Tokens may have been renewed meanwhile, so all are read again.
    return build_contract(answers, target.origin(), register_credentials(target))


def _by_ourselves(
    target: Stdio, options: RecordOptions, stderr: TextIO, started: Child | None
) -> Answers:
    ends = time.monotonic() + options.timeout
    waiting = [started] if started else []

    def attempt(mode: Mode, transcript: Transcript) -> Answers | None:
        process = waiting.pop() if waiting else None
        return lister.attempt(
            target,
            mode,
            transcript,
            ends=ends,
            stderr=stderr,
            started=process,
            capabilities=options.capabilities,
            request_plan=options.request_plan,
        )

    return _Attempts(target, options, stderr, attempt, ends).answers()


def _by_the_sdk(target: Live, options: RecordOptions, stderr: TextIO) -> tuple[Live, Answers]:
    """Return the responses, and the target with the server's name, which loading may determine."""
    ends = time.monotonic() + options.timeout  # loading it counts
    from mcpgen.servers.recording import in_process
    from mcpgen.servers.recording.wire import sdk_attempt

    with contextlib.ExitStack() as stack:
        stack.enter_context(sdk_attempt.quiet(stderr))
        server = None
        if isinstance(target, InProcess):
            stack.enter_context(_environment(target.env))
            name, server = in_process.load(target)
            target = replace(target, name=name)

        def attempt(mode: Mode, transcript: Transcript) -> Answers | None:
            return sdk_attempt.attempt(
                target,
                mode,
                transcript,
                ends=ends,
                stderr=stderr,
                server=server,
                capabilities=options.capabilities,
                request_plan=options.request_plan,
            )

        return target, _Attempts(target, options, stderr, attempt, ends).answers()


_Attempt: TypeAlias = Callable[[Mode, Transcript], Answers | None]


@dataclass(slots=True)
class _Attempts:
    """Attempts to record a server within one time limit, each with its own transcript."""

    target: Live
    options: RecordOptions
    stderr: TextIO
    attempt: _Attempt
    ends: float

    def answers(self) -> Answers:
        transcript = Transcript()
        try:
            return self._attempt(self._mode(), transcript)
        except Exception as error:
            if not self._is_worth_another(error, transcript):
                raise self._explain(error, transcript) from None
        self.stderr.seek(0)
        self.stderr.truncate()
        transcript = Transcript()
        try:
            return self._attempt("legacy", transcript)
        except Exception as error:
            raise self._explain(error, transcript) from None

    def _mode(self) -> Mode:
        # No revision with `server/discover` has the SSE transport.
        is_sse = isinstance(self.target, Http) and self.target.kind == "sse"
        return "legacy" if is_sse or self.options.era == "legacy" else "auto"

    def _is_worth_another(self, error: BaseException, transcript: Transcript) -> bool:
        # Some servers exit at an unknown first message, so the legacy one is tried, too.
        is_first = self.options.era == "auto" and isinstance(self.target, Stdio)
        return is_first and is_closed(error) and not transcript.answered and not transcript.junk

    def _explain(self, error: BaseException, transcript: Transcript) -> McpgenError:
        return explain(error, self.target, transcript, self.target.origin().secrets)

    def _attempt(self, mode: Mode, transcript: Transcript) -> Answers:
        answers = self.attempt(mode, transcript)
        # If a response is too large, its last part may still have arrived.
        if answers is None or transcript.too_much:
            raise timed_out(
                self.target, transcript, self.target.origin().secrets, self.options.timeout
            )
        return answers


@contextlib.contextmanager
def _with_time_limit(target: Live, timeout: float) -> Generator[None]:
    """End the process if its code never yields, because nothing else would stop it."""
    # Stopping a child that ignores signals takes the SDK some seconds, and always ends.
    grace = 1.0 if isinstance(target, InProcess) else 10.0
    hint = "a server that runs when it is imported belongs under: if __name__ == '__main__'"
    error = UnreachableError(
        f"no response within {timeout:g} seconds",
        target.redacted_text(),
        hint if isinstance(target, InProcess) else "raise the limit with --timeout",
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
