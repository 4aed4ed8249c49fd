"""Walks two schemas side by side, and finds differences in the values that they allow.

For each pair of schemas every module is called once, in the order of ``_compare`` and
``_compare_type``. It yields differences, and inner pairs, which are walked in turn. An undecidable
constraint is a difference, too: ``unproved``. So if a walk finds nothing tighter, the new schema
allows everything that the old one allows, except for unnamed properties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.compare.schemas import (
    alternatives,
    arrays,
    bounds,
    conditions,
    objects,
    schema_annotations,
    type_and_enum,
)
from mcpgen.compare.schemas.difference import Difference, Relation
from mcpgen.compare.schemas.pair import Pair, Step
from mcpgen.compare.schemas.views.branches import Branches, branches
from mcpgen.compare.schemas.views.discriminators import label
from mcpgen.compare.schemas.views.kinds import KINDS, Kind
from mcpgen.compare.schemas.views.view import Key, View
from mcpgen.errors import unforeseen
from mcpgen.findings.change import is_same
from mcpgen.jsontext import sha256

MAX_STEPS = 20_000
MAX_DEPTH = 60

PairKey: TypeAlias = "tuple[Key, Key]"
_NOTHING: PairKey = (((), False, False), ((), False, False))


def differences(old: View, new: View) -> list[Difference]:
    """Return the differences of two schemas."""
    walk = _Walk()
    walk.visit(Pair(old, new))
    return walk.differences


@dataclass(slots=True)
class _Proofs:
    """The state that a walk shares with its proofs: results, and the remaining steps."""

    steps_left: int = MAX_STEPS
    relations: dict[tuple[object, ...], Relation] = field(
        default_factory=dict["tuple[object, ...]", Relation]
    )


@dataclass(slots=True)
class _Walk:
    """A walk, or an attempt at a proof, which ignores annotations.

    Objects are assumed to have only the properties that they name. A ``strict`` walk assumes that
    they may have any that aren't forbidden, as in JSON Schema.
    """

    is_attempt: bool = False
    strict: bool = False
    proofs: _Proofs = field(default_factory=_Proofs)
    ancestors: list[PairKey] = field(default_factory=list["PairKey"])
    depth: int = 0
    differences: list[Difference] = field(default_factory=list["Difference"])
    visited: set[PairKey] = field(default_factory=set["PairKey"])
    gave_up: bool = False

    def visit(self, pair: Pair) -> None:
        """Compare both schemas of a value, and of everything inside it."""
        key = pair.key
        if key in self.visited or key in self.ancestors or key == _NOTHING:
            return
        self.visited.add(key)
        self.proofs.steps_left -= 1
        if self.proofs.steps_left < 0 or self.depth > MAX_DEPTH:
            self._give_up(pair)
            return
        if pair.is_plainly_same:
            return
        self.depth += 1
        self.ancestors.append(key)
        for step in self._compare(pair):
            if isinstance(step, Pair):
                self.visit(step)
            else:
                self.differences.append(step)
        self.ancestors.pop()
        self.depth -= 1

    def _give_up(self, pair: Pair) -> None:
        if not self.gave_up:
            values = _digest(pair.old), _digest(pair.new)
            detail = "it is too large"
            difference = pair.differs("unproved", Relation.OTHER, values=values, detail=detail)
            self.differences.append(difference)
        self.gave_up = True

    def _compare(self, pair: Pair) -> Iterator[Step]:
        before = len(self.differences)
        of_branches = False
        if not self.is_attempt:
            of_branches = schema_annotations.are_of_branches(pair)
            yield from schema_annotations.of_value(pair, of_branches=of_branches)
        yield from _unresolved_difference(pair)
        old, new = branches(pair.old), branches(pair.new)
        yield from type_and_enum.possibility(pair, old, new)
        if old.listed and new.listed:
            yield from self._of_all_kinds(pair, old, new, annotated=of_branches)
        changed = any(difference.relation for difference in self.differences[before:])
        yield from alternatives.overlap(pair, old, new, changed=changed, prove=self.prove)

    def _of_all_kinds(
        self, pair: Pair, old: Branches, new: Branches, *, annotated: bool
    ) -> Iterator[Step]:
        yield from type_and_enum.null(pair, old, new)
        if old.values and new.values:
            yield from type_and_enum.listed_values(pair, old.values, new.values)
            return
        yield from type_and_enum.types(pair, old, new)
        for kind in KINDS:
            if kind in old.kinds and kind in new.kinds:
                both = old.views_of(kind), new.views_of(kind)
                yield from self._branches(kind, pair.path, both, annotated=annotated)

    def _branches(
        self, kind: Kind, path: str, both: tuple[list[View], list[View]], *, annotated: bool
    ) -> Iterator[Step]:
        old, new = both
        if len(old) == 1 and len(new) == 1:
            yield from self._compare_type(kind, Pair(old[0], new[0], path), annotated=annotated)
            return
        matching = alternatives.match_branches(old, new, self.prove)
        for was, now in matching.pairs:
            branch = Pair(was, now, f"{path}<{label(was, kind)}>")
            yield from self._compare_type(kind, branch, annotated=annotated)
        yield from alternatives.unmatched_branches(kind, path, both, matching, self.prove)

    def _compare_type(self, kind: Kind, pair: Pair, *, annotated: bool) -> Iterator[Step]:
        if annotated:
            yield from schema_annotations.of_branch(pair)
        yield from type_and_enum.listed_values_of(kind, pair)
        yield from bounds.compare(kind, pair)
        match kind:
            case "object":
                yield from objects.compare(pair, strict=self.strict)
            case "array":
                yield from arrays.compare(pair, self.prove_strictly)
            case "null" | "boolean" | "number" | "string":
                pass
            case _:
                raise unforeseen(kind)
        yield from conditions.compare(pair, self.prove_strictly)

    def prove(self, old: View, new: View) -> Relation:
        """Return the relation of two views, without recording differences.

        Enclosing pairs are assumed to be equal. A difference is recorded elsewhere.
        """
        return self._prove(old, new, [*self.ancestors], strict=self.strict)

    def prove_strictly(self, old: View, new: View) -> Relation:
        """Return the relation of two views without assumptions, which a ``not`` could invert."""
        return self._prove(old, new, [], strict=True)

    def _prove(self, old: View, new: View, ancestors: list[PairKey], *, strict: bool) -> Relation:
        key = (old.key, new.key, strict, tuple(ancestors))
        if key not in self.proofs.relations:
            attempt = _Walk(True, strict, self.proofs, ancestors, self.depth + 1)
            attempt.visit(Pair(old, new))
            relation = Relation.SAME
            for difference in attempt.differences:
                relation |= difference.relation
            self.proofs.relations[key] = relation
        return self.proofs.relations[key]


def _unresolved_difference(pair: Pair) -> Iterator[Difference]:
    documents = pair.old.document.raw, pair.new.document.raw
    if (pair.old.unresolved or pair.new.unresolved) and not is_same(*documents):
        detail = "it uses a reference or a keyword that cannot be followed"
        values = pair.old.as_schema(), pair.new.as_schema()
        yield pair.differs("unproved", Relation.OTHER, values=values, detail=detail)


def _digest(view: View) -> str:
    return sha256(view.document.raw)[:12]
