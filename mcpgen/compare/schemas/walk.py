"""Two schemas, walked side by side: where and how does what they allow differ?

Whatever cannot be decided is an event too, ``unproved``. So when a walk finds nothing tighter, all
that the old schema allowed is allowed by the new one, members it did not name aside.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mcpgen.compare.change import ABSENT, Value, is_same
from mcpgen.compare.schemas import annotations as notes
from mcpgen.compare.schemas import arrays, bounds, conditions, objects
from mcpgen.compare.schemas.branches import (
    Branches,
    branches,
    choices,
    is_whole,
    kind_of,
    label,
    opened,
    tags,
)
from mcpgen.compare.schemas.difference import Event, Relation
from mcpgen.compare.schemas.view import KINDS, Key, Members, View
from mcpgen.jsontext import Json, sha256

MAX_STEPS = 20_000
MAX_DEPTH = 60


Pair: TypeAlias = "tuple[Key, Key]"
"""A place in the old schema and one in the new."""

_NOTHING: Pair = (((), False, False), ((), False, False))


@dataclass(slots=True)
class Proofs:
    """What a walk shares with its attempts: what they found, and how many places may be left."""

    steps: int = MAX_STEPS
    known: dict[tuple[object, ...], Relation] = field(
        default_factory=dict["tuple[object, ...]", Relation]
    )


@dataclass(slots=True)
class Walk:
    """One walk; an attempt at a proof is a walk of its own, which leaves texts alone.

    Usually an object is taken to hold the members it names. A ``strict`` walk takes it to hold any
    that it does not forbid, as JSON Schema does.
    """

    trial: bool = False
    strict: bool = False
    events: list[Event] = field(default_factory=list["Event"])
    proofs: Proofs = field(default_factory=Proofs)
    seen: set[Pair] = field(default_factory=set["Pair"])
    around: list[Pair] = field(default_factory=list["Pair"])
    depth: int = 0
    gave_up: bool = False

    # -- what the parts of the walk use ---------------------------------------------------

    def emit(  # noqa: PLR0913 - they are the fields of an event
        self,
        aspect: str,
        relation: Relation,
        path: str,
        views: tuple[View, View],
        *,
        keyword: str = "",
        values: tuple[Value, Value] = (ABSENT, ABSENT),
        detail: str = "",
    ) -> None:
        """Note one point in which the schemas differ."""
        at = [view.at(keyword) if keyword else view.pointer for view in views]
        self.events.append(Event(aspect, relation, path, at[0], at[1], *values, keyword, detail))

    def relation(self, old: View, new: View, *, strict: bool = False) -> Relation:
        """Say how one view stands to another, without noting it."""
        # What is being compared around this is taken to be the same; where it is not, is noted.
        # A strict proof may be turned around by a `not`, and assumes nothing.
        around = [] if strict else list(self.around)
        key = (old.key, new.key, self.strict or strict, tuple(around))
        if key not in self.proofs.known:
            attempt = Walk(
                trial=True,
                strict=self.strict or strict,
                proofs=self.proofs,
                around=around,
                depth=self.depth + 1,
            )
            attempt.node(old, new, "")
            found = Relation.SAME
            for event in attempt.events:
                found |= event.relation
            self.proofs.known[key] = found
        return self.proofs.known[key]

    # -- the walk -------------------------------------------------------------------------

    def node(self, old: View, new: View, path: str) -> None:
        """Compare what is said of one value."""
        key = (old.key, new.key)
        if key in self.seen or key in self.around or key == _NOTHING:
            return
        self.seen.add(key)
        self.proofs.steps -= 1
        if self.proofs.steps < 0 or self.depth > MAX_DEPTH:
            if not self.gave_up:
                values = _digest(old), _digest(new)
                detail = "it is too large"
                self.emit(
                    "unproved", Relation.OTHER, path, (old, new), values=values, detail=detail
                )
            self.gave_up = True
            return
        self.depth += 1
        self.around.append(key)
        before = len(self.events)
        told = notes.is_told(old) and notes.is_told(new)
        if not self.trial:
            notes.compare(self, old, new, path, notes.with_branch if told else notes.everything)
        if (old.lost or new.lost) and not is_same(old.document.raw, new.document.raw):
            detail = "it uses a reference or a keyword that cannot be followed"
            values = old.spelled(), new.spelled()
            self.emit("unproved", Relation.OTHER, path, (old, new), values=values, detail=detail)
        mine, yours = branches(old), branches(new)
        self._branches(old, new, (mine, yours), path, told=told)
        changed = any(event.relation for event in self.events[before:])
        if mine.overlap and yours.overlap and not changed:
            changed = not self._has_same_options(old, new)
        self._overlap((old, new), (mine.overlap, yours.overlap), changed, path)
        self.around.pop()
        self.depth -= 1

    def _branches(
        self, old: View, new: View, both: tuple[Branches, Branches], path: str, *, told: bool
    ) -> None:
        mine, yours = both
        if not mine.listed or not yours.listed:
            if mine.listed or yours.listed:
                relation = Relation.TIGHTER if mine.listed else Relation.LOOSER
                was, now = (found.label() if found.listed else False for found in both)
                self.emit("impossible", relation, path, (old, new), values=(was, now))
            return
        gone, come = (a.kinds - b.kinds - {"null"} for a, b in (both, both[::-1]))
        is_any = "any" in (mine.label(), yours.label()) and bool(gone or come)
        if not is_any:
            self._null(old, new, both, path)
        if self._listed(old, new, both, path):
            return
        if gone or come:
            relation = (Relation.TIGHTER if gone else Relation.SAME) | (
                Relation.LOOSER if come else Relation.SAME
            )
            values = _without_null(mine), _without_null(yours)
            self.emit("type", relation, path, (old, new), keyword="type", values=values)
        for kind in KINDS:
            if kind in mine.kinds and kind in yours.kinds:
                self._kind(kind, mine.of(kind), yours.of(kind), path, told=told)

    def _null(self, old: View, new: View, both: tuple[Branches, Branches], path: str) -> None:
        """Compare whether null is allowed."""
        had, has = ("null" in found.kinds for found in both)
        if had != has:
            relation = Relation.TIGHTER if had else Relation.LOOSER
            values = both[0].label(), both[1].label()
            self.emit("null", relation, path, (old, new), keyword="type", values=values)

    def _listed(self, old: View, new: View, both: tuple[Branches, Branches], path: str) -> bool:
        """Compare lists of values, where all of both sides can be listed."""
        before, after = both[0].values(), both[1].values()
        if before is None or after is None or not before or not after:
            return False
        self._choices(before, after, (old, new), path)
        return True

    def _choices(
        self,
        before: dict[str, Json],
        after: dict[str, Json],
        views: tuple[View, View],
        path: str,
    ) -> None:
        gone = [value for key, value in before.items() if key not in after]
        come = [value for key, value in after.items() if key not in before]
        if gone:
            values = _one(gone), ABSENT
            self.emit("choice", Relation.TIGHTER, path, views, keyword="enum", values=values)
        if come:
            values = ABSENT, _one(come)
            self.emit("choice", Relation.LOOSER, path, views, keyword="enum", values=values)

    # -- values of one kind ---------------------------------------------------------------

    def _kind(self, kind: str, old: list[View], new: list[View], path: str, *, told: bool) -> None:
        if len(old) == 1 and len(new) == 1:
            self._pair(kind, old[0], new[0], path, told=told)
            return
        pairs, gone, come = self._matched(old, new)
        for one, other in pairs:
            self._pair(kind, one, other, f"{path}<{label(one, kind)}>", told=told)
        for view in gone:
            if all(self.relation(view, other) & Relation.TIGHTER for other in new):
                self._alternative(Relation.TIGHTER, kind, (view, new[0]), path)
        for view in come:
            if all(self.relation(other, view) & Relation.LOOSER for other in old):
                self._alternative(Relation.LOOSER, kind, (old[0], view), path)

    def _alternative(
        self, relation: Relation, kind: str, views: tuple[View, View], path: str
    ) -> None:
        gone = relation is Relation.TIGHTER
        view = views[0] if gone else views[1]
        said = label(view, kind)
        if said == "object" and (names := sorted(Members(view).names)):
            said = f"object of {', '.join(names[:8])}"
        values = (said, ABSENT) if gone else (ABSENT, said)
        self.emit("alternative", relation, path, views, values=values)

    def _matched(
        self, old: list[View], new: list[View]
    ) -> tuple[list[tuple[View, View]], list[View], list[View]]:
        """Pair branches: the equal ones, those with one tag, those alike; then what is left."""
        pairs: list[tuple[View, View]] = []
        left, right = list(old), list(new)
        for is_pair in (self._are_same, _share_tag, _are_alike):
            for one in list(left):
                other = next((view for view in right if is_pair(one, view)), None)
                if other is not None:
                    pairs.append((one, other))
                    left.remove(one)
                    right.remove(other)
        if len(left) == 1 and len(right) == 1 and not (tags(left[0]) or tags(right[0])):
            pairs.append((left.pop(), right.pop()))
        return pairs, left, right

    def _are_same(self, old: View, new: View) -> bool:
        return self.relation(old, new) is Relation.SAME

    def _has_same_options(self, old: View, new: View) -> bool:
        """Say whether each option of a union has an equal one: two alike count for two."""
        (keyword, mine), (other_keyword, yours) = opened(old), opened(new)
        for one in mine:
            other = next((view for view in yours if self._are_same(one, view)), None)
            if other is None:
                return False
            yours.remove(other)
        return keyword == other_keyword and not yours

    def _pair(self, kind: str, old: View, new: View, path: str, *, told: bool) -> None:
        if not told and not self.trial:
            notes.compare(self, old, new, path, notes.own)
        self._enumerated(kind, old, new, path)
        for aspect, keyword, relation, was, now in bounds.compare(kind, old, new):
            self.emit(aspect, relation, path, (old, new), keyword=keyword, values=(was, now))
        if kind == "object":
            objects.compare(self, old, new, path)
        if kind == "array":
            arrays.compare(self, old, new, path)
        conditions.compare(self, old, new, path)

    def _enumerated(self, kind: str, old: View, new: View, path: str) -> None:
        before, after = (_listed(kind, view) for view in (old, new))
        if before is None and after is None:
            return
        if before is not None and after is not None:
            self._choices(before, after, (old, new), path)
            return
        listed = list((before or after or {}).values())
        relation = Relation.TIGHTER if before is None else Relation.LOOSER
        values = (ABSENT, listed) if before is None else (listed, ABSENT)
        self.emit("choice", relation, path, (old, new), keyword="enum", values=values)

    def _overlap(
        self, views: tuple[View, View], overlap: tuple[bool, bool], changed: bool, path: str
    ) -> None:
        """A ``oneOf`` whose branches may overlap refuses what two of them allow."""
        relations = {(False, True): Relation.TIGHTER, (True, False): Relation.LOOSER}
        if overlap == (True, True) and changed:
            relations[overlap] = Relation.OTHER
        if overlap in relations:
            values = views[0].keyword("anyOf", "oneOf"), views[1].keyword("anyOf", "oneOf")
            relation = relations[overlap]
            self.emit("overlap", relation, path, views, keyword="oneOf", values=values)


def _digest(view: View) -> str:
    return sha256(view.document.raw)[:12]


def _without_null(found: Branches) -> Json:
    rest = tuple(branch for branch in found.listed if branch.kind != "null")
    return replace(found, listed=rest).label() if rest else "null"


def _listed(kind: str, view: View) -> dict[str, Json] | None:
    """Return the values of a kind that are listed, ``None`` where it has no others."""
    found = choices(view)
    if found is None or kind == "null":
        return None
    of_kind = {key: value for key, value in found.items() if kind_of(value) == kind}
    return None if kind == "boolean" and len(of_kind) == 2 else of_kind


def _one(values: list[Json]) -> Json:
    return values[0] if len(values) == 1 else values


def _share_tag(old: View, new: View) -> bool:
    return bool(tags(old) & tags(new))


def _are_alike(old: View, new: View) -> bool:
    """Say whether two branches name mostly the same members, or are the same sort of number."""
    if {name for name, _ in tags(old)} & {name for name, _ in tags(new)}:
        return False
    mine, yours = Members(old).names, Members(new).names
    if mine or yours:
        return 2 * len(mine & yours) >= len(mine | yours)
    return is_whole(old) == is_whole(new)
