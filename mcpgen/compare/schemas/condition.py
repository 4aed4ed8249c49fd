"""Compares conditions that apply to any type, such as ``not`` or ``if``."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair

# A keyword is shown together with the keywords that depend on it.
_TOGETHER = {
    "if": ("if", "then", "else"),
    "dependentRequired": ("dependentRequired", "dependencies"),
    "dependentSchemas": ("dependentSchemas", "dependencies"),
}


def condition(pair: Pair, keyword: str, stands: Relation) -> Iterator[Difference]:
    """Yield the difference of a condition, if there is one."""
    if stands:
        values = pair.keyword_values(*_TOGETHER.get(keyword, (keyword,)))
        yield pair.differs("condition", stands, keyword=keyword, values=values)


def unproved_condition(pair: Pair, keyword: str) -> Iterator[Difference]:
    """Yield the difference of a condition that can't be decided."""
    values = pair.keyword_values(*_TOGETHER.get(keyword, (keyword,)))
    yield pair.differs("unproved", Relation.OTHER, keyword=keyword, values=values)


def presence(*, was: bool, now: bool) -> Relation:
    """Return the relation for an added or removed condition."""
    return relation(tighter=now and not was, looser=was and not now)
