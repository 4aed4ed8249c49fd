"""What a server says of a task, in the words of either revision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from ...errors import InvalidResult
from ...problem import Problem

State: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]

_STATES = get_args(State)
_OVER = ("completed", "failed", "cancelled")
_INTERVAL = 1.0
_SHORTEST = 0.02


@dataclass(frozen=True)
class TaskStatus:
    """What a server said last of a task; times are as it wrote them.

    ``ttl`` are the seconds from its start for which it is kept, ``None`` for no end;
    ``poll_interval`` are those to wait before the server is asked again.
    """

    state: State
    message: str = ""
    created_at: str = ""
    updated_at: str = ""
    ttl: float | None = None
    poll_interval: float = _INTERVAL

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self.state in _OVER


def read_status(tool: str, raw: Mapping[str, Any]) -> TaskStatus:
    """Read what is said of a task; ``InvalidResult`` if that is no status."""
    state = raw.get("status")
    if state not in _STATES:
        raise InvalidResult(tool, [Problem("/status", f"none of {_STATES}")])
    interval = _seconds(raw.get("pollIntervalMs", raw.get("pollInterval")))
    return TaskStatus(
        cast("State", state),
        _text(raw.get("statusMessage")),
        _text(raw.get("createdAt")),
        _text(raw.get("lastUpdatedAt")),
        _seconds(raw.get("ttlMs", raw.get("ttl"))),
        _INTERVAL if interval is None else max(interval, _SHORTEST),
    )


def read_id(tool: str, raw: Mapping[str, Any]) -> str:
    """Read which task it is; ``InvalidResult`` if that is not said."""
    number = raw.get("taskId")
    if not isinstance(number, str) or not number:
        raise InvalidResult(tool, [Problem("/taskId", "it names no task")])
    return number


def _seconds(milliseconds: object) -> float | None:
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    is_time = math.isfinite(milliseconds) and milliseconds >= 0
    return milliseconds / 1000 if is_time else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
