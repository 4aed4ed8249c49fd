"""Which names of members are data: ids, paths, days. They are not kept, and make no members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mcpgen.observation.shapes import ITEMS, VALUES, Place, Shape, folded

_SURE = (
    re.compile(r"[0-9]+"),
    re.compile(r".*[/\\ ].*", re.DOTALL),  # a path, words
    re.compile(r"[^@\s]+@[^@\s]+"),
    re.compile(r"[0-9]{4}-[0-9]{2}.*", re.DOTALL),
    re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
)
_LIKELY = (
    re.compile(r"(?=.*[0-9])[0-9a-fA-F]{8,}"),
    re.compile(r".+:.+", re.DOTALL),
    re.compile(r"[\w-]+(?:\.[\w-]+)*\.\w{1,5}"),  # a file, a host
    re.compile(r"[A-Za-z]{1,6}[-_]?[0-9]{2,}"),
    re.compile(r"[A-Z]{1,3}[0-9]{1,6}"),  # a cell
)
_NAME = re.compile(r"[A-Za-z_$@][\w$-]*")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_ALL_OF_THEM = 4
"""In how many answers names that are always there are names, whatever they look like."""
_MANY = 16
_SEVERAL = 4
_ANSWERS = 3


def maps(shape: Shape, at: Place = ()) -> Iterator[Place]:
    """Yield the places of objects whose names are data."""
    if shape.values is not None or is_map(shape):
        yield at
    for name, member in shape.members.items():
        yield from maps(member, (*at, f".{name}"))
    if shape.items is not None:
        yield from maps(shape.items, (*at, ITEMS))
    if shape.values is not None:
        yield from maps(shape.values, (*at, VALUES))


def without_names(shape: Shape) -> Shape:
    """Return a shape without names that are data."""
    if is_map(shape):
        shape = folded(shape)
    return replace(
        shape,
        members={name: without_names(member) for name, member in shape.members.items()},
        items=shape.items and without_names(shape.items),
        values=shape.values and without_names(shape.values),
    )


def is_map(shape: Shape) -> bool:
    """Say whether the names of an object's members are data."""
    names = shape.members
    if not names:
        return False
    sure = [any(form.fullmatch(name) for form in _SURE) for name in names]
    if all(sure):
        return True
    if _are_steady(shape):
        return False
    likely = [
        is_sure or any(form.fullmatch(name) for form in _LIKELY)
        for is_sure, name in zip(sure, names, strict=True)
    ]
    if all(likely):
        return True
    if len(_kinds(shape)) > 1:
        return False
    odd = sum(not _NAME.fullmatch(name) for name in names)
    return odd * 2 > len(names) or _are_variables(shape) or _is_wide(shape) or _is_seldom(shape)


def _are_steady(shape: Shape) -> bool:
    """Say whether several answers all had the same names."""
    is_always = not any(member.is_optional for member in shape.members.values())
    return is_always and shape.kinds.get("object", 0) >= _ALL_OF_THEM


def _are_variables(shape: Shape) -> bool:
    """Say whether the names are mostly those of environment variables, and the values texts."""
    named = sum(bool(_VARIABLE.fullmatch(name)) for name in shape.members)
    return (
        len(shape.members) >= _SEVERAL
        and named * 2 > len(shape.members)
        and _kinds(shape) == {"string"}
    )


def _is_wide(shape: Shape) -> bool:
    """Say whether there are many objects of one shape side by side."""
    return len(shape.members) >= _MANY and _are_alike(shape)


def _is_seldom(shape: Shape) -> bool:
    """Say whether no name was in more than half of the answers."""
    count = shape.kinds.get("object", 0)
    if count < _ANSWERS or len(shape.members) < _SEVERAL:
        return False
    most = max(member.answers for member in shape.members.values())
    return most * 2 <= count and (_kinds(shape) != {"object"} or _are_alike(shape))


def _are_alike(shape: Shape) -> bool:
    members = {frozenset(member.members) for member in shape.members.values()}
    return _kinds(shape) == {"object"} and len(members) == 1 and members != {frozenset()}


def _kinds(shape: Shape) -> set[str]:
    return {kind for member in shape.members.values() for kind in member.kinds} - {"null"}
