"""Compares bounds, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mcpgen.compare.schemas import numbers
from mcpgen.compare.schemas.arrays import Elements
from mcpgen.compare.schemas.difference import Aspect, Difference, relation
from mcpgen.compare.schemas.numbers import numeric
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.views.kinds import Kind
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.values import enumeration
from mcpgen.compare.schemas.views.view import View
from mcpgen.errors import unforeseen
from mcpgen.findings.change import ABSENT, Value
from mcpgen.schemas.types.scalars import TYPED_FORMATS

_MATCH_ALL = frozenset({"", "^", ".*", "^.*", "[\\s\\S]*", "^[\\s\\S]*$"})
_Lower = Literal["minLength", "minItems", "minProperties"]
_Upper = Literal["maxLength", "maxItems", "maxProperties"]


def compare(kind: Kind, pair: Pair) -> Iterator[Difference]:
    """Compare the limits of one kind of values."""
    match kind:
        case "string":
            yield from _limits(pair, "minLength", "maxLength")
            yield from _patterns(pair)
        case "array":
            yield from _limits(pair, "minItems", "maxItems")
            yield from _uniqueness(pair)
        case "object":
            yield from _limits(pair, "minProperties", "maxProperties")
        case "number":
            yield from numbers.compare(pair)
        case "null" | "boolean":
            pass
        case _:
            raise unforeseen(kind)
    yield from _formats(kind, pair)


def _limits(pair: Pair, least: _Lower, most: _Upper) -> Iterator[Difference]:
    old, new = (max(_positive(view, least), default=None) for view in pair.views)
    yield from _limit(pair, least, (old, new), 1)
    old, new = (min(numeric(view, most), default=None) for view in pair.views)
    yield from _limit(pair, most, (old, new), -1)


def _positive(view: View, keyword: str) -> list[int | float]:
    return [value for value in numeric(view, keyword) if value > 0]


_Limits = tuple["int | float | None", "int | float | None"]


def _limit(
    pair: Pair, keyword: _Lower | _Upper, limits: _Limits, sign: int
) -> Iterator[Difference]:
    """Compare a bound. A bound that other keywords already imply is not a change."""
    old, new = limits
    if old is None and new is None:
        return
    is_tighter = _excludes_more(new, (old, _implied_bound(pair.old, keyword)), sign)
    is_looser = not is_tighter and _excludes_more(
        old, (new, _implied_bound(pair.new, keyword)), sign
    )
    if is_tighter or is_looser:
        stands = relation(tighter=is_tighter, looser=is_looser)
        values = ABSENT if old is None else old, ABSENT if new is None else new
        yield pair.differs("bound", stands, keyword=keyword, values=values)


def _excludes_more(limit: float | None, other_limits: _Limits, sign: int) -> bool:
    """Return True if a bound excludes more than all others."""
    if limit is None:
        return False
    return all(other is None or (limit - other) * sign > 0 for other in other_limits)


def _implied_bound(view: View, keyword: _Lower | _Upper) -> int | None:
    """Return the bound that other keywords imply, or None."""
    match keyword:
        case "minLength":
            return min(_lengths(view), default=None)
        case "maxLength":
            return max(_lengths(view), default=None)
        case "minProperties":
            return len(PropertyViews(view).required_names)
        case "maxProperties":
            members = PropertyViews(view)
            return len(members.names) if members.is_closed and not members.patterns else None
        case "minItems":
            return None
        case "maxItems":
            elements = Elements(view)
            return elements.positions if elements.is_closed else None
        case _:
            raise unforeseen(keyword)


def _lengths(view: View) -> list[int]:
    return [len(v) for v in (enumeration(view) or {}).values() if isinstance(v, str)]


def _uniqueness(pair: Pair) -> Iterator[Difference]:
    old, new = (any(v is True for v, _ in view.occurrences("uniqueItems")) for view in pair.views)
    if old != new:
        stands = relation(tighter=new, looser=old)
        values = True if old else ABSENT, True if new else ABSENT
        yield pair.differs("bound", stands, keyword="uniqueItems", values=values)


def _patterns(pair: Pair) -> Iterator[Difference]:
    old, new = (_texts(view, "pattern") - _MATCH_ALL for view in pair.views)
    if old != new:
        stands = relation(tighter=bool(new - old), looser=bool(old - new))
        values = _one_or_all(old), _one_or_all(new)
        yield pair.differs("pattern", stands, keyword="pattern", values=values)


def _formats(kind: Kind, pair: Pair) -> Iterator[Difference]:
    old, new = (_texts(view, "format") for view in pair.views)
    if old != new:
        is_typed = kind == "string" and not TYPED_FORMATS.isdisjoint(old ^ new)
        stands = relation(tighter=bool(new - old), looser=bool(old - new))
        values = _one_or_all(old), _one_or_all(new)
        aspect: Aspect = "format-typed" if is_typed else "format"
        yield pair.differs(aspect, stands, keyword="format", values=values)


def _texts(view: View, keyword: str) -> set[str]:
    return {value for value, _ in view.occurrences(keyword) if isinstance(value, str)}


def _one_or_all(values: set[str]) -> Value:
    listed = sorted(values)
    return ABSENT if not listed else listed[0] if len(listed) == 1 else listed
