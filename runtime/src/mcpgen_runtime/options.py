"""Options of connections and calls that don't need the SDK."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from os import PathLike
from re import Pattern
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from .contract import ToolInfo
from .tool import Meta, OnProgress

if TYPE_CHECKING:
    from mcp.types import Implementation

Era: TypeAlias = Literal["auto", "legacy", "modern"]
_ERAS = get_args(Era)
_MATCHES = ("arguments", "order")

Unexpected: TypeAlias = Literal["warn", "error", "ignore"]
"""What to do with a result that doesn't have the observed type."""

Safe: TypeAlias = Callable[[ToolInfo], bool] | Collection[str]


@dataclass(frozen=True)
class Retry:
    """When calls are retried.

    A call is retried if the connection was lost, and after HTTP 429, 502, 503 and 504. A call of a
    tool that isn't safe to repeat is retried only if it certainly didn't run.

    Args:
        attempts: Maximum number of attempts, including the first one.
        safe: Tools that are safe to repeat: their names, or a predicate. By default the
            tools that the contract annotates as read-only or idempotent.
        hints: Whether to follow these annotations. They come from the reviewed
            contract, never from the live server.
        backoff: Maximum length of the first wait, in seconds. It doubles with every
            attempt. The actual length is random.
        max_wait: Maximum length of a wait, in seconds. If the server requests a longer
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


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """Options for the sessions of a client.

    Args:
        connect_timeout: Time limit for connecting, in seconds.
        reconnect: Whether the next call opens a new session after the connection was
            lost.
        era: The handshake: ``"legacy"`` (revisions up to 2025-11-25), ``"modern"``
            (2026-07-28) or ``"auto"``, which tries the modern one first. By default the
            handshake of the recording.
        client_info: Name and version for the handshake. By default the name of the package.

    Raises:
        ValueError: ``era`` is unknown.
    """

    connect_timeout: float = 30.0
    reconnect: bool = True
    era: Era | None = None
    client_info: Implementation | None = None

    def __post_init__(self) -> None:
        if self.era not in (None, *_ERAS):
            raise ValueError(f"era is one of {_ERAS}, not {self.era!r}")


@dataclass(frozen=True)
class Record:
    """A file to which each call and its result are appended.

    Args:
        path: The file.
        redact: Values that the file omits besides secrets, by property name
            (``"user.email"`` if nested) or pattern.

    Raises:
        TypeError: ``redact`` is a string.
    """

    path: str | PathLike[str]
    redact: Sequence[str | Pattern[str]] = ()

    def __post_init__(self) -> None:
        if isinstance(self.redact, str):
            raise TypeError("redact must be a list of names and patterns, not a string")


@dataclass(frozen=True)
class Replay:
    """A call recording that replaces the server.

    Args:
        path: The file that ``record`` wrote.
        match: How a call is found: by its ``"arguments"``, or in the ``"order"`` of the
            file, if the tool is the same.

    Raises:
        ValueError: ``match`` is unknown.
    """

    path: str | PathLike[str]
    match: Literal["arguments", "order"] = "arguments"

    def __post_init__(self) -> None:
        if self.match not in _MATCHES:
            raise ValueError(f"match is 'arguments' or 'order', not {self.match!r}")


AS_CONNECTED = CallOptions()
"""Options that leave everything at the defaults of the connection."""
