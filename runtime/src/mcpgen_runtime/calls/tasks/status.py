"""The status of a task, in the terms of either revision."""

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
    """The last status that a server reported. Times are unparsed.

    Attributes:
        ttl: How many seconds from its start the task is kept. None means forever.
        poll_interval: How many seconds to wait before the next request.
    """

    state: State
    message: str = ""
    created_at: str = ""
    updated_at: str = ""
    ttl: float | None = None
    poll_interval: float = _INTERVAL

    @property
    def is_over(self) -> bool:
        """True if the task has ended."""
        return self.state in _OVER


def read_status(tool: str, raw: Mapping[str, Any]) -> TaskStatus:
    """Parse a status.

    Raises:
        InvalidResult: The JSON isn't a status.
    """
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
    """Parse the ID of a task.

    Raises:
        InvalidResult: The JSON has no ID.
    """
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
