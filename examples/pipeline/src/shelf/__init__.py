"""What is on the shelf: asks the library, by the client that mcpgen wrote."""

from __future__ import annotations

import sys

from library import LibraryClient


def main() -> None:
    """Print the titles that match the words on the command line."""
    with LibraryClient.sync.connect() as library:
        for item in library.search_catalogue(query=" ".join(sys.argv[1:]) or "night").items:
            print(item.title)
