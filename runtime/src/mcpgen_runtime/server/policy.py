"""What the author may decide about every call: who, how often, how long, how large."""

from __future__ import annotations

import json
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp.server.mcpserver import ResourceSecurity
from mcp.types import CallToolResult, CompleteRequestParams
from pydantic_core import to_json

from ..contract import ToolInfo
from .context import Context
from .errors import Refused
from .subscriptions import Subscriptions

Authorize: TypeAlias = Callable[[ToolInfo, Mapping[str, Any], Context], "bool | Awaitable[bool]"]
"""Is asked before each call, with the arguments as JSON; only ``True`` allows it."""

AuthorizeReading: TypeAlias = Callable[[str, Mapping[str, Any], Context], "bool | Awaitable[bool]"]
"""Is asked before a prompt is filled in, a resource read, or an argument of either
completed, with its name or URI and what was given; only ``True`` allows it.
"""

Sanitize: TypeAlias = Callable[
    [ToolInfo, CallToolResult, Context], "CallToolResult | Awaitable[CallToolResult]"
]
"""Is given each result before it is checked and sent, and returns what may be sent."""


Complete: TypeAlias = Callable[
    [CompleteRequestParams, Context], "Sequence[str] | Awaitable[Sequence[str]]"
]
"""Is asked how a prompt's or template's argument may go on, if ``completions`` is
declared.
"""


@dataclass(frozen=True)
class Rate:
    """So many calls in so many seconds, of one tool, prompt, resource or template by
    one caller; all may come at once.
    """

    calls: float
    per: float = 1.0

    def __post_init__(self) -> None:
        if self.calls < 1 or self.per <= 0:
            raise ValueError("a rate allows at least one call in more than no time")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a call may take, in seconds, how large its JSON may be, in bytes, how
    often it may come; ``None`` is no limit.
    """

    timeout: float | None = 60.0
    arguments: int | None = 1_000_000
    result: int | None = 10_000_000
    rate: Rate | None = None


BeforeTask: TypeAlias = Callable[
    [ToolInfo, Mapping[str, Any], Context], "object | Awaitable[object]"
]
"""May ask the client what must be known before there is a task; what a method asks by
the same key is then answered.
"""


@dataclass(frozen=True, kw_only=True)
class Tasks:
    """How long tasks are kept, in seconds from when they are made, and how many.

    A task runs as long as it is kept. ``max_ttl`` is what a client may ask for,
    ``poll`` how often it is to look; ``working`` and ``kept`` are of one caller.
    """

    before: BeforeTask | None = None

    ttl: float = 3600.0
    max_ttl: float = 86_400.0
    poll: float = 1.0
    working: int = 100
    kept: int = 1_000
    max_kept_total: int = 10_000


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What holds for all calls; ``limits_of`` has the tools and prompts, by name, and
    the resources and templates, by URI, with other limits.

    What a template's variables hold never leads out of a folder, unless ``security_of``
    says so of the template, or ``security`` of all.

    ``state_keys`` are secrets of 32 bytes or more that several processes share, so that
    each can take up a call in which another one asked the user something.
    """

    limits: Limits = Limits()
    limits_of: Mapping[str, Limits] = field(default_factory=dict[str, Limits])
    authorize: Authorize | None = None
    authorize_reading: AuthorizeReading | None = None
    sanitize: Sanitize | None = None
    complete: Complete | None = None
    security: ResourceSecurity = field(default_factory=ResourceSecurity)
    security_of: Mapping[str, ResourceSecurity] = field(default_factory=dict[str, ResourceSecurity])
    subscriptions: Subscriptions = field(default_factory=Subscriptions)
    tasks: Tasks = Tasks()
    state_keys: tuple[str, ...] = ()

    def limits_for(self, name: str) -> Limits:
        """Return the limits of a tool, prompt or resource: its own, or those of all."""
        return self.limits_of.get(name, self.limits)


class Buckets:
    """A token bucket for each tool, prompt or resource, and caller; the longest unused
    are forgotten.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = 100_000) -> None:
        self._clock, self._most = clock, most
        self._filled: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable, rate: Rate) -> float:
        """Take one token; or return the seconds until there is one, and take none."""
        now = self._clock()
        tokens, filled_at = self._filled.pop(key, (rate.calls, now))
        tokens = min(rate.calls, tokens + (now - filled_at) * rate.calls / rate.per)
        taken = 1 if tokens >= 1 else 0
        self._filled[key] = (tokens - taken, now)
        if len(self._filled) > self._most:
            self._filled.popitem(last=False)
        return 0.0 if taken else (1 - tokens) * rate.per / rate.calls

    def admit(
        self, kind: str, name: str, caller: Hashable, limits: Limits, arguments: object
    ) -> None:
        """Refuse what comes too often or is too large, before anything else is done."""
        if limits.rate is not None:
            seconds = self.wait((kind, name, caller), limits.rate)
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
    """Say whether arguments are surely not too large, which takes less than to count.

    Escaped and with spaces, a byte of this JSON takes six at most.
    """
    try:
        return 6 * len(to_json(arguments)) <= most
    except ValueError:  # not to be written, such as half a pair of surrogates
        return False
