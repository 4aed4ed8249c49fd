"""What a client can be told between calls, and who is told."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from ..errors import Change

LogLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
"""How severe a message is (RFC 5424, section 6.2.1), the least severe first."""


class OnToolsChanged(Protocol):
    """Is told that the server's tools may have changed."""

    def __call__(self, changes: Sequence[Change]) -> Awaitable[None] | None:
        """Take note of how they differ from the contract now; may be ``async``."""
        ...


class OnResourceUpdated(Protocol):
    """Is told that a resource that was subscribed to may have changed."""

    def __call__(self, uri: str) -> Awaitable[None] | None:
        """Take note of one resource; may be ``async``."""
        ...


class OnLog(Protocol):
    """Is told what the server logs; ``logger`` is where, if it says so."""

    def __call__(self, level: LogLevel, data: Any, logger: str | None, /) -> Awaitable[None] | None:
        """Take note of one message, whose ``data`` is any JSON; may be ``async``."""
        ...


@dataclass(frozen=True)
class Callbacks:
    """Who is told what, and from which level on logs are wanted."""

    on_tools_changed: OnToolsChanged | None = None
    on_resource_updated: OnResourceUpdated | None = None
    on_log: OnLog | None = None
    log_level: LogLevel | None = None

    @property
    def least(self) -> LogLevel | None:
        """The level from which on logs are asked for; ``None`` for no logs."""
        return (self.log_level or "info") if self.on_log else None

    @property
    def are_some(self) -> bool:
        """Whether anyone is told of anything."""
        told = (self.on_tools_changed, self.on_resource_updated, self.on_log)
        return any(callback is not None for callback in told)
