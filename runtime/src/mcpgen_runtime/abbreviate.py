"""Texts of one line and bounded length, for the ``repr`` of whatever it is."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Iterable

_LONGEST = 120
_MOST_NAMES = 8


def quoted(text: str) -> str:
    """Return the start of a text in quotes, with whatever is not printable escaped."""
    start = text[:_LONGEST]
    return f"{start!r}..." if len(text) > _LONGEST else repr(start)


def plain(text: str) -> str:
    """Return the start of a text, with whatever is not printable escaped."""
    start = repr(text[:_LONGEST])[1:-1]
    return f"{start}..." if len(text) > _LONGEST else start


def line(text: str) -> str:
    """Return a whole text on one line, with whatever is not printable escaped."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def value(of: object, longest: int = _LONGEST) -> str:
    """Return the start of what ``repr`` says of a value."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = longest
    short.maxlist = short.maxtuple = short.maxdict = max(longest // 20, 4)
    text = short.repr(of)
    return text if len(text) <= longest else f"{text[:longest]}..."


def counted(number: int, noun: str) -> str:
    """Return a number of things, such as ``1 tool``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def kinds(each: Iterable[str]) -> str:
    """Return how many there are of each kind, such as ``2 text, 1 image``."""
    counts = Counter(each)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items())


def names(all_names: Iterable[str]) -> str:
    """Return the first few names of several."""
    listed = list(all_names)
    shown = ", ".join(quoted(name) for name in listed[:_MOST_NAMES])
    return f"{shown}, ..." if len(listed) > _MOST_NAMES else shown
