"""Delivery of a server's notifications to the callbacks of a client, one at a time.

Callbacks run in a separate task, so a slow callback, or one that calls a tool, blocks
neither the connection nor a call.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from ..models.response import suspend_recording
from .callbacks import Callbacks, LogLevel

if TYPE_CHECKING:
    import anyio
    from mcp.client import IncomingMessage

    from ..errors import Change
    from .drift import Verify
    from .session import Session

MOST_WAITING = 1000
"""The maximum length of the queue. The oldest event is dropped first."""
_LEVELS: tuple[str, ...] = get_args(LogLevel)


@dataclass(frozen=True)
class ToolsChanged:
    """The tools may have changed."""


@dataclass(frozen=True)
class ResourceUpdated:
    """A resource may have changed."""

    uri: str


@dataclass(frozen=True, eq=False)
class Logged:
    """The server logged a message."""

    level: LogLevel
    data: Any
    logger: str | None


Event: TypeAlias = ToolsChanged | ResourceUpdated | Logged


@dataclass(eq=False)
class Events:
    """The queue of notifications for a client, and the client's subscriptions.

    It outlives a session. Repeated notifications about the same item are delivered once.
    """

    callbacks: Callbacks
    verify: Verify
    limit: float
    """The time limit for comparing the tools again, in seconds."""
    logged: set[Change] = field(default_factory=set["Change"])
    """The changes that have been logged."""
    uris: set[str] = field(default_factory=set[str])
    session_count: int = 0
    _waiting: dict[Event, Session] = field(default_factory=dict["Event", "Session"])
    _telling: anyio.CancelScope | None = None
    _is_stopped: bool = False

    def hear(self, session: Session, message: IncomingMessage) -> None:
        """Queue a message from the SDK. Must not block."""
        from mcp.types import (
            LoggingMessageNotification,
            ResourceUpdatedNotification,
            ToolListChangedNotification,
        )

        callbacks = self.callbacks
        if isinstance(message, ToolListChangedNotification):
            if callbacks.on_tools_changed or self.verify != "off":
                self.add(session, ToolsChanged())
        elif isinstance(message, ResourceUpdatedNotification):
            uri = str(message.params.uri)
            # The URI can be part of a subscribed resource, or of a resource that was
            # unsubscribed since.
            if callbacks.on_resource_updated and uri.startswith(tuple(self.uris)):
                self.add(session, ResourceUpdated(uri))
        elif isinstance(message, LoggingMessageNotification):
            params = message.params
            if callbacks.min_level and _is_severe(params.level, callbacks.min_level):
                self.add(session, Logged(params.level, params.data, params.logger))

    def add(self, session: Session, event: Event) -> None:
        """Append an event to the queue."""
        if self._is_stopped:
            return
        if len(self._waiting) >= MOST_WAITING and event not in self._waiting:
            del self._waiting[next(iter(self._waiting))]
            session.package.logger().warning(
                "the callbacks are too slow; the oldest event is dropped"
            )
        self._waiting[event] = session
        if self._telling is None:
            import anyio

            self._telling = anyio.CancelScope()
            session.start(self._tell)

    def add_missed(self, session: Session) -> None:
        """Queue events for everything that may have changed while disconnected."""
        if self.callbacks.on_tools_changed or self.verify == "compatible":
            self.add(session, ToolsChanged())
        for uri in sorted(self.uris):
            self.add(session, ResourceUpdated(uri))

    def stop(self) -> None:
        """Stop the delivery and cancel the running callback."""
        self._is_stopped = True
        self._waiting.clear()
        if self._telling is not None:
            self._telling.cancel()

    async def _tell(self) -> None:
        """Deliver queued events until the queue is empty."""
        assert self._telling is not None
        with self._telling, suspend_recording():
            while self._waiting:
                event = next(iter(self._waiting))
                session = self._waiting.pop(event)
                try:
                    await self._run_callback(session, event)
                except Exception as error:
                    kind = type(event).__name__
                    session.package.logger().error("a callback for %s failed", kind, exc_info=error)
        self._telling = None

    async def _run_callback(self, session: Session, event: Event) -> None:
        callbacks = self.callbacks
        waiting: Awaitable[None] | None = None
        if isinstance(event, ToolsChanged):
            from .tool_comparison import compare_again

            changes = await compare_again(session, self.verify, self.limit, self.logged)
            if callbacks.on_tools_changed:
                waiting = callbacks.on_tools_changed(changes)
        elif isinstance(event, ResourceUpdated):
            if callbacks.on_resource_updated:
                waiting = callbacks.on_resource_updated(event.uri)
        elif callbacks.on_log:
            waiting = callbacks.on_log(event.level, event.data, event.logger)
        if inspect.isawaitable(waiting):
            await waiting


def _is_severe(level: str, least: str) -> bool:
    """Return True if a log message has the requested level or a higher one.

    Some servers ignore the level that the client has set.
    """
    return level not in _LEVELS or _LEVELS.index(level) >= _LEVELS.index(least)
