"""Recording and replay of a client's calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from ..errors import ClientError
    from ..models.content import AnyResult
    from .request import Request

T = TypeVar("T")


class Tape(Protocol):
    """Records the calls of a connection, or replays them."""

    @property
    def replays(self) -> str:
        """The name of the replayed recording, or ``""`` if a server is called."""
        ...

    async def answer(self, kind: str, name: str, wire: Mapping[str, Any], request: Request[T]) -> T:
        """Return the result of a request."""
        ...

    def keep(self, name: str, wire: Mapping[str, Any], outcome: AnyResult | ClientError) -> None:
        """Record the outcome of a task."""
        ...
