"""One condition on values of any kind, such as ``not`` or ``if``: new, gone or another one."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair

# A keyword is shown with those that mean nothing without it.
_TOGETHER = {
    "if": ("if", "then", "else"),
    "dependentRequired": ("dependentRequired", "dependencies"),
    "dependentSchemas": ("dependentSchemas", "dependencies"),
}


def condition(pair: Pair, keyword: str, stands: Relation) -> Iterator[Difference]:
    """Yield that a condition differs, if it does."""
    if stands:
        values = pair.written(*_TOGETHER.get(keyword, (keyword,)))
        yield pair.differs("condition", stands, keyword=keyword, values=values)


def unproved(pair: Pair, keyword: str) -> Iterator[Difference]:
    """Yield that nobody can say how a condition differs."""
    values = pair.written(*_TOGETHER.get(keyword, (keyword,)))
    yield pair.differs("unproved", Relation.OTHER, keyword=keyword, values=values)


def presence(*, was: bool, now: bool) -> Relation:
    """Return how a schema stands to another one for a condition that came or went."""
    return relation(tighter=now and not was, looser=was and not now)
