"""What records the calls of a client, or replays them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from ..errors import ClientError
    from ..models.content import AnyResult
    from .request import Request

T = TypeVar("T")


class Tape(Protocol):
    """What stands between a connection and its server."""

    @property
    def replays(self) -> str:
        """What is replayed, so that no server is asked; empty where one is."""
        ...

    async def answer(self, kind: str, name: str, wire: Mapping[str, Any], request: Request[T]) -> T:
        """Return the answer to a request."""
        ...

    def keep(self, name: str, wire: Mapping[str, Any], outcome: AnyResult | ClientError) -> None:
        """Take what became of a task."""
        ...
