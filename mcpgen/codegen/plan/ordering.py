"""Orders definitions so that each comes after those it needs, as far as can be.

Python reads aliases as it meets them, and Pydantic is fastest without forward references.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", int, str)


def ordered(needed: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return all keys, each after those it needs; where nothing decides, in their own order."""
    done: dict[Key, None] = {}
    entered: set[Key] = set()
    waiting = [(key, False) for key in reversed(list(needed))]
    while waiting:
        key, left = waiting.pop()
        if left:
            done.setdefault(key)
        elif key not in entered:
            entered.add(key)
            waiting.append((key, True))
            waiting += [(other, False) for other in reversed(needed[key]) if other not in entered]
    return list(done)
