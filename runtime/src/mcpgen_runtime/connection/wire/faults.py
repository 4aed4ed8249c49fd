"""Faults below the protocol, which stand in place of the answer to a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Broken:
    """The connection broke; ``may_have_run`` is false where nothing was sent."""

    reason: str
    may_have_run: bool = True
    cause: Exception | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Refused:
    """An HTTP status in place of an answer; the names of the headers are lower-case.

    ``is_forgotten`` says that it is because the server does not know the session.
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
    """An answer came that is no message of the protocol, or not as a whole."""

    reason: str

    def __str__(self) -> str:
        return self.reason


Fault: TypeAlias = Broken | Refused | Unreadable
