"""Whatever goes wrong between us and a server, said in one line with a hint and its exit code."""

from __future__ import annotations

import builtins
from typing import Any

import httpx2
from mcp import MCPError

from mcpgen.errors import (
    AuthorizationError,
    ContractError,
    McpgenError,
    UnreachableError,
)
from mcpgen.law import brief
from mcpgen.live.tap import Heard
from mcpgen.source import Http, Stdio
from mcpgen.source.shown import Secrets
from mcpgen.source.target import Live


def leaf(error: BaseException) -> BaseException:
    """Take an exception out of the groups that the SDK wraps each one in."""
    while inner := getattr(error, "exceptions", None):
        error = next((e for e in inner if not _is_cancelled(e)), inner[0])
    return error


def _is_cancelled(error: BaseException) -> bool:
    return type(error).__name__ in ("CancelledError", "Cancelled")


def explain(error: BaseException, target: Live, heard: Heard, secrets: Secrets) -> McpgenError:
    """Say what an exception means to the person who gave this target."""
    if isinstance(error, McpgenError):
        return error
    refused = _refused(target, heard)
    if refused is not None:
        return refused
    if heard.junk and heard.answered == 0:
        return _junk(heard, secrets)
    if isinstance(error, OSError) and isinstance(target, Stdio):
        return _not_started(error, target)
    if isinstance(error, httpx2.HTTPError | httpx2.InvalidURL):
        return _not_connected(error, target)
    said = secrets.hide(brief(str(error)))
    if isinstance(error, MCPError) and not _is_closed(error):
        asked = next(reversed(heard.asked.values()), "the request")
        return ContractError(f"the server answered {asked} with an error: {said}", str(target))
    if isinstance(error, MCPError):
        return _closed(target)
    if isinstance(error, RuntimeError) and "protocol version" in str(error):
        return ContractError(said, str(target), "record it with another --era")
    return UnreachableError(f"{type(error).__name__}: {said}", str(target))


def late(target: Live, heard: Heard, secrets: Secrets, timeout: float) -> McpgenError:
    """Say that the time was up."""
    refused = _refused(target, heard)
    if refused is not None:
        return refused
    if heard.junk and heard.answered == 0:
        return _junk(heard, secrets)
    waiting = next(reversed(heard.asked.values()), "")
    what = f"{waiting} was not answered" if heard.answered and waiting else "no answer"
    hint = "check that it is an MCP server that speaks over stdio" if _is_stdio(target) else ""
    return UnreachableError(
        f"{what} within {timeout:g} seconds",
        str(target),
        f"{hint}; give it longer with --timeout" if hint else "give it longer with --timeout",
    )


def _is_stdio(target: Live) -> bool:
    return isinstance(target, Stdio)


def _is_closed(error: MCPError) -> bool:
    return error.message == "Connection closed"


def _refused(target: Live, heard: Heard) -> McpgenError | None:
    where = str(target)
    if heard.status in (401, 403):
        scheme = heard.challenge.split(" ")[0] or "Bearer"
        scheme = scheme if scheme.isalpha() else "Bearer"
        return AuthorizationError(
            f"the server wants authorization (HTTP {heard.status})",
            where,
            f"pass credentials: --header 'Authorization: {scheme} ${{TOKEN}}'",
        )
    if heard.status >= 400 and not heard.greetings:
        hint = "check the path (often /mcp); --transport sse is for the older transport"
        return UnreachableError(f"the server answered HTTP {heard.status}", where, hint)
    if heard.status >= 300 and not heard.greetings:
        hint = "use the address that it redirects to"
        return UnreachableError(f"the server redirects (HTTP {heard.status})", where, hint)
    return None


def _junk(heard: Heard, secrets: Secrets) -> McpgenError:
    printed = secrets.hide(brief(heard.junk, 80))
    return UnreachableError(
        f"the server printed something that is not JSON-RPC on stdout: {printed!r}",
        hint="a stdio server must write only MCP messages to stdout, and its log to stderr",
    )


def _not_started(error: OSError, target: Stdio) -> McpgenError:
    program = target.written[0]
    if isinstance(error, builtins.FileNotFoundError):
        hint = "check its spelling, or install it"
        if program in ("npx", "node", "npm"):
            hint = "install Node.js"
        elif program in ("uvx", "uv"):
            hint = "install uv"
        return UnreachableError(f"the command {program!r} was not found", str(target), hint)
    reason = error.strerror or type(error).__name__
    return UnreachableError(f"the command cannot be started: {reason}", str(target))


def _not_connected(error: Exception, target: Live) -> McpgenError:
    where = str(target)
    if isinstance(error, httpx2.ConnectError):
        return UnreachableError(
            "the connection was refused, or the host is unknown", where, "is the server running?"
        )
    if isinstance(error, httpx2.TimeoutException):
        return UnreachableError("the server took too long", where, "try a longer --timeout")
    kind: Any = type(error).__name__
    said = f" ({kind})" if isinstance(target, Http) else ""
    return UnreachableError(f"the connection failed{said}", where)


def _closed(target: Live) -> McpgenError:
    hint = "run the command by itself to see why; it may need --env NAME or arguments"
    if isinstance(target, Stdio):
        return UnreachableError("the server exited before it answered", str(target), hint)
    return UnreachableError("the server closed the connection", str(target))
