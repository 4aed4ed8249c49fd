"""Compares conditions on values of any type: ``not``, ``propertyNames``, ``if`` and all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.compare.schemas import dependencies, untyped_unions
from mcpgen.compare.schemas.condition import condition, presence, unproved_condition
from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair, Prove, is_proved_same
from mcpgen.compare.schemas.views.view import Subschema, View
from mcpgen.schemas.types.resolution import At


def compare(pair: Pair, prove: Prove) -> Iterator[Difference]:
    """Compare the conditions for values of one type. ``prove`` compares inner schemas."""
    yield from _negations(pair, prove)
    yield from _property_names(pair, prove)
    yield from _conditionals(pair, prove)
    yield from dependencies.compare(pair, prove)
    yield from untyped_unions.compare(pair, prove)


def _negations(pair: Pair, prove: Prove) -> Iterator[Difference]:
    old, new = (
        [view.all_of([at]) for at in view.occurrences("not")] for view in (pair.old, pair.new)
    )
    if len(old) == 1 and len(new) == 1:
        inner = prove(old[0], new[0])
        is_tighter, is_looser = Relation.LOOSER in inner, Relation.TIGHTER in inner
        stands = relation(tighter=is_tighter, looser=is_looser)
    else:
        stands = _of_all(old, new, prove)
    yield from condition(pair, "not", stands)


def _of_all(old: Sequence[View], new: Sequence[View], prove: Prove) -> Relation:
    """Return the relation of two lists of conditions that must all hold."""
    removed = [was for was in old if not any(is_proved_same(prove, was, now) for now in new)]
    added = [now for now in new if not any(is_proved_same(prove, was, now) for was in old)]
    return relation(tighter=bool(added), looser=bool(removed))


def _property_names(pair: Pair, prove: Prove) -> Iterator[Difference]:
    keyword = "propertyNames"
    if pair.old.has(keyword) or pair.new.has(keyword):
        text: At = ({"type": "string"}, "")
        old, new = (
            view.all_of([text, *view.occurrences(keyword)]) for view in (pair.old, pair.new)
        )
        yield from condition(pair, keyword, prove(old, new))


def _conditionals(pair: Pair, prove: Prove) -> Iterator[Difference]:
    old, new = ([*filter(_is_conditional, view.parts)] for view in (pair.old, pair.new))
    if len(old) == 1 and len(new) == 1:
        yield from _conditional(pair, old[0], new[0], prove)
    elif bool(old) != bool(new):
        yield from condition(pair, "if", presence(was=bool(old), now=bool(new)))
    elif [part.raw for part in old] != [part.raw for part in new]:
        yield from unproved_condition(pair, "if")


def _is_conditional(part: Subschema) -> bool:
    return "if" in part.raw and ("then" in part.raw or "else" in part.raw)


def _conditional(pair: Pair, old: Subschema, new: Subschema, prove: Prove) -> Iterator[Difference]:
    def prove_branch(keyword: str) -> Relation:
        return prove(_branch(pair.old, old, keyword), _branch(pair.new, new, keyword))

    if prove_branch("if"):
        yield from unproved_condition(pair, "if")
        return
    for keyword in ("then", "else"):
        yield from condition(pair, keyword, prove_branch(keyword))


def _branch(view: View, part: Subschema, keyword: str) -> View:
    return view.all_of([(part.raw.get(keyword, True), f"{part.pointer}/{keyword}")])
