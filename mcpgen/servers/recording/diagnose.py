"""Diagnoses a failed session: one line, a hint, and an exit code."""

from __future__ import annotations

import builtins
import sys
from dataclasses import dataclass

from mcpgen_runtime.auth.login_errors import LoginError
from mcpgen_runtime.display import brief

from mcpgen.errors import (
    ContractError,
    McpgenError,
    UnreachableError,
)
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.login.problems import problem
from mcpgen.servers.recording.raw_responses import ErrorAnswer
from mcpgen.servers.recording.wire.transcript import Transcript


def is_closed(error: BaseException) -> bool:
    """Return True if the server exited before its response."""
    return isinstance(error, ErrorAnswer) and error.message == "Connection closed"


def explain(
    error: BaseException, target: Live, transcript: Transcript, secrets: Secrets
) -> McpgenError:
    """Convert an exception to an error for the user who named this target."""
    if isinstance(error, McpgenError):
        return error
    if isinstance(error, LoginError):
        return problem(error, target.redacted_text())
    diagnosis = _Diagnosis(target, transcript, secrets, target.redacted_text())
    return diagnosis.of_transcript() or diagnosis.of_exception(error)


def timed_out(
    target: Live, transcript: Transcript, secrets: Secrets, timeout: float
) -> McpgenError:
    """Return the error for a timeout, with its reason if known."""
    diagnosis = _Diagnosis(target, transcript, secrets, target.redacted_text())
    return diagnosis.of_transcript() or diagnosis.of_timeout(timeout)


_INSTALLERS = frozenset("npx pnpx bunx uvx uv pipx docker podman".split())
# The SDK's messages for an HTTP response that isn't an MCP message.
_NO_MESSAGE = ("Unexpected content type", "Failed to parse", "SSE stream", "server answered a req")


@dataclass(frozen=True, slots=True)
class _Diagnosis:
    """Evidence about a failed session. ``where`` is the target in redacted form."""

    target: Live
    transcript: Transcript
    secrets: Secrets
    where: str

    def of_transcript(self) -> McpgenError | None:
        """Return the error for output of the server other than responses, if any."""
        return self._too_much() or self._http_refusal() or self._unreadable() or self._junk()

    def of_exception(self, error: BaseException) -> McpgenError:
        target, where, method = self.target, self.where, self.transcript.pending
        message = self._redact(str(error))
        # Python raises ValueError for a name or value that no process can have.
        if isinstance(target, Stdio) and isinstance(error, OSError | ValueError) and not method:
            return _not_started(error, target.written[0], where)
        if (failure := _of_http(error, where)) is not None:
            return failure
        if isinstance(error, ErrorAnswer):
            return (
                _closed_connection(target, where)
                if is_closed(error)
                else self._error_response(error, message)
            )
        if isinstance(error, RuntimeError) and "protocol version" in str(error):
            return ContractError(message, where, "record it with another --era")
        if isinstance(error, ValueError):
            return ContractError(f"the server's response can't be used: {message}", where)
        return UnreachableError(f"{type(error).__name__}: {message}", where)

    def of_timeout(self, timeout: float) -> McpgenError:
        method = next(reversed(self.transcript.pending.values()), "")
        is_silent = not self.transcript.answered
        problem = "no response" if is_silent or not method else f"{method} got no response"
        hint = "raise the limit with --timeout"
        if isinstance(self.target, Stdio):
            program = self.target.written[0]
            cause = "check that it is an MCP server that speaks over stdio"
            if is_silent and program in _INSTALLERS:
                cause = f"{program} may still be installing it: run the command on its own"
            hint = f"{cause}; {hint}"
        return UnreachableError(f"{problem} within {timeout:g} seconds", self.where, hint)

    def _redact(self, text: str, limit: int = 160) -> str:
        # Redact before truncating, otherwise half of a secret could remain.
        return brief(self.secrets.hide(text), limit)

    def _http_refusal(self) -> McpgenError | None:
        refusal = self.transcript.refusal
        if refusal is None or (self.transcript.greetings and refusal.status not in (401, 403)):
            return None
        return refusal.error(self.where)

    def _too_much(self) -> McpgenError | None:
        if not self.transcript.too_much:
            return None
        problem = f"the server's response is too large: {self.transcript.too_much}"
        hint = "no model can use so many definitions; tell the server's author"
        return ContractError(problem, self.where, hint)

    def _unreadable(self) -> McpgenError | None:
        if not self.transcript.unreadable:
            return None
        reason = self._redact(self.transcript.unreadable)
        if isinstance(self.target, Http) and not self.transcript.greetings:
            return self._no_message(reason)
        return ContractError(f"the server's response can't be read: {reason}", self.where)

    def _no_message(self, reason: str) -> McpgenError:
        problem = f"the response to {self._last_request()} isn't an MCP message: {reason}"
        hint = "check the path (often /mcp); --transport sse is for the older transport"
        return UnreachableError(problem, self.where, hint)

    def _last_request(self) -> str:
        return next(reversed(self.transcript.pending.values()), "the request")

    def _junk(self) -> McpgenError | None:
        if not self.transcript.junk_since:
            return None
        printed = self._redact(self.transcript.junk_since, 80)
        return UnreachableError(
            f"the server printed text that isn't JSON-RPC on stdout: {printed!r}",
            self.where,
            "a stdio server must write only MCP messages to stdout, and its log to stderr",
        )

    def _error_response(self, error: ErrorAnswer, message: str) -> McpgenError:
        if error.message.startswith(_NO_MESSAGE):
            reason = message.partition(" validation error")[0].rstrip(" 0123456789:")
            return self._no_message(reason)
        problem = f"the server responded to {self._last_request()} with an error: {message}"
        return ContractError(problem, self.where)


def _not_started(error: OSError | ValueError, program: str, where: str) -> McpgenError:
    if isinstance(error, builtins.FileNotFoundError):
        hint = "check its spelling, or install it"
        if program in ("npx", "node", "npm"):
            hint = "install Node.js"
        elif program in ("uvx", "uv"):
            hint = "install uv"
        return UnreachableError(f"the command {program!r} was not found", where, hint)
    reason = getattr(error, "strerror", None) or str(error)
    return UnreachableError(f"the command cannot be started: {reason}", where)


def _of_http(error: BaseException, where: str) -> McpgenError | None:
    # The library takes long to import. If the error came from it, it is imported already.
    if "httpx2" not in sys.modules:
        return None
    from mcpgen.servers.recording.http_failure import not_connected

    return not_connected(error, where)


def _closed_connection(target: Live, where: str) -> McpgenError:
    hint = (
        "run the command on its own to see why; it may need arguments or more of "
        "your environment variables: --env NAME"
    )
    if isinstance(target, Stdio):
        return UnreachableError("the server exited before it responded", where, hint)
    return UnreachableError("the server closed the connection", where)
