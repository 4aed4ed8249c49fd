"""Redis as the store that the replicas of a server share."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import Self

_SHORTEST_KEY = 32

WhenDown = Literal["closed", "open"]


@dataclass(frozen=True, kw_only=True)
class RedisStore:
    """Settings of the shared store.

    Attributes:
        url: The URL of Redis, such as ``redis://:password@redis:6379/0``.
        state_keys: Secrets of at least 32 bytes, the newest first. They protect the request
            state that clients send back, and the names of callers in Redis.
        limits_when_down: Whether calls are refused while Redis doesn't answer (``closed``),
            or allowed without rate limits (``open``).

    Raises:
        ValueError: There is no key, or a key is too short.
    """

    url: str = field(repr=False)
    state_keys: tuple[str, ...] = field(repr=False)
    limits_when_down: WhenDown = "closed"

    def __post_init__(self) -> None:
        if not self.state_keys:
            raise ValueError("a shared store needs state_keys, the same in each replica")
        if any(len(key.encode()) < _SHORTEST_KEY for key in self.state_keys):
            raise ValueError(f"each of the state_keys must have at least {_SHORTEST_KEY} bytes")

    @classmethod
    def from_env(cls, *, limits_when_down: WhenDown = "closed") -> Self:
        """Return the settings from ``REDIS_URL`` and ``MCPGEN_STATE_KEYS``.

        The keys are separated by spaces.

        Raises:
            SystemExit: With exit code 2, if a variable is missing or wrong.
        """
        url, keys = os.environ.get("REDIS_URL", ""), os.environ.get("MCPGEN_STATE_KEYS", "")
        variables = {"REDIS_URL": url, "MCPGEN_STATE_KEYS": keys}
        missing = [name for name, value in variables.items() if not value.strip()]
        problem = f"{', '.join(missing)} must be set for {cls.__name__}" if missing else ""
        if not problem:
            try:
                return cls(
                    url=url, state_keys=tuple(keys.split()), limits_when_down=limits_when_down
                )
            except ValueError as error:
                problem = f"MCPGEN_STATE_KEYS: {error}"
        sys.stderr.write(f"error: {problem}\n")
        raise SystemExit(2)
