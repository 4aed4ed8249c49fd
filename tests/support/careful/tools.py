"""The tools of the demo's contract as user code that follows the whole contract."""

from __future__ import annotations

from mcp.types import ImageContent, TextContent
from pydantic import TypeAdapter

from mcpgen.demo import COVER, ITEMS, LENT

from ._generated import BookshelfTools, Context, ToolError, ToolOutput
from ._generated.models.borrow_item import BorrowItemInput, BorrowItemOutput
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
    SearchCatalogueOutputBook,
    SearchCatalogueOutputFilm,
)
from ._generated.models.show_cover import ShowCoverInput
from ._generated.models.take_inventory import TakeInventoryInput, TakeInventoryOutput
from ._generated.models.withdraw_items import WithdrawItemsInput, WithdrawItemsOutput

Book = SearchCatalogueOutputBook
Film = SearchCatalogueOutputFilm
Item = Book | Film
CATALOGUE: dict[str, Item] = {
    key: TypeAdapter[Item](Book if item["kind"] == "book" else Film).validate_python(item)
    for key, item in ITEMS.items()
}


class Tools(BookshelfTools):
    """The tools of the server."""

    async def borrow_item(self, arguments: BorrowItemInput, context: Context) -> BorrowItemOutput:
        """Lend an available item."""
        item = item_of(arguments.id)
        if item.id in LENT:
            raise ToolError(f"{item.title!r} is lent until 2026-12-01; try another item")
        due = f"2026-12-{1 + 7 * (arguments.weeks or 2):02}T18:00:00Z"
        return BorrowItemOutput(loan=f"L-{item.id}", item=item, due=due)

    async def browse_shelves(
        self, arguments: BrowseShelvesInput, context: Context
    ) -> BrowseShelvesOutput:
        """Return one floor or both."""
        crime = BrowseShelvesOutputShelf(name="Crime", items=["B-2"])
        ground = BrowseShelvesOutputShelf(name="Books", items=["B-1"], shelves=[crime])
        floors = [ground, BrowseShelvesOutputShelf(name="Films", items=["F-1"], shelves=[])]
        chosen = floors if arguments.floor is None else [floors[arguments.floor]]
        return BrowseShelvesOutput(shelves=chosen)

    async def get_item(self, arguments: GetItemInput, context: Context) -> GetItemOutput:
        """Look an item up."""
        item = item_of(arguments.id)
        return GetItemOutput(item=item, lent=item.id in LENT)

    async def list_opening_hours(
        self, arguments: ListOpeningHoursInput, context: Context
    ) -> ListOpeningHoursOutput:
        """Return an array. Before 2026-07-28, it is sent as text."""
        return [Hours(day="monday", opens="10:00:00Z", closes="18:00:00Z")]

    async def search_catalogue(
        self, arguments: SearchCatalogueInput, context: Context
    ) -> SearchCatalogueOutput:
        """Search titles with the given filters."""
        items = [item for item in CATALOGUE.values() if is_wanted(item, arguments)]
        return SearchCatalogueOutput(items=items[: arguments.limit or 10], total=len(items))

    async def show_cover(self, arguments: ShowCoverInput, context: Context) -> ToolOutput:
        """Return a text and an image."""
        return [
            TextContent(type="text", text=f"The cover of {item_of(arguments.id).title}"),
            ImageContent(type="image", data=COVER, mime_type="image/png"),
        ]

    async def take_inventory(
        self, arguments: TakeInventoryInput, context: Context
    ) -> TakeInventoryOutput:
        """Count, with progress after each."""
        by_genre: dict[str, int] = {}
        for count, item in enumerate(CATALOGUE.values(), start=1):
            by_genre[item.genre] = by_genre.get(item.genre, 0) + 1
            await context.progress(count, len(CATALOGUE), item.title)
        return TakeInventoryOutput(counted=len(CATALOGUE), by_genre=by_genre)

    async def withdraw_items(
        self, arguments: WithdrawItemsInput, context: Context
    ) -> WithdrawItemsOutput:
        """Ask the user first."""
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        gone: list[str] = []
        for item in [item_of(id_) for id_ in arguments.ids]:
            answer = await context.elicit(item.id, f"Withdraw {item.title}?", schema)
            if answer.action == "accept" and (answer.content or {}).get("sure"):
                gone.append(item.id)
        return WithdrawItemsOutput(withdrawn=gone)


def item_of(key: str) -> Item:
    """Return an item, or list the known ones in an error."""
    if key not in CATALOGUE:
        raise ToolError(f"there is no item {key}; known are {', '.join(CATALOGUE)}")
    return CATALOGUE[key]


def is_wanted(item: Item, arguments: SearchCatalogueInput) -> bool:
    """Return True if an item matches the search."""
    subtitles: list[str] = (item.subtitles or []) if isinstance(item, Film) else []
    return (
        arguments.query.lower() in item.title.lower()
        and arguments.genre in (None, item.genre)
        and (arguments.from_ is None or arguments.from_ <= item.published)
        and (arguments.language or "") in ["", *subtitles]
    )
