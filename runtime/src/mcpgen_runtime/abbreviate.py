"""Abbreviated text of one line, for ``repr``."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Iterable

_LONGEST = 120
_MOST_NAMES = 8


def quote_text(text: str) -> str:
    """Return the beginning of a text in quotes, with unprintable characters escaped."""
    start = text[:_LONGEST]
    return f"{start!r}..." if len(text) > _LONGEST else repr(start)


def plain(text: str) -> str:
    """Return the beginning of a text, with unprintable characters escaped."""
    start = repr(text[:_LONGEST])[1:-1]
    return f"{start}..." if len(text) > _LONGEST else start


def line(text: str) -> str:
    """Return a text on one line, with unprintable characters escaped."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def value(of: object, longest: int = _LONGEST) -> str:
    """Return the beginning of the ``repr`` of a value."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = longest
    short.maxlist = short.maxtuple = short.maxdict = max(longest // 20, 4)
    text = short.repr(of)
    return text if len(text) <= longest else f"{text[:longest]}..."


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 tool``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def kinds(labels: Iterable[str]) -> str:
    """Count items by kind, such as ``2 text, 1 image``."""
    counts = Counter(labels)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items())


def names(all_names: Iterable[str]) -> str:
    """Return a list of names, abbreviated after the first few."""
    listed = list(all_names)
    names_text = ", ".join(quote_text(name) for name in listed[:_MOST_NAMES])
    return f"{names_text}, ..." if len(listed) > _MOST_NAMES else names_text
