"""Callbacks for notifications of the server."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from ..errors import Change

LogLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
"""Severity of a log message (RFC 5424, section 6.2.1), in ascending order."""


class OnToolsChanged(Protocol):
    """Callback for changes of the server's tools. May be ``async``."""

    def __call__(self, changes: Sequence[Change]) -> Awaitable[None] | None:
        """Receive the differences between the live tools and the contract."""
        ...


class OnResourceUpdated(Protocol):
    """Callback for changes of a resource that the client has subscribed to. May be ``async``."""

    def __call__(self, uri: str) -> Awaitable[None] | None:
        """Receive the URI of the changed resource."""
        ...


class OnLog(Protocol):
    """Callback for log messages of the server. May be ``async``."""

    def __call__(self, level: LogLevel, data: Any, logger: str | None, /) -> Awaitable[None] | None:
        """Receive a message: its level, its JSON, and the server's logger or None."""
        ...


@dataclass(frozen=True, kw_only=True)
class Callbacks:
    """Callbacks for notifications of the server.

    Args:
        on_tools_changed: Called if the server's tools may have changed, with the
            differences from the contract.
        on_resource_updated: Called with the URI of a changed resource, if the client has
            subscribed to it.
        on_log: Called with log messages of the server.
        log_level: Minimum level of log messages. The default is ``"info"``.
    """

    on_tools_changed: OnToolsChanged | None = None
    on_resource_updated: OnResourceUpdated | None = None
    on_log: OnLog | None = None
    log_level: LogLevel | None = None

    @property
    def min_level(self) -> LogLevel | None:
        """The minimum log level to request, or None if there is no ``on_log`` callback."""
        return (self.log_level or "info") if self.on_log else None

    @property
    def are_some(self) -> bool:
        """Whether there is at least one callback."""
        callbacks = (self.on_tools_changed, self.on_resource_updated, self.on_log)
        return any(callback is not None for callback in callbacks)
