"""Finds objects whose property names are data, such as IDs, paths and dates.

They are typed as maps, and their names are not stored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mcpgen.contract.observation.shapes import ITEMS, MOST_DEPTH, VALUES, Place, Shape, fold_map
from mcpgen.jsontext import Json, is_array, is_object

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
"""Minimum number of responses to treat names that are always present as property names."""
_MANY = 16
_SEVERAL = 4
_ANSWERS = 3


def maps(shape: Shape, at: Place = ()) -> Iterator[Place]:
    """Yield the paths of objects whose property names are data."""
    if shape.values is not None or is_map(shape):
        yield at
    for name, member in shape.members.items():
        yield from maps(member, (*at, f".{name}"))
    if shape.items is not None:
        yield from maps(shape.items, (*at, ITEMS))
    if shape.values is not None:
        yield from maps(shape.values, (*at, VALUES))


def listed_maps(
    answers: Iterable[Json], shape: Shape, map_places: Collection[Place]
) -> Iterator[Place]:
    """Yield objects whose property names differ, and are listed in each response that has one.

    Columns of a table and languages of a page are such names. ``map_places`` are the maps found so
    far, ``shape`` is the merged shape of all responses.
    """
    names: dict[Place, list[frozenset[str]]] = {}
    unlisted = set[Place]()
    for answer in answers:
        listed = set(_listed_strings(answer))
        for key, item in _property_names(answer, map_places, ()):
            names.setdefault(key, []).append(item)
            if not item <= listed:
                unlisted.add(key)
    for key in names.keys() - unlisted:
        at_place = _shape_at(shape, key)
        if (
            len(names[key]) >= _ANSWERS
            and len(set(names[key])) > 1
            and at_place is not None
            and len(_kinds(at_place)) == 1
            and (_kinds(at_place) != {"object"} or _are_alike(at_place))
        ):
            yield key


def _listed_strings(value: Json) -> Iterator[str]:
    if is_array(value):
        yield from (item for item in value if isinstance(item, str))
    inner = value.values() if is_object(value) else value if is_array(value) else ()
    for item in inner:
        yield from _listed_strings(item)


def _property_names(
    value: Json, map_places: Collection[Place], at: Place
) -> Iterator[tuple[Place, frozenset[str]]]:
    """Yield path and property names of each object that isn't empty or a known map."""
    if len(at) > MOST_DEPTH:
        return
    if is_array(value):
        for item in value:
            yield from _property_names(item, map_places, (*at, ITEMS))
    elif is_object(value):
        if value and at not in map_places:
            yield at, frozenset(value)
        for name, item in value.items():
            step = VALUES if at in map_places else f".{name}"
            yield from _property_names(item, map_places, (*at, step))


def _shape_at(shape: Shape, location: Place) -> Shape | None:
    result: Shape | None = shape
    for step in location:
        if result is None:
            return None
        if step in (ITEMS, VALUES):
            result = result.items if step == ITEMS else result.values
        else:
            result = result.members.get(step[1:])
    return result


def without_names(shape: Shape) -> Shape:
    """Turn objects whose property names are data into maps."""
    if is_map(shape):
        shape = fold_map(shape)
    return replace(
        shape,
        members={name: without_names(member) for name, member in shape.members.items()},
        items=shape.items and without_names(shape.items),
        values=shape.values and without_names(shape.values),
    )


def is_map(shape: Shape) -> bool:
    """Return True if the property names of an object are data."""
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
    """Return True if several responses all have the same property names."""
    is_always = not any(member.is_optional for member in shape.members.values())
    return is_always and shape.kinds.get("object", 0) >= _ALL_OF_THEM


def _are_variables(shape: Shape) -> bool:
    """Return True if most names look like environment variables and all values are strings."""
    named = sum(bool(_VARIABLE.fullmatch(name)) for name in shape.members)
    return (
        len(shape.members) >= _SEVERAL
        and named * 2 > len(shape.members)
        and _kinds(shape) == {"string"}
    )


def _is_wide(shape: Shape) -> bool:
    """Return True if there are many properties, all of them objects of one shape."""
    return len(shape.members) >= _MANY and _are_alike(shape)


def _is_seldom(shape: Shape) -> bool:
    """Return True if no name is in more than half of the responses."""
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
