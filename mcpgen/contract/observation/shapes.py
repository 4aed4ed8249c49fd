"""The shape of answers: which kinds of values were where, in how many answers; no value is kept.

Shapes are merged in any order to the same shape. Only while answers are read, a few texts are at
hand, to know whether they differ; none of them is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import reduce
from typing import TypeAlias

from mcpgen.jsontext import Json, is_array, is_object

MOST_DEPTH = 24  # a schema of that is no deeper than one may be
MOST_MEMBERS = 500
MOST_PLACES = 2000
"""Of what is nested deeper, or is more, nothing is said."""
ENOUGH_TEXTS = 3
"""How many different texts must agree on a format."""

ITEMS, VALUES = "[]", "{}"
"""The steps into the items of a list, and into the values of a map."""
Place: TypeAlias = tuple[str, ...]
"""The steps to a value; the name of a member has a point before it."""

ANYTHING = "anything"
"""The kind of what is not looked at: it is nested too deep, or was redacted."""


class Hidden(str):
    """Stands for what was redacted: of what kind it was is not known."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """What was seen at one place: in how many answers at all, and which kinds in how many.

    ``is_optional`` says that an object was there without this member. ``fractions`` says that some
    number was not whole. ``values`` is there where the names of members are data. ``formats`` are
    those of all texts, of which ``different`` are known to differ, as far as that is counted.
    """

    answers: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])
    is_optional: bool = False
    fractions: bool = False
    members: Mapping[str, Shape] = field(default_factory=dict[str, "Shape"])
    items: Shape | None = None
    values: Shape | None = None
    formats: frozenset[str] = frozenset()
    different: int = 0
    texts: tuple[str, ...] = ()


def shape(value: Json, weight: int = 1, maps: Collection[Place] = (), at: Place = ()) -> Shape:
    """Return the shape of one answer; one that was counted before weighs nothing.

    ``maps`` are the places of objects whose names are data.
    """
    if len(at) > MOST_DEPTH or isinstance(value, Hidden):
        return Shape(weight, {ANYTHING: weight})
    if is_object(value):
        named = {
            name: shape(item, weight, maps, (*at, VALUES if at in maps else f".{name}"))
            for name, item in value.items()
        }
        kinds = {"object": weight}
        if at in maps or len(named) > MOST_MEMBERS:
            return Shape(weight, kinds, values=_merged(named.values()) or Shape())
        return Shape(weight, kinds, members=named)
    if is_array(value):
        items = _merged(shape(item, weight, maps, (*at, ITEMS)) for item in value)
        return Shape(weight, {"array": weight}, items=items)
    return _of_scalar(value, weight)


def _of_scalar(value: Json, weight: int) -> Shape:
    if isinstance(value, str):
        formats = frozenset(name for name, fits in _FORMATS.items() if fits(value))
        texts = (value,) if formats else ()
        kinds = {"string": weight}
        return Shape(weight, kinds, formats=formats, different=len(texts), texts=texts)
    if value is None:
        return Shape(weight, {"null": weight})
    if isinstance(value, bool):
        return Shape(weight, {"boolean": weight})
    return Shape(weight, {"number": weight}, fractions=not isinstance(value, int))


def merge(one: Shape, other: Shape) -> Shape:
    """Return the shape of all answers of two sets of answers."""
    return _merge(one, other, is_one_answer=False)


def folded(shape: Shape) -> Shape:
    """Return a shape whose names are data without them: one shape is that of all values."""
    if "object" not in shape.kinds or (shape.values is not None and not shape.members):
        return shape
    inner = [replace(each, is_optional=False) for each in shape.members.values()]
    values = _merged([*inner, *([shape.values] if shape.values else [])])
    return replace(shape, members={}, values=values or Shape())


def bounded(shape: Shape) -> Shape:
    """Return a shape with few enough places: of what is nested deepest nothing is said."""
    level, places, depth = [shape], 1, 0
    while level := [inner for each in level for inner in _inner(each)]:
        places += len(level)
        if places > MOST_PLACES:
            return _cut(shape, depth)
        depth += 1
    return shape


def _inner(shape: Shape) -> list[Shape]:
    inner = (*shape.members.values(), shape.items, shape.values)
    return [each for each in inner if each is not None]


def _cut(shape: Shape, depth: int) -> Shape:
    if depth == 0:
        return replace(shape, members={}, items=None, values=None)
    return replace(
        shape,
        members={name: _cut(member, depth - 1) for name, member in shape.members.items()},
        items=shape.items and _cut(shape.items, depth - 1),
        values=shape.values and _cut(shape.values, depth - 1),
    )


def _merged(shapes: Iterable[Shape]) -> Shape | None:
    """Return the shape of values in one answer."""
    found = list(shapes)
    if not found:
        return None
    return reduce(lambda one, other: _merge(one, other, is_one_answer=True), found)


def _merge(one: Shape, other: Shape, *, is_one_answer: bool) -> Shape:
    if one.values is not None or other.values is not None:
        one, other = folded(one), folded(other)

    def count(a: int, b: int) -> int:
        return max(a, b) if is_one_answer else a + b

    def both(a: Shape | None, b: Shape | None) -> Shape | None:
        return _merge(a, b, is_one_answer=is_one_answer) if a and b else a or b

    kinds = {
        kind: count(one.kinds.get(kind, 0), other.kinds.get(kind, 0))
        for kind in (*one.kinds, *(each for each in other.kinds if each not in one.kinds))
    }
    formats, different, texts = _texts(one, other)
    return Shape(
        answers=count(one.answers, other.answers),
        kinds=kinds,
        is_optional=one.is_optional or other.is_optional,
        fractions=one.fractions or other.fractions,
        members={
            name: both(_member(one, name, other), _member(other, name, one)) or Shape()
            for name in (*one.members, *(each for each in other.members if each not in one.members))
        },
        items=both(one.items, other.items),
        values=both(one.values, other.values),
        formats=formats,
        different=different,
        texts=texts,
    )


def _member(shape: Shape, name: str, other: Shape) -> Shape | None:
    """Return a member, optional if the other has objects without it."""
    found = shape.members.get(name)
    if found is None or name in other.members or "object" not in other.kinds:
        return found
    return replace(found, is_optional=True)


def _texts(one: Shape, other: Shape) -> tuple[frozenset[str], int, tuple[str, ...]]:
    """Return the formats of all texts, how many differ, and some that do."""
    if "string" not in one.kinds or "string" not in other.kinds:
        has = one if "string" in one.kinds else other
        return has.formats, has.different, has.texts
    formats = one.formats & other.formats
    if not formats:
        return formats, 0, ()
    texts = tuple(sorted({*one.texts, *other.texts})[:ENOUGH_TEXTS])
    return formats, max(one.different, other.different, len(texts)), texts


# Formats


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text)) and _reads(date.fromisoformat, text)


def _is_time(text: str) -> bool:
    return bool(_TIME.fullmatch(text)) and _reads(datetime.fromisoformat, text[:_SECONDS])


def _is_uuid(text: str) -> bool:
    return bool(_UUID.fullmatch(text))


def _reads(read: Callable[[str], date], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SECONDS = len("2026-01-01T00:00:00")
_FORMATS = {"date": _is_date, "date-time": _is_time, "uuid": _is_uuid}
