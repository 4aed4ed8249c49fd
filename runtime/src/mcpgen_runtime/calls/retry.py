"""Decides whether a failed call is retried, and after which wait."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from ..contract import ToolInfo
from ..errors import AuthorizationRequired, ClientError, ConnectionFailed, ConnectionLost, HttpError
from ..options import Retry

_TOO_MANY_REQUESTS = 429
_PASSING = frozenset({_TOO_MANY_REQUESTS, 502, 503, 504})
_MOST_DOUBLINGS = 30


@dataclass
class RetryBudget:
    """The retries that a client may still make: ten, plus one per ten calls.

    This limits the load on a server that is down.
    """

    calls: int = 0
    tenths: int = 100

    def take(self, calls: int) -> bool:
        """Use up a retry if any is left, given the client's number of calls."""
        self.tenths = min(self.tenths + calls - self.calls, _MOST_TENTHS)
        self.calls = calls
        if self.tenths < _ONE:
            return False
        self.tenths -= _ONE
        return True


_ONE = 10
_MOST_TENTHS = 1000  # limits the retries that a long quiet time accumulates


def wait_before_next(  # noqa: PLR0913
    error: ClientError,
    tool: ToolInfo | None,
    retry: Retry,
    attempts: int,
    *,
    seconds_left: float,
    jitter: Callable[[], float] = random.random,
) -> float | None:
    """Return the seconds to wait before the next attempt, or None to give up.

    Args:
        tool: The tool, or None for prompts and resources.
        attempts: How many attempts have been made.
        seconds_left: The remaining seconds of the call.
    """
    if attempts >= retry.attempts or not is_passing(error):
        return None
    seconds = _seconds_asked_for(error)
    if seconds > retry.max_wait:
        return None
    doubled = retry.backoff * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS)
    seconds += min(doubled, retry.max_wait) * jitter()
    if seconds >= seconds_left:
        return None
    surely_did_not_run = not _may_have_run(error)
    if surely_did_not_run or tool is None or is_safe(tool, retry):
        return seconds
    return None


def is_safe(tool: ToolInfo, retry: Retry) -> bool:
    """Return True if a tool may be called again although it may have run.

    A tool that claims to be both read-only and destructive isn't repeated.
    """
    if callable(retry.safe):
        return retry.safe(tool) is True
    if retry.safe is not None:
        return tool.name in retry.safe
    if not retry.hints:
        return False
    claims = tool.annotations
    if claims.get("idempotentHint") is True:
        return True
    is_denied = claims.get("destructiveHint") is True
    return claims.get("readOnlyHint") is True and not is_denied


def is_passing(error: ClientError) -> bool:
    """Return True if the same call may succeed a little later."""
    if isinstance(error, AuthorizationRequired):
        return False
    if isinstance(error, ConnectionFailed):
        return error.http is None or is_passing(error.http)
    if isinstance(error, HttpError):
        return error.status in _PASSING
    return isinstance(error, ConnectionLost)


def _may_have_run(error: ClientError) -> bool:
    if isinstance(error, HttpError):
        return error.status != _TOO_MANY_REQUESTS
    return isinstance(error, ConnectionLost) and error.may_have_run


def _seconds_asked_for(error: ClientError) -> float:
    http = error.http if isinstance(error, ConnectionFailed) else error
    after = http.retry_after if isinstance(http, HttpError) else None
    return after or 0.0
