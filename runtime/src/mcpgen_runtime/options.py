"""The options of a call: time limit, progress callback, ``_meta``, repeats."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .contract import ToolInfo
from .tool import Meta, OnProgress

Unexpected: TypeAlias = Literal["warn", "error", "ignore"]
"""What to do with an answer that is not as those that were observed."""

Safe: TypeAlias = Callable[[ToolInfo], bool] | Collection[str]


@dataclass(frozen=True)
class Retry:
    """When a call that failed on its way is made again.

    That is where the connection was lost, and at HTTP 429, 502, 503 and 504. Of a tool
    that is not safe to repeat only what surely did not run is repeated.

    Args:
        attempts: How often a call is made at most, with the first time.
        safe: Which tools are safe to repeat: their names on the wire, or a function
            that returns ``True`` for them. By default those that the contract
            annotates as read-only or idempotent.
        hints: Whether to follow these annotations. They are those of the contract,
            which was reviewed, never those of the live server.
        backoff: How many seconds the first wait has at most; each next one has twice
            as many. Each is of random length.
        max_wait: How many seconds a wait has at most. A call that the server wants
            to be made later is not repeated.
    """

    attempts: int = 3
    safe: Safe | None = None
    hints: bool = field(default=True, kw_only=True)
    backoff: float = 0.5
    max_wait: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is at least 1, not {self.attempts!r}")
        if not (self.backoff >= 0 and self.max_wait >= 0):
            raise ValueError("a wait is no less than 0 seconds")
        if isinstance(self.safe, str):
            raise TypeError("safe has the names of tools, or is a function")


ONCE = Retry(attempts=1)
"""Never makes a call again."""
BY_HINTS = Retry()
"""Repeats what the contract says is safe to repeat."""


@dataclass(frozen=True)
class CallOptions:
    """The options of a call; what is ``None`` is as the connection has it."""

    timeout: float | None = None
    on_progress: OnProgress | None = None
    meta: Meta | None = None
    retry: Retry | None = None
    timeout_resets_on_progress: bool | None = None
    as_task: bool | None = None
    task_ttl: float | None = None
    is_start: bool = False
    """Whether a call ends once its task is made."""

    def over(self, other: CallOptions) -> CallOptions:
        """Return these options, and the other ones where these say nothing."""
        return CallOptions(
            other.timeout if self.timeout is None else self.timeout,
            other.on_progress if self.on_progress is None else self.on_progress,
            other.meta if self.meta is None else self.meta,
            other.retry if self.retry is None else self.retry,
            (
                other.timeout_resets_on_progress
                if self.timeout_resets_on_progress is None
                else self.timeout_resets_on_progress
            ),
            other.as_task if self.as_task is None else self.as_task,
            other.task_ttl if self.task_ttl is None else self.task_ttl,
            self.is_start or other.is_start,
        )


AS_CONNECTED = CallOptions()
"""The options of a client that was not asked for others."""
