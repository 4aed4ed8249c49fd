"""Compares unions without types, such as a choice of required properties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from mcpgen.compare.schemas.condition import condition, presence, unproved_condition
from mcpgen.compare.schemas.difference import ASSERTIONS, Difference, Relation
from mcpgen.compare.schemas.pair import Pair, Prove, is_proved_same
from mcpgen.compare.schemas.views.branches import unions
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.view import View
from mcpgen.findings.change import ABSENT
from mcpgen.schemas.types.resolution import At

_Union: TypeAlias = "tuple[str, list[At]]"
"""The keyword of a union, and its options."""


def compare(pair: Pair, prove: Prove) -> Iterator[Difference]:
    """Compare unions that constrain a value in addition to other keywords."""
    old, new = _demanding(pair.old), _demanding(pair.new)
    if len(old) != 1 or len(new) != 1:
        yield from _several(pair, old, new)
        return
    (keyword, ats), (new_keyword, new_ats) = old[0], new[0]
    options = [pair.old.all_of([at]) for at in ats]
    new_options = [pair.new.all_of([at]) for at in new_ats]
    if keyword == new_keyword == "anyOf":
        yield from _any_of(pair, options, new_options, prove)
    elif keyword != new_keyword:
        yield from unproved_condition(pair, new_keyword)
    elif not _are_same(options, new_options, prove):
        yield from unproved_condition(pair, "oneOf")


def _demanding(view: View) -> list[_Union]:
    """Return the unions of a view, except those with an option that always holds."""
    required = PropertyViews(view).required_names
    return [
        (keyword, ats)
        for keyword, ats in unions(view)
        if keyword != "anyOf" or not any(_holds(view.all_of([at]), required) for at in ats)
    ]


def _holds(option: View, required: frozenset[str]) -> bool:
    """Return True if an option requires no additional properties."""
    if option.impossible or option.unresolved:
        return False
    asserting = [part.raw for part in option.parts if not ASSERTIONS.isdisjoint(part.raw)]
    return all(
        {*raw} & ASSERTIONS == {"required"} and required.issuperset(raw["required"])
        for raw in asserting
    )


def _several(pair: Pair, old: list[_Union], new: list[_Union]) -> Iterator[Difference]:
    """Compare no or several unions as a whole, because they can't be matched individually."""
    for keyword in ("anyOf", "oneOf"):
        was, now = (_schemas(keyword, item) for item in (old, new))
        if bool(was) != bool(now):
            yield from condition(pair, keyword, presence(was=bool(was), now=bool(now)))
        elif was != now:
            yield from unproved_condition(pair, keyword)


def _schemas(keyword: str, listed: list[_Union]) -> list[list[object]]:
    return [[schema for schema, _ in ats] for text, ats in listed if text == keyword]


def _any_of(
    pair: Pair, options: list[View], new_options: list[View], prove: Prove
) -> Iterator[Difference]:
    removed = [
        was.as_schema()
        for was in options
        if all(Relation.TIGHTER in prove(was, now) for now in new_options)
    ]
    added = [
        now.as_schema()
        for now in new_options
        if all(Relation.LOOSER in prove(was, now) for was in options)
    ]
    if removed:
        values = removed, ABSENT
        yield pair.differs("alternative", Relation.TIGHTER, keyword="anyOf", values=values)
    if added:
        new_values = ABSENT, added
        yield pair.differs("alternative", Relation.LOOSER, keyword="anyOf", values=new_values)


def _are_same(options: list[View], new_options: list[View], prove: Prove) -> bool:
    """Return True if each option has an equal one. Two equal options need two counterparts."""
    unmatched = list(new_options)
    for was in options:
        now = next((option for option in unmatched if is_proved_same(prove, was, option)), None)
        if now is None:
            return False
        unmatched.remove(now)
    return not unmatched
