"""Redis as the store that the replicas of a server share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Literal

from typing_extensions import Self

_SHORTEST_KEY = 32

WhenDown = Literal["closed", "open"]


@dataclass(frozen=True, kw_only=True)
class RedisStore:
    """Settings of the shared store, which a server uses over HTTP.

    Attributes:
        url: The URL of Redis, such as ``redis://:password@redis:6379/0``.
        state_keys: The secrets, each with at least 32 bytes, the newest first. They protect
            the request state that clients send back, and the names of callers in Redis.
        limits_when_down: Whether calls are rejected while Redis doesn't respond (``closed``),
            or allowed without rate limits (``open``).
    """

    url: str = field(repr=False)
    state_keys: tuple[str, ...] = field(repr=False)
    limits_when_down: WhenDown = "closed"

    @classmethod
    def from_env(cls, *, limits_when_down: WhenDown = "closed") -> Self:
        """Return the settings from ``REDIS_URL`` and ``MCPGEN_STATE_KEYS``.

        The keys are separated by spaces. If a variable is missing, the server ends with exit
        code 2 when it starts over HTTP. Tests and stdio don't need them.
        """
        keys = os.environ.get("MCPGEN_STATE_KEYS", "").split()
        url = os.environ.get("REDIS_URL", "").strip()
        return cls(url=url, state_keys=tuple(keys), limits_when_down=limits_when_down)

    @property
    def usable_keys(self) -> tuple[str, ...]:
        """The keys, or none if one is too short, which ends the start over HTTP."""
        is_long = all(len(key.encode()) >= _SHORTEST_KEY for key in self.state_keys)
        return self.state_keys if is_long else ()

    def check(self) -> None:
        """Reject settings with which replicas couldn't work together.

        Raises:
            ValueError: There is no URL, key or library, or a key is too short.
        """
        libraries = [name for name in ("redis", "limits") if find_spec(name) is None]
        if libraries:
            raise ValueError(f"{type(self).__name__} needs the packages {', '.join(libraries)}")
        missing = [] if self.url else ["url (REDIS_URL)"]
        missing += [] if self.state_keys else ["state_keys (MCPGEN_STATE_KEYS)"]
        if missing:
            raise ValueError(f"{type(self).__name__} needs {' and '.join(missing)}")
        if not self.usable_keys:
            raise ValueError(
                f"each key of state_keys (MCPGEN_STATE_KEYS) needs {_SHORTEST_KEY} bytes or more"
            )
