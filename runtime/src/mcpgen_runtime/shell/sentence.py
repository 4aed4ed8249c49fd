"""Extracts the first sentence of a description, for lists."""

from __future__ import annotations


def first_sentence(text: object) -> str:
    """Return the first sentence of a description, on one line."""
    if not isinstance(text, str):
        return ""
    line = " ".join(text.strip().partition("\n\n")[0].split())
    end = line.find(". ")
    return line[: end + 1] if end > 0 else line
