"""The tools of the demo's contract as user code, which misbehaves on request."""

from __future__ import annotations

import anyio
from mcp.types import ImageContent, TextContent

from ._generated import BookshelfTools, Context, ToolError, ToolOutput, raw_json
from ._generated.models.borrow_item import (
    BorrowItemInput,
    BorrowItemOutput,
    BorrowItemOutputBook,
    BorrowItemOutputCreator,
)
from ._generated.models.browse_shelves import (
    BrowseShelvesInput,
    BrowseShelvesOutput,
    BrowseShelvesOutputShelf,
)
from ._generated.models.get_item import GetItemInput, GetItemOutput
from ._generated.models.list_opening_hours import (
    ListOpeningHoursInput,
    ListOpeningHoursOutput,
)
from ._generated.models.list_opening_hours import ListOpeningHoursOutputItem as Hours
from ._generated.models.search_catalogue import (
    SearchCatalogueInput,
    SearchCatalogueOutput,
)
from ._generated.models.show_cover import ShowCoverInput
from ._generated.models.take_inventory import TakeInventoryInput, TakeInventoryOutput
from ._generated.models.withdraw_items import WithdrawItemsInput, WithdrawItemsOutput

SEEN: list[object] = []


class Tools(BookshelfTools):
    """The tools of the server."""

    async def borrow_item(self, arguments: BorrowItemInput, context: Context) -> BorrowItemOutput:
        """Lend a book, or fail in the way that the number of weeks selects."""
        if arguments.weeks == 1:
            raise ToolError(f"{arguments.id} is lent; try another item")
        if arguments.weeks == 3:
            raise KeyError("a secret")
        if arguments.weeks == 4:
            await anyio.sleep(60)
        book = BorrowItemOutputBook(
            kind="book",
            id=arguments.id,
            title="Night",
            creator=BorrowItemOutputCreator(name="Ada", born=None),
            genre="crime",
            published=2001,
            added="2024-03-01T09:30:00Z",
            pages=3,
        )
        return BorrowItemOutput(loan="L-1", item=book, due="2026-12-01T18:00:00Z")

    async def browse_shelves(
        self, arguments: BrowseShelvesInput, context: Context
    ) -> BrowseShelvesOutput:
        """Return one shelf, named after the raw arguments."""
        SEEN.append(raw_json(arguments))
        shelf = BrowseShelvesOutputShelf(name=str(arguments.floor), items=["B-1"])
        return BrowseShelvesOutput(shelves=[shelf])

    async def get_item(self, arguments: GetItemInput, context: Context) -> GetItemOutput:
        """Not written yet."""
        raise NotImplementedError

    async def list_opening_hours(
        self, arguments: ListOpeningHoursInput, context: Context
    ) -> ListOpeningHoursOutput:
        """Return an array. Before 2026-07-28, it is sent as text."""
        return [Hours(day="monday", opens="10:00:00Z", closes="18:00:00Z")]

    async def search_catalogue(
        self, arguments: SearchCatalogueInput, context: Context
    ) -> SearchCatalogueOutput:
        """Return an invalid result for a large limit."""
        result = SearchCatalogueOutput(items=[], total=0)
        if arguments.limit == 50:
            result.total = -1
        if arguments.query == "long":
            result.items += [  # type: ignore[arg-type]
                {"kind": "book"}
            ]
        return result

    async def show_cover(self, arguments: ShowCoverInput, context: Context) -> ToolOutput:
        """Return a text and an image."""
        return [
            TextContent(type="text", text=arguments.id),
            ImageContent(type="image", data="AAAA", mime_type="image/png"),
        ]

    async def take_inventory(
        self, arguments: TakeInventoryInput, context: Context
    ) -> TakeInventoryOutput:
        """Report progress twice."""
        await context.progress(1, 2, "half")
        await context.progress(2, 2, "done")
        return TakeInventoryOutput(counted=2, by_genre={"crime": 2})

    async def withdraw_items(
        self, arguments: WithdrawItemsInput, context: Context
    ) -> WithdrawItemsOutput:
        """Ask the user first, and again for a second item."""
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        gone: list[str] = []
        for item in arguments.ids:
            answer = await context.elicit(item, f"Withdraw {item}?", schema)
            if answer.action == "accept" and (answer.content or {}).get("sure"):
                gone.append(item)
        return WithdrawItemsOutput(withdrawn=gone)
