"""Names used by the Python examples in docs/client.md."""

from collections.abc import Mapping
from typing import Any

from bookshelf import BookshelfClient
from mcp.types import ResourceLink

bookshelf = BookshelfClient.fake(unmatched="generate")
link = ResourceLink(name="rules", uri="bookshelf://rules")


def print(*_: object) -> None:  # noqa: A001 - of which a test wants to hear nothing
    """Print nothing."""


def show(progress: float, total: float | None, message: str | None) -> None:
    """Draw a bar."""


async def dialog(question: str) -> bool:
    """Ask the user."""
    return bool(question)
