"""What is on the shelf: asks the bookshelf, by the client that mcpgen wrote."""

from __future__ import annotations

import sys

from bookshelf import BookshelfClient


def main() -> None:
    """Print the titles that match the words on the command line."""
    with BookshelfClient.sync.connect() as bookshelf:
        for item in bookshelf.search_catalogue(query=" ".join(sys.argv[1:]) or "night").items:
            print(item.title)
