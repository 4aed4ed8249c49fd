"""Caches results of calls that change nothing, for equal calls."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..errors import CallTimeout, NotConfirmed, TooManyCalls
from ..models.content import AnyResult
from .middleware import Call, Proceed, connector_of

if TYPE_CHECKING:
    import anyio

    from ..connection.session_manager import SessionManager
    from ..package import Package

_Key = tuple[str, str, str]
_OF_ONE_CALLER = (CallTimeout, NotConfirmed, TooManyCalls)
"""Errors that depend on the caller, so identical calls don't share them."""


def caching(
    *,
    ttl: float | None = None,
    tools: Collection[str] | None = None,
    max_entries: int = 256,
) -> Caching:
    """Create a middleware that caches results of read-only tools and of resources.

    Concurrent identical calls share one request. Errors, calls with their own ``_meta`` and tasks
    aren't cached. The cache is cleared when the server announces a change, and for each session.
    Each client has its own.

    Args:
        ttl: How many seconds a result is cached. The ``ttlMs`` of a result takes
            precedence, and without ``ttl`` only such results are cached.
        tools: The JSON names of the tools to cache. Defaults to those that the contract
            marks as read-only.
        max_entries: The maximum number of results. The least recently used are dropped.
    """
    return Caching(ttl, None if tools is None else _known_tools(tools), max_entries)


def _known_tools(tools: Collection[str]) -> frozenset[str]:
    if isinstance(tools, str):
        raise TypeError("tools has the names of tools")
    return frozenset(tools)


@dataclass
class _Entry:
    result: AnyResult
    until: float


@dataclass(eq=False)
class _InFlight:
    """A pending request that identical calls wait for, and its outcome."""

    finished: anyio.Event
    result: AnyResult | None = None
    error: Exception | None = None


@dataclass
class _Store:
    """The cache of one client. ``mark`` identifies its session and the last change."""

    entries: OrderedDict[_Key, _Entry] = field(default_factory=OrderedDict["_Key", "_Entry"])
    in_flight: dict[_Key, _InFlight] = field(default_factory=dict["_Key", "_InFlight"])
    mark: tuple[object, int] | None = None

    def renew(self, connector: SessionManager) -> None:
        """Drop entries that may be outdated."""
        mark = _session_marker(connector)
        if mark != self.mark:
            self.entries.clear()
            self.in_flight.clear()
            self.mark = mark

    def is_current(self, connector: SessionManager) -> bool:
        """Whether a result belongs to the current session, and nothing has changed since."""
        mark = _session_marker(connector)
        if self.mark is None and mark is not None and mark[1] == 0:
            self.mark = mark  # identifies the session of the request
        return mark is not None and mark == self.mark


@dataclass(eq=False)
class Caching:
    """The middleware that :func:`caching` makes."""

    ttl: float | None
    tools: frozenset[str] | None
    max_entries: int
    clock: Callable[[], float] = time.monotonic
    _stores: WeakKeyDictionary[SessionManager, _Store] = field(
        default_factory=WeakKeyDictionary["SessionManager", "_Store"], repr=False
    )

    def __post_init__(self) -> None:
        if self.ttl is not None and not self.ttl >= 0:
            raise ValueError(f"ttl is a number of seconds, not {self.ttl!r}")
        if self.max_entries < 1:
            raise ValueError(f"max_entries is at least 1, not {self.max_entries!r}")

    def check(self, package: Package) -> None:
        """Raise if the contract lacks one of the tools. ``connect`` calls this."""
        for name in self.tools or ():
            if name not in package.tools:
                raise ValueError(f"caching: the contract has no tool {name!r}")

    async def __call__(self, call: Call, proceed: Proceed) -> AnyResult:
        """Return the cached result of an identical call, or make the call."""
        connector = connector_of(call)
        if connector is None or not self._is_kept(call):
            return await proceed(call)
        store = self._stores.setdefault(connector, _Store())
        key = (call.kind, call.name, _canonical(call.arguments))
        while True:
            store.renew(connector)
            entry = store.entries.get(key)
            if entry is not None and self.clock() < entry.until:
                store.entries.move_to_end(key)
                return entry.result.model_copy(deep=True)
            pending = store.in_flight.get(key)
            if pending is None:
                return await self._ask(call, proceed, store, key)
            await pending.finished.wait()
            if isinstance(pending.error, _OF_ONE_CALLER):
                return await proceed(call)
            if pending.error is not None:
                raise pending.error
            if pending.result is not None:
                return pending.result.model_copy(deep=True)
            # The caller that made the request was cancelled, so one of the waiting
            # callers makes it.

    async def _ask(self, call: Call, proceed: Proceed, store: _Store, key: _Key) -> AnyResult:
        import anyio

        pending = store.in_flight[key] = _InFlight(anyio.Event())
        try:
            result = await proceed(call)
            pending.result = result.model_copy(deep=True)
        except Exception as error:
            pending.error = error
            raise
        finally:
            if store.in_flight.get(key) is pending:
                del store.in_flight[key]
            pending.finished.set()
        connector = connector_of(call)
        seconds = self._seconds(result)
        is_error = getattr(result, "is_error", False)
        if seconds and not is_error and connector and store.is_current(connector):
            store.entries[key] = _Entry(pending.result, self.clock() + seconds)
            store.entries.move_to_end(key)
            while len(store.entries) > self.max_entries:
                store.entries.popitem(last=False)
        return result

    def _is_kept(self, call: Call) -> bool:
        if call.meta or call.is_started or call.kind == "prompt":
            return False
        if call.kind == "resource":
            return True
        return call.hints.read_only if self.tools is None else call.name in self.tools

    def _seconds(self, result: AnyResult) -> float | None:
        """Return how many seconds to cache a result: its own ``ttlMs`` or the default."""
        if "ttl_ms" in result.model_fields_set:
            milliseconds: int = getattr(result, "ttl_ms", 0)
            return milliseconds / 1000
        return self.ttl


def _session_marker(connector: SessionManager) -> tuple[object, int] | None:
    """Return a mark of the current session, or None if it was lost."""
    session = connector.current
    return None if session.lost else (session, session.news)


def _canonical(arguments: Any) -> str:
    return json.dumps(dict(arguments), sort_keys=True)
