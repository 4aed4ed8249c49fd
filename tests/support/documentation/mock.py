"""Names used by the Python examples in docs/mock.md."""

from bookshelf import BookshelfClient
