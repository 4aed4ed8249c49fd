"""Matches the branches of unions by type, and compares the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mcpgen.compare.schemas.difference import Difference, Relation
from mcpgen.compare.schemas.pair import Pair, Prove, is_proved_same
from mcpgen.compare.schemas.views.branches import Branches, open_union
from mcpgen.compare.schemas.views.discriminators import discriminators, label
from mcpgen.compare.schemas.views.kinds import Kind
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.values import is_integer
from mcpgen.compare.schemas.views.view import View
from mcpgen.findings.change import ABSENT


@dataclass(slots=True)
class Matching:
    """Matching branches, and those without a counterpart."""

    removed: list[View]
    added: list[View]
    pairs: list[tuple[View, View]] = field(default_factory=list["tuple[View, View]"])

    def match(self, old: View, new: View) -> None:
        """Note that two branches are one."""
        self.pairs.append((old, new))
        self.removed.remove(old)
        self.added.remove(new)


def match_branches(old: Sequence[View], new: Sequence[View], prove: Prove) -> Matching:
    """Match branches: equal ones, those with the same discriminator, similar ones, the last
    ones.
    """

    def are_same(was: View, now: View) -> bool:
        return is_proved_same(prove, was, now)

    matching = Matching([*old], [*new])
    for is_match in (are_same, _share_discriminator, _are_alike):
        for was in [*matching.removed]:
            now = next((view for view in matching.added if is_match(was, view)), None)
            if now is not None:
                matching.match(was, now)
    if len(matching.removed) == len(matching.added) == 1:
        was, now = matching.removed[0], matching.added[0]
        if not (discriminators(was) or discriminators(now)):
            matching.match(was, now)
    return matching


def _share_discriminator(old: View, new: View) -> bool:
    return bool(discriminators(old) & discriminators(new))


def _are_alike(old: View, new: View) -> bool:
    """Return True if two branches have mostly the same properties, or the same kind of number."""
    old_names, new_names = ({name for name, _ in discriminators(view)} for view in (old, new))
    if old_names & new_names:
        return False
    was, now = PropertyViews(old).names, PropertyViews(new).names
    if was or now:
        return 2 * len(was & now) >= len(was | now)
    return is_integer(old) == is_integer(new)


def unmatched_branches(
    kind: Kind, path: str, both: tuple[list[View], list[View]], matching: Matching, prove: Prove
) -> Iterator[Difference]:
    """Yield branches without a counterpart, unless another branch covers them."""
    old, new = both
    for was in matching.removed:
        if all(Relation.TIGHTER in prove(was, now) for now in new):
            values = _branch_text(kind, was), ABSENT
            yield Pair(was, new[0], path).differs("alternative", Relation.TIGHTER, values=values)
    for now in matching.added:
        if all(Relation.LOOSER in prove(was, now) for was in old):
            new_values = ABSENT, _branch_text(kind, now)
            yield Pair(old[0], now, path).differs("alternative", Relation.LOOSER, values=new_values)


def _branch_text(kind: Kind, view: View) -> str:
    name = label(view, kind)
    members = sorted(PropertyViews(view).names) if name == "object" else []
    return f"object of {', '.join(members[:8])}" if members else name


def overlap(
    pair: Pair, old: Branches, new: Branches, *, changed: bool, prove: Prove
) -> Iterator[Difference]:
    """Compare overlaps of branches. ``oneOf`` rejects values that two branches allow.

    ``changed`` means that the allowed values differ otherwise.
    """
    if not (old.overlap or new.overlap):
        return
    stands = Relation.LOOSER if old.overlap else Relation.TIGHTER
    if old.overlap and new.overlap:
        if not changed and _has_same_options(pair, prove):
            return
        stands = Relation.OTHER
    values = pair.old.keyword_values("anyOf", "oneOf"), pair.new.keyword_values("anyOf", "oneOf")
    yield pair.differs("overlap", stands, keyword="oneOf", values=values)


def _has_same_options(pair: Pair, prove: Prove) -> bool:
    """Return True if each option has an equal one. Two equal options need two counterparts."""
    (keyword, options), (new_keyword, new_options) = open_union(pair.old), open_union(pair.new)
    for was in options:
        now = next((view for view in new_options if is_proved_same(prove, was, view)), None)
        if now is None:
            return False
        new_options.remove(now)
    return keyword == new_keyword and not new_options
