"""Spells the names of tools so that every provider takes them, and no two alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

LONGEST = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_MARKS = (8, 16, 32)
"""How many digits of a hash tell apart what would look alike."""


def spelled(names: Iterable[str]) -> dict[str, str]:
    """Return how each name is spelled: letters, digits, ``_`` and ``-``, 64 at most.

    A name that is spelled so already keeps it, and no order of names changes any.
    """
    simple = {name: _simple(name) for name in names}
    often = Counter(simple.values())
    taken = set(simple.values())
    return {
        name: (
            spelling if spelling == name or often[spelling] == 1 else _marked(name, spelling, taken)
        )
        for name, spelling in simple.items()
    }


def _simple(name: str) -> str:
    spelling = _UNSAFE.sub("_", name)
    if not any(letter.isalnum() for letter in spelling):
        return _marked(name, "tool", set())
    if not (spelling[0].isalpha() or spelling[0] == "_"):
        spelling = f"_{spelling}"
    return spelling if len(spelling) <= LONGEST else _marked(name, spelling, set())


def _marked(name: str, spelling: str, taken: set[str]) -> str:
    """Tell a name from those that are spelled alike, by a hash of itself."""
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    marked = [f"{spelling[: LONGEST - 1 - size]}_{digest[:size]}" for size in _MARKS]
    return next((each for each in marked if each not in taken), marked[-1])
