"""Unique tool names that every provider accepts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

LONGEST = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_MARKS = (8, 16, 32)
"""Numbers of hash digits to try until names are unique."""


def spell_names(names: Iterable[str]) -> dict[str, str]:
    """Map each name to an allowed name: at most 64 letters, digits, ``_`` and ``-``.

    A valid name doesn't change, and the order of the names has no effect.
    """
    simple = {name: _simple(name) for name in names}
    often = Counter(simple.values())
    used_names = set(simple.values())
    return {
        name: (
            spelling
            if spelling == name or often[spelling] == 1
            else _append_hash(name, spelling, used_names)
        )
        for name, spelling in simple.items()
    }


def _simple(name: str) -> str:
    spelling = _UNSAFE.sub("_", name)
    if not any(letter.isalnum() for letter in spelling):
        return _append_hash(name, "tool", set())
    if not (spelling[0].isalpha() or spelling[0] == "_"):
        spelling = f"_{spelling}"
    return spelling if len(spelling) <= LONGEST else _append_hash(name, spelling, set())


def _append_hash(name: str, spelling: str, used_names: set[str]) -> str:
    """Append a hash to distinguish a name from others with the same spelling."""
    import hashlib

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    marked = [f"{spelling[: LONGEST - 1 - size]}_{digest[:size]}" for size in _MARKS]
    return next((item for item in marked if item not in used_names), marked[-1])
