"""Storage of the last lines that a server process writes to stderr."""

from __future__ import annotations

import os
from collections import deque
from threading import Thread
from typing import TextIO

_LINES = 40
_LONGEST_LINE = 1000
_REST = 0.5
_POLL = 0.002


class Stderr:
    """A writable file that keeps only its end."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.file: TextIO = os.fdopen(write, "w", encoding="utf-8")
        self._kept: deque[str] = deque(maxlen=_LINES)
        self._reader = Thread(target=self._listen, args=(read,), daemon=True)
        self._reader.start()

    def _listen(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as lines:
            self._kept.extend(iter(lambda: lines.readline(_LONGEST_LINE), ""))

    async def aclose(self) -> None:
        """Close the file after reading the rest of it."""
        import anyio

        self.file.close()
        # No thread can wait for it, because none can be started while the interpreter exits.
        with anyio.move_on_after(_REST):  # a grandchild may hold the other end open
            while self._reader.is_alive():
                await anyio.sleep(_POLL)

    def __str__(self) -> str:
        return "".join(self._kept.copy()).rstrip()
