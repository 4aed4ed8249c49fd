"""A class of many methods is written in several files, each named by how its methods begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from os.path import commonprefix

LONGEST = 1_400
"""How many lines of methods one file may have; a hundred are left for what stands around them."""


def split(sizes: Mapping[str, int], besides: int = 0) -> dict[str, list[str]]:
    """Return the names of methods by their parts: those that begin alike are in one.

    ``sizes`` are the lines of each, ``besides`` those of other methods in the same file. Where
    one file holds all, there are no parts. A part is the fewest letters that it takes, so a new
    method changes its own part alone.
    """
    if sum(sizes.values()) + besides <= LONGEST:
        return {}
    return dict(_parts(sorted(sizes), sizes))


def _parts(names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    alike = len(commonprefix(names))
    for beginning, group in groupby(names, key=lambda name: _beginning(name, alike)):
        listed = list(group)
        if len(listed) == 1 or sum(sizes[name] for name in listed) <= LONGEST:
            yield beginning, listed
        else:
            yield from _parts(listed, sizes)


def _beginning(name: str, alike: int) -> str:
    """Return one more letter of a name than all others share; an underscore is none."""
    end = alike + 1
    while end < len(name) and name[end - 1] == "_":
        end += 1
    return name[:end]
