"""Faults below the protocol, which replace the response to a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Broken:
    """The connection broke. ``may_have_run`` is False if nothing was sent."""

    reason: str
    may_have_run: bool = True
    cause: Exception | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class HttpRejection:
    """An HTTP error status instead of a response. Header names are lowercase.

    ``is_forgotten`` is True if the server doesn't know the session.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str = ""
    is_forgotten: bool = False
    reason: str = ""

    def __str__(self) -> str:
        return f"HTTP {self.status}"


@dataclass(frozen=True)
class Unreadable:
    """A response that isn't a valid or complete message of the protocol."""

    reason: str

    def __str__(self) -> str:
        return self.reason


Fault: TypeAlias = Broken | HttpRejection | Unreadable
