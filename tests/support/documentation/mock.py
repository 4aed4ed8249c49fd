"""What the Python in docs/mock.md takes for granted."""

from bookshelf import BookshelfClient
