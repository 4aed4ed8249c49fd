"""Arrays, walked place by place, and what they must contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpgen.compare.change import ABSENT, Value
from mcpgen.compare.schemas.difference import Relation
from mcpgen.compare.schemas.view import Elements, View

if TYPE_CHECKING:
    from mcpgen.compare.schemas.walk import Walk


def compare(walk: Walk, old: View, new: View, path: str) -> None:
    """Compare two views as far as they speak of arrays."""
    before, after = Elements(old), Elements(new)
    if before.places != after.places:
        values = before.places, after.places
        walk.emit("tuple", Relation.SAME, path, (old, new), keyword="prefixItems", values=values)
    for index in range(max(before.places, after.places)):
        was, now = before.of(index), after.of(index)
        if not (was.impossible or now.impossible):
            walk.node(was, now, f"{path}[{index}]")
    _ends(walk, before, after, path)
    if not (before.is_ended or after.is_ended):
        walk.node(before.rest, after.rest, f"{path}[]")
    _contained(walk, old, new, path)


def _ends(walk: Walk, old: Elements, new: Elements, path: str) -> None:
    """Compare how many places there are at most, where nothing may follow them."""
    most = [elements.places if elements.is_ended else None for elements in (old, new)]
    was, now = most
    if was == now:
        return
    tighter = was is None or (now is not None and now < was)
    relation = Relation.TIGHTER if tighter else Relation.LOOSER
    walk.emit("bound", relation, path, (old.view, new.view), keyword="items", values=(was, now))


def _contained(walk: Walk, old: View, new: View, path: str) -> None:
    before, after = _demanded(old), _demanded(new)
    if before is None and after is None:
        return
    views, place = (old, new), f"{path}[contains]"
    said = _said(old), _said(new)
    if before is None or after is None:
        relation = Relation.TIGHTER if before is None else Relation.LOOSER
        walk.emit("condition", relation, place, views, keyword="contains", values=said)
        return
    inner = walk.relation(before[0], after[0], strict=True)
    if inner is Relation.SAME:
        _counts(walk, (before[1], after[1]), (before[2], after[2]), views, place)
    elif before[1:] == after[1:] and before[2] is None:
        walk.emit("condition", inner, place, views, keyword="contains", values=said)
    else:
        walk.emit("unproved", Relation.OTHER, place, views, keyword="contains", values=said)


def _said(view: View) -> Value:
    found = view.keyword("contains", "minContains", "maxContains")
    return ABSENT if found is None else found


def _counts(
    walk: Walk,
    least: tuple[int, int],
    most: tuple[int | None, int | None],
    views: tuple[View, View],
    path: str,
) -> None:
    if least[0] != least[1]:
        relation = Relation.TIGHTER if least[1] > least[0] else Relation.LOOSER
        walk.emit("bound", relation, path, views, keyword="minContains", values=least)
    was, now = most
    if was != now:
        tighter = was is None or (now is not None and now < was)
        relation = Relation.TIGHTER if tighter else Relation.LOOSER
        walk.emit("bound", relation, path, views, keyword="maxContains", values=most)


def _demanded(view: View) -> tuple[View, int, int | None] | None:
    """Return what must be contained, how often at least and at most."""
    for part in view.parts:
        if "contains" in part.raw:
            least, most = part.raw.get("minContains", 1), part.raw.get("maxContains")
            if least == 0 and most is None:
                continue
            ats = [(part.raw["contains"], f"{part.pointer}/contains")]
            return view.joined(ats), least, most
    return None
