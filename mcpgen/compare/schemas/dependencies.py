"""Compares constraints that depend on the presence of a property."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mcpgen.compare.schemas.condition import condition, presence
from mcpgen.compare.schemas.difference import Difference, relation
from mcpgen.compare.schemas.pair import Pair, Prove
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.view import View
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_array, is_object
from mcpgen.schemas.types.resolution import At


def compare(pair: Pair, prove: Prove) -> Iterator[Difference]:
    """Compare ``dependentRequired`` and ``dependentSchemas``, including their older names."""
    yield from _required_differences(pair)
    yield from _schemas(pair, prove)


def _required_differences(pair: Pair) -> Iterator[Difference]:
    old, new = _required_by(pair.old), _required_by(pair.new)
    is_tighter = any(not _follows(pair.old, old, *dependency) for dependency in new)
    is_looser = any(not _follows(pair.new, new, *dependency) for dependency in old)
    stands = relation(tighter=is_tighter, looser=is_looser)
    yield from condition(pair, "dependentRequired", stands)


def _required_by(view: View) -> set[tuple[str, str]]:
    """Return pairs of a property and another one that it requires."""
    dependent = _dependent(view, "dependentRequired").items()
    return {
        (name, other) for name, ats in dependent for other_names, _ in ats for other in other_names
    }


def _follows(view: View, dependencies: set[tuple[str, str]], name: str, other: str) -> bool:
    """Return True if one property implies another, directly or through other dependencies."""
    members = PropertyViews(view)
    if other in members.required_names or members.named(name).impossible:
        return True
    present, waiting = {name}, [name]
    while waiting:
        step = waiting.pop()
        added = {required for by, required in dependencies if by == step} - present
        present |= added
        waiting += added
    return other in present


def _schemas(pair: Pair, prove: Prove) -> Iterator[Difference]:
    old, new = (_dependent(view, "dependentSchemas") for view in (pair.old, pair.new))
    for name in sorted(old.keys() | new.keys()):
        stands = presence(was=name in old, now=name in new)
        if name in old and name in new:
            stands = prove(pair.old.all_of(old[name]), pair.new.all_of(new[name]))
        yield from condition(pair, "dependentSchemas", stands)


def _dependent(
    view: View, keyword: Literal["dependentRequired", "dependentSchemas"]
) -> dict[str, list[At]]:
    """Return the dependent schemas by property, including their older syntax."""
    dependent: dict[str, list[At]] = {}
    for token in (keyword, "dependencies"):
        for value, pointer in view.occurrences(token):
            for name, needed in value.items() if is_object(value) else ():
                if is_array(needed) == (keyword == "dependentRequired"):
                    dependent.setdefault(name, []).append((needed, f"{pointer}/{escape(name)}"))
    return dependent
