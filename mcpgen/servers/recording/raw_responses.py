"""The raw responses of a server during a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mcpgen.contract.lists import Listing
from mcpgen.jsontext import Json, is_array, is_object

Mode: TypeAlias = Literal["auto", "legacy"]
"""How to find the revision: automatically, or by the legacy handshake only."""

CONNECTION_CLOSED = -32000
"""The code of the error created locally when the server is no longer running."""


@dataclass(eq=False)
class ErrorAnswer(Exception):
    """An error response. ``data`` may be a fault of the connection."""

    code: int
    message: str
    data: object = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Answers:
    """The raw responses of a server. ``greeting`` is the result of `initialize` or
    `server/discover`.

    ``pages`` and ``failed`` are keyed by list method: result pages and error messages. ``junk`` is
    the first output on stdout that wasn't a message.
    """

    revision: str
    greeting: Mapping[str, Json] = field(default_factory=dict[str, Json])
    pages: Mapping[str, Sequence[Json]] = field(default_factory=dict[str, "Sequence[Json]"])
    client_capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    junk: str = ""


def entries_of(page: Json, listing: Listing) -> list[Json]:
    """Return the entries of a page, or an empty list for an invalid page."""
    entries: Json = page.get(listing.member) if is_object(page) else None
    return entries if is_array(entries) else []
