"""Decides whether a call that failed is made again, and how long to wait before."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from ..contract import ToolInfo
from ..errors import AuthorizationRequired, ClientError, ConnectionFailed, ConnectionLost, HttpError
from ..options import Retry

_REFUSED_UNREAD = 429
_PASSING = frozenset({_REFUSED_UNREAD, 502, 503, 504})
_MOST_DOUBLINGS = 30


@dataclass
class Budget:
    """How many repeats a client has left: ten, and one for every ten calls.

    So a server that is down is not asked several times as often as before.
    """

    calls: int = 0
    tenths: int = 100

    def take(self, calls: int) -> bool:
        """Take one, if there is one, of a client that has made so many calls."""
        self.tenths = min(self.tenths + calls - self.calls, _MOST_TENTHS)
        self.calls = calls
        if self.tenths < _ONE:
            return False
        self.tenths -= _ONE
        return True


_ONE = 10
_MOST_TENTHS = 1000  # what a long calm has saved up is not all spent in one storm


def wait_before_next(  # noqa: PLR0913
    error: ClientError,
    tool: ToolInfo | None,
    retry: Retry,
    attempts: int,
    *,
    left: float,
    jitter: Callable[[], float] = random.random,
) -> float | None:
    """Return the seconds to wait before a call is made again; ``None`` if it is not.

    It was made ``attempts`` times, and has so many seconds ``left``. Prompts and
    resources are no ``tool``.
    """
    if attempts >= retry.attempts or not is_passing(error):
        return None
    seconds = _seconds_asked_for(error)
    if seconds > retry.max_wait:
        return None
    doubled = retry.backoff * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS)
    seconds += min(doubled, retry.max_wait) * jitter()
    if seconds >= left:
        return None
    surely_did_not_run = not _may_have_run(error)
    if surely_did_not_run or tool is None or is_safe(tool, retry):
        return seconds
    return None


def is_safe(tool: ToolInfo, retry: Retry) -> bool:
    """Tell whether a tool may be called again though it may have run.

    By the hints it may not if they say that it reads only and destroys, too.
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
    """Tell whether the same call may do better a little later."""
    if isinstance(error, AuthorizationRequired):
        return False
    if isinstance(error, ConnectionFailed):
        return error.http is None or is_passing(error.http)
    if isinstance(error, HttpError):
        return error.status in _PASSING
    return isinstance(error, ConnectionLost)


def _may_have_run(error: ClientError) -> bool:
    if isinstance(error, HttpError):
        return error.status != _REFUSED_UNREAD
    return isinstance(error, ConnectionLost) and error.may_have_run


def _seconds_asked_for(error: ClientError) -> float:
    http = error.http if isinstance(error, ConnectionFailed) else error
    after = http.retry_after if isinstance(http, HttpError) else None
    return after or 0.0
