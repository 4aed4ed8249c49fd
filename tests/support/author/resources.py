"""The resources of the demo's contract as user code."""

from __future__ import annotations

from ._generated import BookshelfResources, Context, NotFound, ResourceOutput


class Resources(BookshelfResources):
    """The resources of the server."""

    async def rules(self, context: Context) -> ResourceOutput:
        """Return bytes."""
        return b"Be quiet."

    async def card(self, context: Context, *, id: str) -> ResourceOutput:
        """Return the catalogue card of an item."""
        if id != "B-1":
            raise NotFound("no such item")
        return '{"id": "B-1"}'
