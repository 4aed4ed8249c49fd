"""The resources of the demo's contract, all of them readable."""

from __future__ import annotations

import json

from mcpgen.demo import ITEMS

from ._generated import BookshelfResources, Context, NotFound, ResourceOutput


class Resources(BookshelfResources):
    """The resources of the server."""

    async def rules(self, context: Context) -> ResourceOutput:
        """Return a text."""
        return "Be quiet."

    async def card(self, context: Context, *, id: str) -> ResourceOutput:
        """Return the catalogue card of an item."""
        if id not in ITEMS:
            raise NotFound(f"there is no item {id}")
        return json.dumps(ITEMS[id])
