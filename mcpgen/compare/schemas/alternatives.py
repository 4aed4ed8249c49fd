"""Alternatives: the branches of a union that are of one kind, matched, then what is left over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mcpgen.compare.schemas.branches import Branches, opened
from mcpgen.compare.schemas.difference import Difference, Relation
from mcpgen.compare.schemas.discriminators import discriminators, label
from mcpgen.compare.schemas.kinds import Kind
from mcpgen.compare.schemas.members import Members
from mcpgen.compare.schemas.pair import Pair, Prove, is_proved_same
from mcpgen.compare.schemas.values import is_integer
from mcpgen.compare.schemas.view import View
from mcpgen.findings.change import ABSENT


@dataclass(slots=True)
class Matching:
    """Which old and new branches are one and the same, and which have no counterpart."""

    removed: list[View]
    added: list[View]
    pairs: list[tuple[View, View]] = field(default_factory=list["tuple[View, View]"])

    def match(self, old: View, new: View) -> None:
        """Note that two branches are one."""
        self.pairs.append((old, new))
        self.removed.remove(old)
        self.added.remove(new)


def matched(old: Sequence[View], new: Sequence[View], prove: Prove) -> Matching:
    """Match branches: the equal ones, those with one discriminator, those alike, the last ones."""

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
    """Say whether two branches name mostly the same members, or are the same sort of number."""
    old_names, new_names = ({name for name, _ in discriminators(view)} for view in (old, new))
    if old_names & new_names:
        return False
    was, now = Members(old).names, Members(new).names
    if was or now:
        return 2 * len(was & now) >= len(was | now)
    return is_integer(old) == is_integer(new)


def unmatched(
    kind: Kind, path: str, both: tuple[list[View], list[View]], matching: Matching, prove: Prove
) -> Iterator[Difference]:
    """Yield the branches without a counterpart that no branch of the other side makes up for."""
    old, new = both
    for was in matching.removed:
        if all(Relation.TIGHTER in prove(was, now) for now in new):
            values = _shown(kind, was), ABSENT
            yield Pair(was, new[0], path).differs("alternative", Relation.TIGHTER, values=values)
    for now in matching.added:
        if all(Relation.LOOSER in prove(was, now) for was in old):
            new_values = ABSENT, _shown(kind, now)
            yield Pair(old[0], now, path).differs("alternative", Relation.LOOSER, values=new_values)


def _shown(kind: Kind, view: View) -> str:
    name = label(view, kind)
    members = sorted(Members(view).names) if name == "object" else []
    return f"object of {', '.join(members[:8])}" if members else name


def overlap(
    pair: Pair, old: Branches, new: Branches, *, changed: bool, prove: Prove
) -> Iterator[Difference]:
    """Compare whether branches overlap: a ``oneOf`` refuses what two of its branches allow.

    ``changed`` says that something else differs in what is allowed.
    """
    if not (old.overlap or new.overlap):
        return
    stands = Relation.LOOSER if old.overlap else Relation.TIGHTER
    if old.overlap and new.overlap:
        if not changed and _has_same_options(pair, prove):
            return
        stands = Relation.OTHER
    values = pair.old.written("anyOf", "oneOf"), pair.new.written("anyOf", "oneOf")
    yield pair.differs("overlap", stands, keyword="oneOf", values=values)


def _has_same_options(pair: Pair, prove: Prove) -> bool:
    """Say whether each option of a union has an equal one: two alike count for two."""
    (keyword, options), (new_keyword, new_options) = opened(pair.old), opened(pair.new)
    for was in options:
        now = next((view for view in new_options if is_proved_same(prove, was, view)), None)
        if now is None:
            return False
        new_options.remove(now)
    return keyword == new_keyword and not new_options
