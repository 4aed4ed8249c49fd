"""Names used by the Python examples in docs/middleware.md."""

import time

from bookshelf import BookshelfClient
from bookshelf.middleware import Call, Result, SyncProceed

durations: list[tuple[str, float]] = []
