"""Policies for all calls: access, rates, time limits and sizes."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp.server import CacheHint
from mcp.server.caching import CacheableMethod
from mcp.server.mcpserver import ResourceSecurity
from mcp.types import CallToolResult, CompleteRequestParams
from pydantic_core import to_json

from ..contract import ToolInfo
from .context import Context
from .errors import Refused
from .rates import MemoryRates, Rate, Rates
from .replicas.redis_store import RedisStore
from .subscriptions import Subscriptions

Authorize: TypeAlias = Callable[[ToolInfo, Mapping[str, Any], Context], "bool | Awaitable[bool]"]
"""Called before each call with the JSON arguments. Only ``True`` allows the call."""

AuthorizeReading: TypeAlias = Callable[[str, Mapping[str, Any], Context], "bool | Awaitable[bool]"]
"""Called before a prompt or resource is returned, or an argument of either is completed, with
the name or URI and the arguments. Only ``True`` allows it.
"""

Sanitize: TypeAlias = Callable[
    [ToolInfo, CallToolResult, Context], "CallToolResult | Awaitable[CallToolResult]"
]
"""Receives each result before it is validated and sent, and returns the result to send."""


Complete: TypeAlias = Callable[
    [CompleteRequestParams, Context], "Sequence[str] | Awaitable[Sequence[str]]"
]
"""Completes an argument of a prompt or template, if the contract declares ``completions``."""

OnStart: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
"""Opens what the server needs, such as a database, before the first request, and closes it
after the last.
"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a call: duration in seconds, size of its JSON in bytes, and rate.

    None means no limit.
    """

    timeout: float | None = 60.0
    arguments: int | None = 1_000_000
    result: int | None = 10_000_000
    rate: Rate | None = None


BeforeTask: TypeAlias = Callable[
    [ToolInfo, Mapping[str, Any], Context], "object | Awaitable[object]"
]
"""Asks the client questions before a task starts. The method gets the same answers by key."""


@dataclass(frozen=True, kw_only=True)
class Tasks:
    """Limits of tasks: how long they are kept, in seconds from their creation, and how many.

    A task can run until its entry expires. ``max_ttl`` is the longest time that a client can
    request and ``poll`` the suggested polling interval. ``working`` and ``kept`` count per
    caller.
    """

    before: BeforeTask | None = None

    ttl: float = 3600.0
    max_ttl: float = 86_400.0
    poll: float = 1.0
    working: int = 100
    kept: int = 1_000
    max_kept_total: int = 10_000


FRESH: Mapping[CacheableMethod, CacheHint] = {
    "tools/list": CacheHint(ttl_ms=60_000, scope="public")
}


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Policy for all calls.

    Attributes:
        limits_of: Limits of single tools and prompts by name, and of resources and
            templates by URI.
        security: Checks of template variables, which by default can't lead out of a
            folder.
        security_of: Checks of single templates.
        cache: How long and with which scope clients since 2026-07-28 may cache results, by method.
            By default, only ``tools/list`` is cached. If something needs a
            scope, results are always private.
        scopes_of: Scopes that callers need for single tools, prompts, resources and
            templates, besides those set with ``requires``.
        store: The store that replicas share over HTTP. By default each process has its
            own sessions, rate limits, subscriptions and tasks.
        state_keys: Secrets of at least 32 bytes. Processes that share them can resume a
            call in which another process asked the user.
    """

    limits: Limits = Limits()
    limits_of: Mapping[str, Limits] = field(default_factory=dict[str, Limits])
    authorize: Authorize | None = None
    authorize_reading: AuthorizeReading | None = None
    sanitize: Sanitize | None = None
    complete: Complete | None = None
    on_start: OnStart | None = None
    security: ResourceSecurity = field(default_factory=ResourceSecurity)
    security_of: Mapping[str, ResourceSecurity] = field(default_factory=dict[str, ResourceSecurity])
    scopes_of: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    subscriptions: Subscriptions = field(default_factory=Subscriptions)
    tasks: Tasks = Tasks()
    cache: Mapping[CacheableMethod, CacheHint] = field(
        default_factory=lambda: dict[CacheableMethod, CacheHint](FRESH)
    )
    store: RedisStore | None = None
    state_keys: tuple[str, ...] = ()

    def limits_for(self, name: str) -> Limits:
        """Return the limits of a tool, prompt or resource, or the general ones."""
        return self.limits_of.get(name, self.limits)


class Admission:
    """Rejects calls that are too large or come too often."""

    def __init__(self) -> None:
        self.rates: Rates = MemoryRates()

    async def admit(
        self, kind: str, name: str, caller: Hashable, limits: Limits, arguments: object
    ) -> None:
        """Reject a call that is too large or comes too often."""
        if limits.rate is not None:
            seconds = await self.rates.wait((kind, name, caller), limits.rate)
            if seconds:
                later = max(1, math.ceil(seconds))
                raise Refused(f"Too many calls of {name}; try again in {later} seconds.")
        if limits.arguments is not None and not _is_small(arguments, limits.arguments):
            size = len(json.dumps(arguments))
            if size > limits.arguments:
                raise Refused(
                    f"The arguments of {name} have {size} bytes, and"
                    f" {limits.arguments} are allowed."
                )


def _is_small(arguments: object, most: int) -> bool:
    """Return True if arguments are certainly small enough, which is faster than measuring.

    A byte of this JSON takes at most six bytes after escaping, with spaces.
    """
    try:
        return 6 * len(to_json(arguments)) <= most
    except ValueError:  # not encodable, such as a lone surrogate
        return False
