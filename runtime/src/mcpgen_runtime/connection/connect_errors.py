"""Errors of connections that could not be established."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ..errors import ClientError, ConnectionFailed
from .session import innermost, reason
from .wire.faults import Broken, HttpRejection, Unreadable

if TYPE_CHECKING:
    from .routing.route import Route
    from .session import Session


def not_connected(session: Session, limit: float) -> ClientError:
    """Return a new error for each caller that waited for a session in vain."""
    from mcp import MCPError

    from .http_errors import connect_error

    route = session.route
    if session.is_late or session.failure is None:
        message = _no_answer(route, limit)
        return ConnectionFailed(route.label, message, route.last_output())
    error = innermost(session.failure)
    if isinstance(error, ClientError):
        copied = copy.copy(error)
        if isinstance(copied, ConnectionFailed):
            copied.stderr = copied.stderr or route.last_output()
        return copied
    fault = error.data if isinstance(error, MCPError) else None
    if not isinstance(fault, HttpRejection):
        fault = _raised_status(error) or route.refusal or fault
    if isinstance(fault, Broken | HttpRejection | Unreadable):
        return connect_error(fault, route)
    why = f"{reason(error)}{_missing_program(error, route)}"
    return ConnectionFailed(route.label, why, route.last_output())


def _missing_program(error: BaseException, route: Route) -> str:
    """Return a hint for setting the program of the recorded server, or "" for other errors."""
    if not isinstance(error, FileNotFoundError):
        return ""
    from .routing.recorded import command_variable

    origin: Any = route.package.contract.get("origin") or {}
    variable = command_variable(origin.get("command", ""), route.label)
    return f"; set {variable} to the path of the program" if variable else ""


def _raised_status(error: BaseException) -> HttpRejection | None:
    """Return the status that the older transport raises on connecting."""
    import httpx2

    if not isinstance(error, httpx2.HTTPStatusError):
        return None
    response = error.response
    headers, phrase = dict(response.headers), response.reason_phrase
    return HttpRejection(response.status_code, headers, reason=phrase)


def _no_answer(route: Route, limit: float) -> str:
    message = f"no response within {limit:g} s"
    is_junk = route.observer is not None and route.observer.junk
    return (
        f"{message}; it printed text that isn't a message of the protocol" if is_junk else message
    )
