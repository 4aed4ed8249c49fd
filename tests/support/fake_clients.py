"""Fakes of a client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from runtime.packages import import_client, package
from skeletons import demo

from mcpgen.contract.document import Contract, read

BOOKSHELF = import_client(demo(), "bookshelf_of_fakes")

MODELS = BOOKSHELF.models


def item(name: str = "B-1") -> Any:
    result = {
        "id": name,
        "kind": "book",
        "title": "Night",
        "creator": {"name": "Ada", "born": 1950},
    }
    more = {"genre": "crime", "published": 1990, "added": "2020-01-01T00:00:00Z", "pages": 3}
    return BOOKSHELF.GetItemOutput(item=MODELS.Book(**{**result, **more}), lent=False)


def catalogue_page(total: int = 0) -> Any:
    return BOOKSHELF.SearchCatalogueOutput(items=[], total=total)


def run(
    act: Callable[[Any], Awaitable[Any]], *args: Any, of: Any = BOOKSHELF, **options: Any
) -> Any:
    """Run a function with a new fake."""
    return anyio.run(act, of.Client.fake(*args, **options))


def contract(tools: dict[str, Any], **more: Any) -> Contract:
    """Return a contract of tools with these output schemas."""
    return read(
        {
            "tools": [
                {"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema}
                for name, schema in tools.items()
            ],
            **more,
        }
    )


SHOP = package()
