"""The last lines that a server's process prints, until somebody wants to see them."""

from __future__ import annotations

import os
from collections import deque
from threading import Thread
from typing import TextIO

_LINES = 40


class Stderr:
    """A file to print into, of which only the end is kept."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.file: TextIO = os.fdopen(write, "w", encoding="utf-8")
        self._kept: deque[str] = deque(maxlen=_LINES)
        self._reader = Thread(target=self._listen, args=(read,), daemon=True)
        self._reader.start()

    def _listen(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as lines:
            self._kept.extend(lines)

    def close(self) -> str:
        """Close the file and return its end."""
        self.file.close()
        # A grandchild may hold the other end open for ever.
        self._reader.join(timeout=0.5)
        return "".join(list(self._kept)).rstrip()
