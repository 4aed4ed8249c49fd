"""Conversion of faults below the protocol, such as HTTP statuses, to exceptions."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from ..abbreviate import plain
from ..errors import (
    AuthorizationRequired,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
    HttpError,
    InvalidResult,
)
from ..problem import Problem
from ..redaction.credentials import CREDENTIALS
from .wire.faults import Broken, Fault, HttpRejection

if TYPE_CHECKING:
    from .routing.route import Route

_AUTHORIZATION = (401, 403)
_FORBIDDEN = 403
_BEARER = re.compile(r"bearer\b", re.IGNORECASE)
_SCOPE = re.compile(r'\bscope="(?P<quoted>[^"]*)"|\bscope=(?P<bare>[^\s,"]+)', re.I)
_LONGEST_BODY = 500
_LONGEST_REASON = 100


def request_error(fault: Fault, target: str, route: Route) -> ClientError:
    """Convert a fault to the error that the caller of ``target`` gets."""
    if isinstance(fault, Broken) and isinstance(fault.cause, ClientError):
        return fault.cause  # it could not be authorized
    if isinstance(fault, Broken):
        return ConnectionLost(fault.reason, route.last_output(), fault.may_have_run)
    if not isinstance(fault, HttpRejection):
        return InvalidResult(target, [Problem("", fault.reason)])
    return _authorization(fault, target, route) or _http(fault, target)


def connect_error(fault: Fault, route: Route) -> ClientError:
    """Convert a fault to the error of a failed connection."""
    if isinstance(fault, Broken) and isinstance(fault.cause, ClientError):
        return fault.cause
    if not isinstance(fault, HttpRejection):
        return ConnectionFailed(route.label, str(fault), route.last_output())
    error = _http(fault, route.label)
    reason = f"it responded with HTTP {fault.status}"
    return _authorization(fault, route.label, route) or ConnectionFailed(
        route.label, reason, route.last_output(), error
    )


def _authorization(fault: HttpRejection, target: str, route: Route) -> AuthorizationRequired | None:
    if fault.status not in _AUTHORIZATION:
        return None
    error = _http(fault, target)
    scope = plain(_wanted_scope(error.challenge))
    reason = f"it responded with HTTP {fault.status}"
    if scope and fault.status == _FORBIDDEN:
        reason += f", and wants the scope {scope}"
    if route.is_url and not route.is_authorized and _BEARER.match(error.challenge):
        from ..auth.login_errors import login_command

        reason += f"; run: {login_command(route.label)}"
    return AuthorizationRequired(route.label, reason, route.last_output(), error, scope)


def _wanted_scope(challenge: str) -> str:
    """Return the scope that a server requires (RFC 6750, section 3)."""
    match = _SCOPE.search(challenge)
    return (match["quoted"] or match["bare"]) if match else ""


def _http(fault: HttpRejection, target: str) -> HttpError:
    return HttpError(
        target,
        fault.status,
        _seconds(fault.headers.get("retry-after", "")),
        fault.headers.get("www-authenticate", ""),
        " ".join(CREDENTIALS.hide(fault.body).split())[:_LONGEST_BODY],
        " ".join(fault.reason.split())[:_LONGEST_REASON],
    )


def _seconds(text: str) -> float | None:
    """Read ``Retry-After``: seconds, or a date (RFC 9110, section 10.2.3)."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=timezone.utc)
    try:
        return max((when - datetime.now(timezone.utc)).total_seconds(), 0.0)
    except OverflowError:
        return None
