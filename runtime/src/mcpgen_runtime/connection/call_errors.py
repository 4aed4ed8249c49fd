"""Conversion of the SDK's exceptions during a call to our exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from ..errors import ClientError, InvalidResult, ProtocolError
from ..problem import Problem, problems_of
from .wire.faults import HttpRejection

if TYPE_CHECKING:
    from mcp import MCPError

    from .session import Session


def call_error(error: BaseException, target: str, session: Session) -> BaseException:
    """Convert an exception to an error for the caller of ``target``."""
    import anyio
    from mcp import InputRequiredRoundsExceededError, MCPError

    if isinstance(error, ClientError):
        return error
    if isinstance(error, MCPError):
        return _protocol_error(error, target, session)
    if isinstance(error, ValidationError | UnicodeError):
        return InvalidResult(target, _problems(error))
    if isinstance(error, InputRequiredRoundsExceededError):
        return ProtocolError(target, 0, str(error))
    is_closed = (anyio.ClosedResourceError, anyio.BrokenResourceError)
    if isinstance(error, is_closed) or session.lost:
        return session.lost_error(may_have_run=True)
    return error


def _problems(error: ValidationError | UnicodeError) -> list[Problem]:
    if isinstance(error, ValidationError):
        return problems_of(error)
    return [Problem("", "a lone surrogate isn't a character")]


def is_forgotten(error: BaseException) -> bool:
    """Return True if the server doesn't know the session."""
    from mcp import MCPError

    fault = error.data if isinstance(error, MCPError) else None
    return isinstance(fault, HttpRejection) and fault.is_forgotten


def _protocol_error(error: MCPError, target: str, session: Session) -> ClientError:
    """Convert a JSON-RPC error, or an error that the SDK raised in place of one."""
    from mcp.types import CONNECTION_CLOSED

    from .http_errors import request_error
    from .wire.faults import Broken, Unreadable

    if isinstance(error.data, Broken | HttpRejection | Unreadable):
        return request_error(error.data, target, session.route)
    if error.code == CONNECTION_CLOSED and error.message == "Connection closed":
        # The SDK reports nothing about the connection of a client that the caller passed,
        # so its error is taken as the server's.
        if session.route.is_client and not session.lost:
            session.end("the server closed the connection")
        if session.lost:
            return session.lost_error(may_have_run=True)
    return ProtocolError(target, error.code, error.message, error.data)
