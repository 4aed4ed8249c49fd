"""Text of others on its way to a person: short, and on one line."""

from __future__ import annotations


def brief(text: str, limit: int = 160) -> str:
    """Shorten a message that may quote a whole document, and show it on one line."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."
