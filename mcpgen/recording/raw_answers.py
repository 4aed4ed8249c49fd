"""What a server answered while it was recorded, raw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen.contract.lists import Listing
from mcpgen.jsontext import Json, is_array, is_object


@dataclass(frozen=True, slots=True)
class Answers:
    """What a server answered, raw: ``greeting`` to `initialize` or `server/discover`.

    ``pages`` are by the method that asked for them, as are the messages of ``failed``; ``junk`` is
    the first thing on stdout that was no message.
    """

    revision: str
    greeting: Mapping[str, Json] = field(default_factory=dict[str, Json])
    pages: Mapping[str, Sequence[Json]] = field(default_factory=dict[str, "Sequence[Json]"])
    client_capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    junk: str = ""


def entries_of(page: Json, listing: Listing) -> list[Json]:
    """Return the entries of a page, none where it is no page."""
    entries: Json = page.get(listing.member) if is_object(page) else None
    return entries if is_array(entries) else []
