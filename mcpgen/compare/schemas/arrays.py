"""Compares the constraints of arrays: positions, other items, and ``contains``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair, Prove, Step
from mcpgen.compare.schemas.views.view import Subschema, View
from mcpgen.jsontext import is_array
from mcpgen.schemas.types.resolution import At


@dataclass(frozen=True, slots=True)
class Elements:
    """The schemas of an array's positions, and of the items after them."""

    view: View

    @property
    def positions(self) -> int:
        """Number of positions with a schema of their own."""
        return max([len(_tuple(part)[0]) for part in self.view.parts], default=0)

    @property
    def is_closed(self) -> bool:
        """Whether no item may follow these positions."""
        return self.others.impossible

    def at(self, index: int) -> View:
        """Return the view of the item at a position."""
        return self.view.all_of(
            at
            for positions, rest in map(_tuple, self.view.parts)
            for at in (positions[index : index + 1] or rest)
        )

    @property
    def others(self) -> View:
        """The view of all items after the positions."""
        return self.at(self.positions)


def _tuple(part: Subschema) -> tuple[list[At], list[At]]:
    """Return the schemas of positions and of further items, in either syntax of tuples."""
    raw, base = part.raw, part.pointer
    items = raw.get("items")
    keyword, after = ("items", "additionalItems") if is_array(items) else ("prefixItems", "items")
    listed = raw.get(keyword)
    positions = [
        (schema, f"{base}/{keyword}/{index}")
        for index, schema in enumerate(listed if is_array(listed) else [])
    ]
    if after not in raw and "unevaluatedItems" in raw:
        after = "unevaluatedItems"
    return positions, [(raw[after], f"{base}/{after}")] if after in raw else []


def compare(pair: Pair, prove: Prove) -> Iterator[Step]:
    """Compare the constraints of arrays. ``prove`` decides about ``contains``."""
    old, new = Elements(pair.old), Elements(pair.new)
    if old.positions != new.positions:
        values = old.positions, new.positions
        yield pair.differs("tuple", Relation.SAME, keyword="prefixItems", values=values)
    for index in range(max(old.positions, new.positions)):
        was, now = old.at(index), new.at(index)
        if not (was.impossible or now.impossible):
            yield Pair(was, now, f"{pair.path}[{index}]")
    yield from _ends(pair, old, new)
    if not (old.is_closed or new.is_closed):
        yield Pair(old.others, new.others, f"{pair.path}[]")
    yield from _contains(pair.with_path(f"{pair.path}[contains]"), prove)


def _ends(pair: Pair, old: Elements, new: Elements) -> Iterator[Difference]:
    """Compare the maximum number of items of closed tuples."""
    was, now = (elements.positions if elements.is_closed else None for elements in (old, new))
    if was != now:
        stands = _of_upper_bound(was, now)
        yield pair.differs("bound", stands, keyword="items", values=(was, now))


def _of_upper_bound(old: int | None, new: int | None) -> Relation:
    is_tighter = old is None or (new is not None and new < old)
    return relation(tighter=is_tighter, looser=not is_tighter)


@dataclass(frozen=True, slots=True)
class _Contained:
    """A ``contains`` constraint with its minimum and maximum."""

    view: View
    least: int
    most: int | None


def _contains(pair: Pair, prove: Prove) -> Iterator[Difference]:
    old, new = _contains_of(pair.old), _contains_of(pair.new)
    if old is None and new is None:
        return
    keyword, values = "contains", pair.keyword_values("contains", "minContains", "maxContains")
    if old is None or new is None:
        stands = relation(tighter=old is None, looser=new is None)
        yield pair.differs("condition", stands, keyword=keyword, values=values)
        return
    inner = prove(old.view, new.view)
    if inner is Relation.SAME:
        yield from _counts(pair, old, new)
    elif (old.least, old.most) == (new.least, new.most) and old.most is None:
        yield pair.differs("condition", inner, keyword=keyword, values=values)
    else:
        yield pair.differs("unproved", Relation.OTHER, keyword=keyword, values=values)


def _counts(pair: Pair, old: _Contained, new: _Contained) -> Iterator[Difference]:
    if old.least != new.least:
        stands = relation(tighter=new.least > old.least, looser=new.least < old.least)
        values = old.least, new.least
        yield pair.differs("bound", stands, keyword="minContains", values=values)
    if old.most != new.most:
        stands = _of_upper_bound(old.most, new.most)
        yield pair.differs("bound", stands, keyword="maxContains", values=(old.most, new.most))


def _contains_of(view: View) -> _Contained | None:
    """Return the ``contains`` constraint, or None if it has no effect."""
    for part in view.parts:
        if "contains" in part.raw:
            least, most = part.raw.get("minContains", 1), part.raw.get("maxContains")
            if least == 0 and most is None:
                continue
            schema = view.all_of([(part.raw["contains"], f"{part.pointer}/contains")])
            return _Contained(schema, least, most)
    return None
