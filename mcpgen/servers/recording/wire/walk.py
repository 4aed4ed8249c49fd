"""Determines the next page to request, for any client."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import EndlessListError
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.follow_up import RequestPlan
from mcpgen.servers.recording.raw_responses import ErrorAnswer
from mcpgen.servers.recording.wire.transcript import Transcript

MAX_PAGES = 1000
_NOT_OFFERED = (-32601, -32602)
"""`Method not found` and `Invalid params` of JSON-RPC."""

Page: TypeAlias = tuple[Listing, str | None]
"""A list, and the cursor of the page."""


def wished_lists(capabilities: Json, request_plan: RequestPlan | None) -> Json:
    """Return the capabilities whose lists are read: all, or the requested ones."""
    if request_plan is None or not is_object(capabilities):
        return capabilities
    return {name: value for name, value in capabilities.items() if name in request_plan.lists}


def walk(transcript: Transcript, offered: Json) -> Generator[Page, None, dict[str, str]]:
    """Yield the pages to request one by one, and return the failed lists with reasons.

    Each page is in the transcript before the next request. An :class:`ErrorAnswer` is thrown into
    the generator.
    """
    failed: dict[str, str] = {}
    for listing in LISTINGS:
        if not is_object(offered) or offered.get(listing.capability) is None:
            continue
        try:
            yield from _pages(transcript, listing)
        except ErrorAnswer as error:
            if listing.capability == "tools" or transcript.status in (401, 403):
                raise
            if error.code not in _NOT_OFFERED:
                failed[listing.method] = error.message
    return failed


def _pages(transcript: Transcript, listing: Listing) -> Generator[Page]:
    visited: set[str] = set()
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        yield listing, cursor
        after = transcript.pages[listing.method][-1].get("nextCursor")
        # An empty cursor is a cursor (specification, "Pagination").
        if not isinstance(after, str):
            return
        if after in visited:
            break
        visited.add(after)
        cursor = after
    count = len(transcript.pages[listing.method])
    raise EndlessListError(
        f"{listing.method} never ends: after {count} pages the server still offers a next one",
        hint="tell the server's author: the last page has no nextCursor",
        method=listing.method,
    )
