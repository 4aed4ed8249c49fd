"""A class of many methods is written in several files, each named by how its methods begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from os.path import commonprefix

LONGEST = 1_400
"""How many lines of methods one file may have; a hundred are left for what stands around them."""

_SMALL = (LONGEST // 4, LONGEST // 8, LONGEST // 16)


def split(sizes: Mapping[str, int], besides: int = 0) -> dict[str, list[str]]:
    """Return the names of methods by the beginnings that have files of their own.

    ``sizes`` are the lines of each method, ``besides`` those of what stands beside them. What has
    no file of its own, or all where that is not too long, is by ``""``. Beginnings are as short as
    they can be, and so is what a new method changes.
    """
    room = max(LONGEST - besides, 0)
    return {
        beginning: [name for group in groups for name in group]
        for beginning, groups in _files("", sorted(sizes), sizes, room)
    }


Groups = list[list[str]]


def _files(
    beginning: str, names: list[str], sizes: Mapping[str, int], room: int
) -> Iterator[tuple[str, Groups]]:
    if len(names) < 2 or _size(names, sizes) <= room:
        yield beginning, [names]
        return
    alike = len(commonprefix(names))
    groups = {
        start: list(group) for start, group in groupby(names, key=lambda n: _beginning(n, alike))
    }
    small = _small(list(groups.values()), sizes, room)
    if small:
        yield beginning, small
    for start, group in groups.items():
        if group not in small:
            yield from _files(start, group, sizes, LONGEST)


def _beginning(name: str, alike: int) -> str:
    """Return one more letter of a name than all others share; an underscore is none."""
    end = alike + 1
    while end < len(name) and name[end - 1] == "_":
        end += 1
    return name[:end]


def _small(groups: Groups, sizes: Mapping[str, int], room: int) -> Groups:
    """Return the groups that need no file each, if there is room for them in one."""
    for most in _SMALL:
        small = [group for group in groups if _size(group, sizes) <= most]
        if sum(_size(group, sizes) for group in small) <= room:
            return small
    return []


def _size(names: Sequence[str], sizes: Mapping[str, int]) -> int:
    return sum(sizes[name] for name in names)
