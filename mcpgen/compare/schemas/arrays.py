"""Arrays, position by position, and what they must contain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.elements import Elements
from mcpgen.compare.schemas.pair import Pair, Prove, Step
from mcpgen.compare.schemas.view import View


def compare(pair: Pair, prove: Prove) -> Iterator[Step]:
    """Compare what holds for arrays; ``prove`` decides on what they contain."""
    old, new = Elements(pair.old), Elements(pair.new)
    if old.positions != new.positions:
        values = old.positions, new.positions
        yield pair.differs("tuple", Relation.SAME, keyword="prefixItems", values=values)
    for index in range(max(old.positions, new.positions)):
        was, now = old.of(index), new.of(index)
        if not (was.impossible or now.impossible):
            yield Pair(was, now, f"{pair.path}[{index}]")
    yield from _ends(pair, old, new)
    if not (old.is_closed or new.is_closed):
        yield Pair(old.rest, new.rest, f"{pair.path}[]")
    yield from _contained(pair.at(f"{pair.path}[contains]"), prove)


def _ends(pair: Pair, old: Elements, new: Elements) -> Iterator[Difference]:
    """Compare how many positions there are at most, where nothing may follow them."""
    was, now = (each.positions if each.is_closed else None for each in (old, new))
    if was != now:
        stands = _of_upper_bound(was, now)
        yield pair.differs("bound", stands, keyword="items", values=(was, now))


def _of_upper_bound(old: int | None, new: int | None) -> Relation:
    is_tighter = old is None or (new is not None and new < old)
    return relation(tighter=is_tighter, looser=not is_tighter)


@dataclass(frozen=True, slots=True)
class _Contained:
    """What an array must contain, how often at least and at most."""

    view: View
    least: int
    most: int | None


def _contained(pair: Pair, prove: Prove) -> Iterator[Difference]:
    old, new = _demanded(pair.old), _demanded(pair.new)
    if old is None and new is None:
        return
    keyword, values = "contains", pair.written("contains", "minContains", "maxContains")
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


def _demanded(view: View) -> _Contained | None:
    """Return what must be contained, ``None`` if nothing."""
    for part in view.parts:
        if "contains" in part.raw:
            least, most = part.raw.get("minContains", 1), part.raw.get("maxContains")
            if least == 0 and most is None:
                continue
            schema = view.all_of([(part.raw["contains"], f"{part.pointer}/contains")])
            return _Contained(schema, least, most)
    return None
