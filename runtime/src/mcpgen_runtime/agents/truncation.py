"""Shortening of long results, with the rest available on request."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

from .result import AgentResult

LEAST = 500
"""The smallest limit, including the note at the end."""
MOST_KEPT = 10_000_000
"""The maximum total number of stored characters. The oldest text is dropped first."""
NAME = "read_more"
DESCRIPTION = (
    "Read the rest of a result that was too long to show completely. The note at its end"
    " contains the handle and the next offset."
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {"type": "string", "description": "The handle in the note."},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "description": "How many characters to leave out.",
        },
    },
    "required": ["handle", "offset"],
    "additionalProperties": False,
}
_ROOM = 200
"""The maximum length of the note."""


@dataclass(eq=False)
class TruncatedTexts:
    """Stores long strings by handle, oldest first."""

    max_chars: int
    name: str = NAME
    """The name of the tool for the rest of a text."""
    texts: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if self.max_chars < LEAST:
            raise ValueError(f"max_chars is at least {LEAST}, not {self.max_chars}")

    def truncate(self, result: AgentResult) -> AgentResult:
        """Shorten the text of a result to the limit, and keep the rest."""
        if len(result.text) <= self.max_chars:
            return result
        handle = os.urandom(4).hex()
        self.texts[handle] = result.text[:MOST_KEPT]
        self._forget()
        text = self._page(handle, 0)
        return replace(result, text=text, structured=None, raw=None)

    def read(self, arguments: Any) -> AgentResult:
        """Handle a call of the tool that continues a text."""
        handle, offset = arguments.get("handle"), arguments.get("offset", 0)
        if isinstance(offset, float) and offset.is_integer():
            offset = int(offset)
        if type(offset) is not int or offset < 0:
            reason = "The offset isn't a non-negative integer."
            return AgentResult(reason, is_error=True)
        if not isinstance(handle, str) or handle not in self.texts:
            reason = f"The text {handle!r} is no longer stored: make the call again."
            return AgentResult(reason, is_error=True)
        if offset >= len(self.texts[handle]):
            return AgentResult(f"The text ends at {len(self.texts[handle]):,}.")
        return AgentResult(self._page(handle, offset))

    def _page(self, handle: str, offset: int) -> str:
        text = self.texts[handle]
        rest = len(text) - offset
        if rest <= self.max_chars:
            return text[offset:]
        end = _end(text, offset, offset + self.max_chars - _ROOM)
        note = (
            f"[characters {offset:,} to {end:,} of {len(text):,}; to read on, call"
            f' {self.name} with handle "{handle}" and offset {end}]'
        )
        return f"{text[offset:end]}\n\n{note}"

    def _forget(self) -> None:
        stored_chars = sum(map(len, self.texts.values()))
        while stored_chars > MOST_KEPT and len(self.texts) > 1:
            stored_chars -= len(self.texts.pop(next(iter(self.texts))))


def _end(text: str, start: int, most: int) -> int:
    """Return the position for truncating: the end of a line, if one is near."""
    line = text.rfind("\n", start + (most - start) * 3 // 4, most)
    return most if line < 0 else line + 1
