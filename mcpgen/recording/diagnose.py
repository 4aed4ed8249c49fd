"""What went wrong with a server, in one line, with a hint and the exit code that it means."""

from __future__ import annotations

import builtins

import httpx2
from mcp import MCPError

from mcpgen.display import brief
from mcpgen.endpoint import Http, Stdio
from mcpgen.endpoint.redaction import Secrets
from mcpgen.endpoint.target import Live
from mcpgen.errors import (
    ContractError,
    McpgenError,
    UnreachableError,
)
from mcpgen.recording.recording_transport import Transcript
from mcpgen.recording.wire.faults import Broken


def root_cause(error: BaseException) -> BaseException:
    """Take an exception out of the groups that the SDK wraps each one in, or of a fault."""
    if isinstance(error, MCPError) and isinstance(error.data, Broken) and error.data.cause:
        return error.data.cause
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    if not inner:
        return error
    return root_cause(next((each for each in inner if not is_cancelled(each)), inner[0]))


def is_cancelled(error: BaseException) -> bool:
    """Say whether the event loop was told to stop."""
    return type(error).__name__ in ("CancelledError", "Cancelled")


def is_closed(error: BaseException) -> bool:
    """Say whether the server was gone before it answered."""
    return isinstance(error, MCPError) and error.message == "Connection closed"


def explain(
    error: BaseException, target: Live, transcript: Transcript, secrets: Secrets
) -> McpgenError:
    """Say what an exception means to the person who gave this target."""
    error = root_cause(error)
    if isinstance(error, McpgenError):
        return error
    where = target.redacted()
    return (
        _too_much(where, transcript)
        or _refused(where, transcript)
        or _unreadable(target, transcript, where, secrets)
        or _junk(where, transcript, secrets)
        or _of_exception(error, target, transcript, where, secrets.hide(brief(str(error))))
    )


def _of_exception(
    error: BaseException, target: Live, transcript: Transcript, where: str, message: str
) -> McpgenError:
    # A name or value that no process can be given is a ValueError.
    if (
        isinstance(target, Stdio)
        and isinstance(error, OSError | ValueError)
        and not transcript.asked
    ):
        return _not_started(error, target.written[0], where)
    if isinstance(error, httpx2.HTTPError | httpx2.InvalidURL):
        return _not_connected(error, where)
    if isinstance(error, MCPError):
        return (
            _closed(target, where)
            if is_closed(error)
            else _answered(error, transcript, where, message)
        )
    if isinstance(error, RuntimeError) and "protocol version" in str(error):
        return ContractError(message, where, "record it with another --era")
    if isinstance(error, ValueError):
        return ContractError(f"the server's answer cannot be used: {message}", where)
    return UnreachableError(f"{type(error).__name__}: {message}", where)


_INSTALLERS = frozenset("npx pnpx bunx uvx uv pipx docker podman".split())


def timed_out(
    target: Live, transcript: Transcript, secrets: Secrets, timeout: float
) -> McpgenError:
    """Say that there was no answer in time."""
    where = target.redacted()
    known = (
        _too_much(where, transcript)
        or _refused(where, transcript)
        or _unreadable(target, transcript, where, secrets)
        or _junk(where, transcript, secrets)
    )
    if known:
        return known
    waiting = next(reversed(transcript.asked.values()), "")
    what = f"{waiting} was not answered" if transcript.answered and waiting else "no answer"
    hint = "give it longer with --timeout"
    if isinstance(target, Stdio):
        cause = "check that it is an MCP server that speaks over stdio"
        if not transcript.answered and target.written[0] in _INSTALLERS:
            cause = f"{target.written[0]} may still be installing it: run the command by itself"
        hint = f"{cause}; {hint}"
    return UnreachableError(f"{what} within {timeout:g} seconds", where, hint)


def _refused(where: str, transcript: Transcript) -> McpgenError | None:
    refusal = transcript.refusal
    if refusal is None or (transcript.greetings and refusal.status not in (401, 403)):
        return None
    return refusal.error(where)


def _too_much(where: str, transcript: Transcript) -> McpgenError | None:
    if not transcript.too_much:
        return None
    hint = "a server that offers so much is of no use to a model; tell its author"
    return ContractError(f"the server says too much: {transcript.too_much}", where, hint)


def _unreadable(
    target: Live, transcript: Transcript, where: str, secrets: Secrets
) -> McpgenError | None:
    if not transcript.unreadable:
        return None
    reason = secrets.hide(brief(transcript.unreadable))
    if isinstance(target, Http) and not transcript.greetings:
        return _no_message(transcript, where, reason)
    return ContractError(f"the server's answer cannot be read: {reason}", where)


def _no_message(transcript: Transcript, where: str, reason: str) -> McpgenError:
    hint = "check the path (often /mcp); --transport sse is for the older transport"
    problem = f"the answer to {_last_request(transcript)} is no MCP message: {reason}"
    return UnreachableError(problem, where, hint)


def _last_request(transcript: Transcript) -> str:
    return next(reversed(transcript.asked.values()), "the request")


def _junk(where: str, transcript: Transcript, secrets: Secrets) -> McpgenError | None:
    if not transcript.junk_since:
        return None
    # Hidden before it is cut, or the half of a secret could be left over.
    printed = brief(secrets.hide(transcript.junk_since), 80)
    return UnreachableError(
        f"the server printed something that is not JSON-RPC on stdout: {printed!r}",
        where,
        "a stdio server must write only MCP messages to stdout, and its log to stderr",
    )


# What the SDK says in the server's name when an HTTP answer was no MCP message.
_NO_MESSAGE = ("Unexpected content type", "Failed to parse", "SSE stream", "server answered a req")


def _answered(error: MCPError, transcript: Transcript, where: str, message: str) -> McpgenError:
    if error.message.startswith(_NO_MESSAGE):
        reason = message.partition(" validation error")[0].rstrip(" 0123456789:")
        return _no_message(transcript, where, reason)
    problem = f"the server answered {_last_request(transcript)} with an error: {message}"
    return ContractError(problem, where)


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


def _not_connected(error: Exception, where: str) -> McpgenError:
    if isinstance(error, httpx2.ConnectError) and "SSL" in str(error):
        hint = "check its certificate; SSL_CERT_FILE may name a file with your own authority"
        if "CERTIFICATE" not in str(error).upper():
            hint = "does it speak https? try the same address with http://"
        return UnreachableError(f"the connection is not safe: {brief(str(error))}", where, hint)
    if isinstance(error, httpx2.ConnectError):
        return UnreachableError(
            "the connection was refused, or the host is unknown", where, "is the server running?"
        )
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return UnreachableError("this is not a URL that can be reached", where)
    hint = ""
    if isinstance(error, httpx2.ProxyError):
        hint = "check the proxy: HTTPS_PROXY, HTTP_PROXY, and NO_PROXY for hosts without one"
    if where.startswith("http:") and isinstance(error, httpx2.ProtocolError | httpx2.NetworkError):
        hint = "is it a server for https? try the same address with https://"
    return UnreachableError(f"the connection failed ({type(error).__name__})", where, hint)


def _closed(target: Live, where: str) -> McpgenError:
    hint = (
        "run the command by itself to see why; it may need arguments, or variables of yours, "
        "of which it sees but a few: --env NAME"
    )
    if isinstance(target, Stdio):
        return UnreachableError("the server exited before it answered", where, hint)
    return UnreachableError("the server closed the connection", where)
