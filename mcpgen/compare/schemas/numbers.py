"""Compares numbers: integer or not, bounds and steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from mcpgen.compare.schemas.difference import Difference, relation
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.views.values import is_integer
from mcpgen.compare.schemas.views.view import View
from mcpgen.findings.change import ABSENT, Value
from mcpgen.jsontext import is_number

_LARGEST_SAFE = 2**53 - 1
_Bound = tuple[int | float, bool]
"""A bound, negated if it is an upper one, and whether the bound itself is excluded."""


def compare(pair: Pair) -> Iterator[Difference]:
    """Compare the constraints of numbers."""
    integers = is_integer(pair.old), is_integer(pair.new)
    yield from _wholeness(pair, *integers)
    for keyword, exclusive, sign in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        old, new = (_bound(view, keyword, exclusive, sign) for view in (pair.old, pair.new))
        if old == new or (all(integers) and _as_integer(old) == _as_integer(new)):
            continue
        is_tighter = old is None or (new is not None and new > old)
        yield pair.differs(
            "bound-formal" if _is_formal(old) and _is_formal(new) else "bound",
            relation(tighter=is_tighter, looser=not is_tighter),
            keyword=keyword,
            values=(_bound_text(old, sign), _bound_text(new, sign)),
        )
    yield from _steps(pair, *integers)


def _wholeness(pair: Pair, old_is_integer: bool, new_is_integer: bool) -> Iterator[Difference]:
    if old_is_integer != new_is_integer:
        stands = relation(tighter=new_is_integer, looser=old_is_integer)
        values = [("number", "integer")[whole] for whole in (old_is_integer, new_is_integer)]
        yield pair.differs("type", stands, keyword="type", values=(values[0], values[1]))


def _bound(view: View, keyword: str, exclusive: str, sign: int) -> _Bound | None:
    bounds = [(value * sign, False) for value in numeric(view, keyword)]
    bounds += [(value * sign, True) for value in numeric(view, exclusive)]
    # In draft-04, a boolean next to a bound excludes the bound.
    for part in view.parts:
        if part.raw.get(exclusive) is True and is_number(part.raw.get(keyword)):
            bounds.append((part.raw[keyword] * sign, True))
    return max(bounds, default=None)


def numeric(view: View, keyword: str) -> list[int | float]:
    """Return the values of a keyword that are numbers."""
    return [value for value, _ in view.occurrences(keyword) if is_number(value)]


def _as_integer(bound: _Bound | None) -> int | None:
    if bound is None or abs(bound[0]) == math.inf:
        return None
    value, is_excluded = bound
    return math.floor(value) + 1 if is_excluded else math.ceil(value)


def _is_formal(bound: _Bound | None) -> bool:
    """Return True for a missing bound, or the limit of safe integers in JavaScript."""
    return bound is None or abs(bound[0]) >= _LARGEST_SAFE


def _bound_text(bound: _Bound | None, sign: int) -> Value:
    if bound is None:
        return ABSENT
    value = bound[0] * sign
    return f"{'>' if sign > 0 else '<'} {value}" if bound[1] else value


def _steps(pair: Pair, old_is_integer: bool, new_is_integer: bool) -> Iterator[Difference]:
    old, new = _fractions(pair.old), _fractions(pair.new)
    if old == new:
        return
    new_steps = {*new, Fraction(1)} if new_is_integer else new
    old_steps = {*old, Fraction(1)} if old_is_integer and new_is_integer else old
    is_looser = not all(any(a % b == 0 for a in new_steps) for b in old)
    is_tighter = not all(any(b % a == 0 for b in old_steps) for a in new)
    if is_looser or is_tighter:
        stands = relation(tighter=is_tighter, looser=is_looser)
        values = _first(pair.old, "multipleOf"), _first(pair.new, "multipleOf")
        yield pair.differs("bound", stands, keyword="multipleOf", values=values)


def _fractions(view: View) -> set[Fraction]:
    return {Fraction(str(v)) for v in numeric(view, "multipleOf") if 0 < v < math.inf}


def _first(view: View, keyword: str) -> Value:
    value = view.first(keyword)
    return ABSENT if value is None else value
