"""Names used by the Python examples in docs/notebooks.md."""

from bookshelf import BookshelfClient

bookshelf = BookshelfClient.fake()
