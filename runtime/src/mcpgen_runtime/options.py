"""Options of calls: time limit, progress callback, ``_meta``, retries."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .contract import ToolInfo
from .tool import Meta, OnProgress

Unexpected: TypeAlias = Literal["warn", "error", "ignore"]
"""What to do with a result that doesn't have the observed type."""

Safe: TypeAlias = Callable[[ToolInfo], bool] | Collection[str]


@dataclass(frozen=True)
class Retry:
    """When calls are retried.

    A call is retried if the connection was lost, and after HTTP 429, 502, 503 and 504. A
    call of a tool that isn't safe to repeat is retried only if it certainly didn't run.

    Args:
        attempts: Maximum number of attempts, including the first one.
        safe: Tools that are safe to repeat: their names, or a predicate. By default the
            tools that the contract annotates as read-only or idempotent.
        hints: Whether to follow these annotations. They are those of the reviewed
            contract, never those of the live server.
        backoff: Maximum length of the first wait, in seconds. It doubles with every
            attempt. The actual length is random.
        max_wait: Maximum length of a wait, in seconds. If the server asks for a longer
            one, the call isn't retried.

    Raises:
        TypeError: ``safe`` is a string.
        ValueError: A number is out of range.
    """

    attempts: int = 3
    safe: Safe | None = None
    hints: bool = field(default=True, kw_only=True)
    backoff: float = 0.5
    max_wait: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts!r}")
        if not (self.backoff >= 0 and self.max_wait >= 0):
            raise ValueError("backoff and max_wait can't be negative")
        if isinstance(self.safe, str):
            raise TypeError("safe must be a collection of tool names or a function, not a string")


ONCE = Retry(attempts=1)
"""Never retries."""
BY_HINTS = Retry()
"""Retries tools that the contract annotates as safe to repeat."""


@dataclass(frozen=True)
class CallOptions:
    """Options of a call. None stands for the default of the connection."""

    timeout: float | None = None
    on_progress: OnProgress | None = None
    meta: Meta | None = None
    retry: Retry | None = None
    timeout_resets_on_progress: bool | None = None
    as_task: bool | None = None
    task_ttl: float | None = None
    is_start: bool = False
    """Whether the call returns as soon as the server has created its task."""

    def over(self, other: CallOptions) -> CallOptions:
        """Return these options, with ``other`` as defaults."""
        if self is AS_CONNECTED:
            return other
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
"""Options that leave everything at the defaults of the connection."""
