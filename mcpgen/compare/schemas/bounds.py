"""Bounds, patterns and formats: the keywords that are compared without looking any deeper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from mcpgen.compare.change import ABSENT, Value
from mcpgen.compare.schemas.branches import choices, is_whole
from mcpgen.compare.schemas.difference import Relation
from mcpgen.compare.schemas.view import Elements, Members, View
from mcpgen.jsontext import Json
from mcpgen.types.scalars import TYPED_FORMATS

Found = tuple[str, str, Relation, Value, Value]
"""Aspect, keyword, relation, old and new value."""

_LOWER = {"string": ["minLength"], "array": ["minItems"], "object": ["minProperties"]}
_UPPER = {"string": ["maxLength"], "array": ["maxItems"], "object": ["maxProperties"]}
_SAFE = 2**53 - 1
_MATCH_ALL = frozenset({"", "^", ".*", "^.*", "[\\s\\S]*", "^[\\s\\S]*$"})


def compare(kind: str, old: View, new: View) -> Iterator[Found]:
    """Yield how the plain limits of one kind of values differ."""
    for keyword in _LOWER.get(kind, []):
        said = _greatest(old, keyword), _greatest(new, keyword)
        yield from _limit(keyword, said, (implied(old, keyword), implied(new, keyword)), 1)
    for keyword in _UPPER.get(kind, []):
        said = _least(old, keyword), _least(new, keyword)
        yield from _limit(keyword, said, (implied(old, keyword), implied(new, keyword)), -1)
    if kind == "number":
        yield from _numbers(old, new)
    if kind == "array":
        yield from _unique(old, new)
    if kind == "string":
        yield from _patterns(old, new)
    yield from _formats(kind, old, new)


def _numeric(view: View, keyword: str) -> list[int | float]:
    return [value for value, _ in view.said(keyword) if is_number(value)]


def is_number(value: Json) -> bool:
    """Say whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _greatest(view: View, keyword: str) -> int | float | None:
    return max((v for v in _numeric(view, keyword) if v > 0), default=None)


def _least(view: View, keyword: str) -> int | float | None:
    return min(_numeric(view, keyword), default=None)


_Limits = tuple["int | float | None", "int | float | None"]


def _limit(keyword: str, said: _Limits, held: _Limits, sign: int) -> Iterator[Found]:
    """Compare a limit; one that holds on a side without being said there changes nothing."""
    old, new = said
    relation = Relation.SAME
    if _is_past(new, (old, held[0]), sign):
        relation = Relation.TIGHTER
    elif _is_past(old, (new, held[1]), sign):
        relation = Relation.LOOSER
    if relation:
        yield "bound", keyword, relation, _or_absent(old), _or_absent(new)


def _is_past(limit: float | None, others: _Limits, sign: int) -> bool:
    """Say whether a limit forbids more than all of some others."""
    if limit is None:
        return False
    return all(other is None or (limit - other) * sign > 0 for other in others)


def implied(view: View, keyword: str) -> int | None:
    """Return the limit that holds for what else is said, ``None`` if there is none."""
    if keyword in ("minLength", "maxLength"):
        texts = [v for v in (choices(view) or {}).values() if isinstance(v, str)]
        lengths = [len(text) for text in texts]
        return (min if keyword == "minLength" else max)(lengths, default=None)
    members, elements = Members(view), Elements(view)
    if keyword == "minProperties":
        return len(members.required)
    if keyword == "maxProperties" and members.is_closed and not members.patterns:
        return len(members.names)
    return elements.places if keyword == "maxItems" and elements.is_ended else None


def _or_absent(value: Json) -> Value:
    return ABSENT if value is None else value


def _numbers(old: View, new: View) -> Iterator[Found]:
    whole = is_whole(old), is_whole(new)
    if whole[0] != whole[1]:
        relation = Relation.LOOSER if whole[0] else Relation.TIGHTER
        names = [("number", "integer")[is_int] for is_int in whole]
        yield "type", "type", relation, names[0], names[1]
    for keyword, exclusive, sign in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        before = _edge(old, keyword, exclusive, sign)
        after = _edge(new, keyword, exclusive, sign)
        if before == after or (whole[0] and whole[1] and _whole(before) == _whole(after)):
            continue
        tighter = before is None or (after is not None and after > before)
        relation = Relation.TIGHTER if tighter else Relation.LOOSER
        formal = _is_formal(before) and _is_formal(after)
        aspect = "bound-formal" if formal else "bound"
        yield aspect, keyword, relation, _edge_value(before, sign), _edge_value(after, sign)
    yield from _steps(old, new, both_whole=whole[1])


_Edge = tuple[int | float, bool]
"""A lower bound, upper ones negated, and whether the bound itself is out."""


def _edge(view: View, keyword: str, exclusive: str, sign: int) -> _Edge | None:
    edges = [(value * sign, False) for value in _numeric(view, keyword)]
    edges += [(value * sign, True) for value in _numeric(view, exclusive)]
    # draft-04 says with a boolean beside it that a bound is out
    for part in view.parts:
        if part.raw.get(exclusive) is True and is_number(part.raw.get(keyword)):
            edges.append((part.raw[keyword] * sign, True))
    return max(edges, default=None)


def _is_formal(edge: _Edge | None) -> bool:
    """Say whether a bound is none, or the one at which the whole numbers of JavaScript end."""
    return edge is None or abs(edge[0]) >= _SAFE


def _whole(edge: _Edge | None) -> int | None:
    if edge is None or abs(edge[0]) == math.inf:
        return None
    value, out = edge
    return math.floor(value) + 1 if out else math.ceil(value)


def _edge_value(edge: _Edge | None, sign: int) -> Value:
    if edge is None:
        return ABSENT
    value = edge[0] * sign
    return f"{'>' if sign > 0 else '<'} {value}" if edge[1] else value


def _steps(old: View, new: View, *, both_whole: bool) -> Iterator[Found]:
    before, after = (_fractions(view) for view in (old, new))
    if before == after:
        return
    held = {*after, Fraction(1)} if both_whole else after
    looser = not all(any(a % b == 0 for a in held) for b in before)
    had = {*before, Fraction(1)} if both_whole and is_whole(old) else before
    tighter = not all(any(b % a == 0 for b in had) for a in after)
    relation = (Relation.TIGHTER if tighter else Relation.SAME) | (
        Relation.LOOSER if looser else Relation.SAME
    )
    if relation:
        values = [_or_absent(view.first("multipleOf")) for view in (old, new)]
        yield "bound", "multipleOf", relation, values[0], values[1]


def _fractions(view: View) -> set[Fraction]:
    return {Fraction(str(v)) for v in _numeric(view, "multipleOf") if 0 < v < math.inf}


def _unique(old: View, new: View) -> Iterator[Found]:
    before, after = (any(v is True for v, _ in view.said("uniqueItems")) for view in (old, new))
    if before != after:
        relation = Relation.TIGHTER if after else Relation.LOOSER
        values = [True if said else ABSENT for said in (before, after)]
        yield "bound", "uniqueItems", relation, values[0], values[1]


def _patterns(old: View, new: View) -> Iterator[Found]:
    before, after = (
        {v for v, _ in view.said("pattern") if isinstance(v, str) and v not in _MATCH_ALL}
        for view in (old, new)
    )
    if before != after:
        relation = (Relation.TIGHTER if after - before else Relation.SAME) | (
            Relation.LOOSER if before - after else Relation.SAME
        )
        yield "pattern", "pattern", relation, _one(before), _one(after)


def _one(values: set[str]) -> Value:
    listed = sorted(values)
    return ABSENT if not listed else listed[0] if len(listed) == 1 else listed


def _formats(kind: str, old: View, new: View) -> Iterator[Found]:
    before, after = (
        {value for value, _ in view.said("format") if isinstance(value, str)} for view in (old, new)
    )
    if before == after:
        return
    relation = (Relation.TIGHTER if after - before else Relation.SAME) | (
        Relation.LOOSER if before - after else Relation.SAME
    )
    typed = kind == "string" and bool((before ^ after) & TYPED_FORMATS)
    yield "format-typed" if typed else "format", "format", relation, _one(before), _one(after)
