"""The shape of results: the kinds of values at each position, and in how many results.

No value is stored. Shapes can be merged in any order with the same outcome. While results are read,
a few strings are kept in memory to detect whether they differ. They are never written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import reduce
from typing import TypeAlias

from mcpgen.jsontext import Json, is_array, is_object

MOST_DEPTH = 24  # the schema of a deeper value would exceed the limit on nesting
MOST_MEMBERS = 500
MOST_PLACES = 2000
"""Maximum number of observed positions. Deeper or further ones have no type."""
ENOUGH_TEXTS = 3
"""Number of different strings that must agree on a format."""

ITEMS, VALUES = "[]", "{}"
"""The steps into the items of a list, and into the values of a map."""
Place: TypeAlias = tuple[str, ...]
"""The steps to a value. Property names start with a dot."""

ANYTHING = "anything"
"""The JSON type of values that aren't inspected because they are too deep or redacted."""


class Hidden(str):
    """Marks a redacted value, whose kind is unknown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """The observations at one position: the number of results, and of results per kind of value.

    If ``is_optional``, an object lacked this property. If ``fractions``, a number wasn't an
    integer. ``values`` is set if property names are data. ``formats`` are common to all strings, of
    which ``different`` are known to differ, up to a limit.
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
    """Return the shape of one result. A result that was counted before has weight 0.

    ``maps`` are the positions of objects whose property names are data.
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
            return Shape(weight, kinds, values=_merge_all(named.values()) or Shape())
        return Shape(weight, kinds, members=named)
    if is_array(value):
        items = _merge_all(shape(item, weight, maps, (*at, ITEMS)) for item in value)
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


def merge(first: Shape, other: Shape) -> Shape:
    """Return the shape of two sets of results together."""
    return _merge(first, other, is_one_answer=False)


def fold_map(shape: Shape) -> Shape:
    """Replace property names that are data by one shape for all values."""
    if "object" not in shape.kinds or (shape.values is not None and not shape.members):
        return shape
    inner = [replace(member, is_optional=False) for member in shape.members.values()]
    values = _merge_all([*inner, *([shape.values] if shape.values else [])])
    return replace(shape, members={}, values=values or Shape())


def limit_positions(shape: Shape) -> Shape:
    """Limit the number of positions. The most deeply nested ones become unknown."""
    level, level_index, depth = [shape], 1, 0
    while level := [inner for item in level for inner in _inner(item)]:
        level_index += len(level)
        if level_index > MOST_PLACES:
            return _cut(shape, depth)
        depth += 1
    return shape


def _inner(shape: Shape) -> list[Shape]:
    inner = (*shape.members.values(), shape.items, shape.values)
    return [item for item in inner if item is not None]


def _cut(shape: Shape, depth: int) -> Shape:
    if depth == 0:
        return replace(shape, members={}, items=None, values=None)
    return replace(
        shape,
        members={name: _cut(member, depth - 1) for name, member in shape.members.items()},
        items=shape.items and _cut(shape.items, depth - 1),
        values=shape.values and _cut(shape.values, depth - 1),
    )


def _merge_all(shapes: Iterable[Shape]) -> Shape | None:
    """Return the common shape of several values of one result."""
    distinct = list(shapes)
    if not distinct:
        return None
    return reduce(lambda first, other: _merge(first, other, is_one_answer=True), distinct)


def _merge(first: Shape, other: Shape, *, is_one_answer: bool) -> Shape:
    if first.values is not None or other.values is not None:
        first, other = fold_map(first), fold_map(other)

    def count(a: int, b: int) -> int:
        return max(a, b) if is_one_answer else a + b

    def merge_optional(a: Shape | None, b: Shape | None) -> Shape | None:
        return _merge(a, b, is_one_answer=is_one_answer) if a and b else a or b

    kinds = {
        kind: count(first.kinds.get(kind, 0), other.kinds.get(kind, 0))
        for kind in (*first.kinds, *(text for text in other.kinds if text not in first.kinds))
    }
    formats, different, texts = _texts(first, other)
    return Shape(
        answers=count(first.answers, other.answers),
        kinds=kinds,
        is_optional=first.is_optional or other.is_optional,
        fractions=first.fractions or other.fractions,
        members={
            name: merge_optional(_member(first, name, other), _member(other, name, first))
            or Shape()
            for name in (
                *first.members,
                *(member for member in other.members if member not in first.members),
            )
        },
        items=merge_optional(first.items, other.items),
        values=merge_optional(first.values, other.values),
        formats=formats,
        different=different,
        texts=texts,
    )


def _member(shape: Shape, name: str, other: Shape) -> Shape | None:
    """Return a property, optional if the other shape has objects without it."""
    result = shape.members.get(name)
    if result is None or name in other.members or "object" not in other.kinds:
        return result
    return replace(result, is_optional=True)


def _texts(first: Shape, other: Shape) -> tuple[frozenset[str], int, tuple[str, ...]]:
    """Return the formats of all strings, how many strings differ, and some that do."""
    if "string" not in first.kinds or "string" not in other.kinds:
        has = first if "string" in first.kinds else other
        return has.formats, has.different, has.texts
    formats = first.formats & other.formats
    if not formats:
        return formats, 0, ()
    texts = tuple(sorted({*first.texts, *other.texts})[:ENOUGH_TEXTS])
    return formats, max(first.different, other.different, len(texts)), texts


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
