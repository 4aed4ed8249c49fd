"""Compares allowed types and enumerated values."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.schemas.difference import Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.views.branches import Branches
from mcpgen.compare.schemas.views.kinds import Kind
from mcpgen.compare.schemas.views.values import Enumeration, enumeration_of
from mcpgen.findings.change import ABSENT, Value
from mcpgen.jsontext import Json


def possibility(pair: Pair, old: Branches, new: Branches) -> Iterator[Difference]:
    """Compare whether any value is allowed at all."""
    if bool(old.listed) != bool(new.listed):
        stands = relation(tighter=bool(old.listed), looser=bool(new.listed))
        values = old.types if old.listed else False, new.types if new.listed else False
        yield pair.differs("impossible", stands, values=values)


def null(pair: Pair, old: Branches, new: Branches) -> Iterator[Difference]:
    """Compare whether null is allowed, unless only one schema allows any value."""
    was, now = ("null" in branches.kinds for branches in (old, new))
    if was == now or (_other_kinds(old, new) and "any" in (old.types, new.types)):
        return
    values = old.types, new.types
    stands = relation(tighter=was, looser=now)
    yield pair.differs("null", stands, keyword="type", values=values)


def types(pair: Pair, old: Branches, new: Branches) -> Iterator[Difference]:
    """Compare the JSON types except null."""
    removed, added = old.kinds - new.kinds - {"null"}, new.kinds - old.kinds - {"null"}
    if removed or added:
        stands = relation(tighter=bool(removed), looser=bool(added))
        values = old.types_without_null, new.types_without_null
        yield pair.differs("type", stands, keyword="type", values=values)


def _other_kinds(old: Branches, new: Branches) -> frozenset[Kind]:
    return (old.kinds ^ new.kinds) - {"null"}


def listed_values(pair: Pair, old: Enumeration, new: Enumeration) -> Iterator[Difference]:
    """Compare two lists of values."""
    removed = [value for key, value in old.items() if key not in new]
    if removed:
        yield _enum_difference(pair, _one_or_all(removed), ABSENT, Relation.TIGHTER)
    added = [value for key, value in new.items() if key not in old]
    if added:
        yield _enum_difference(pair, ABSENT, _one_or_all(added), Relation.LOOSER)


def listed_values_of(kind: Kind, pair: Pair) -> Iterator[Difference]:
    """Compare the values of a JSON type if at least one schema enumerates them."""
    old, new = enumeration_of(kind, pair.old), enumeration_of(kind, pair.new)
    if old is not None and new is not None:
        yield from listed_values(pair, old, new)
    elif old is not None:
        yield _enum_difference(pair, [*old.values()], ABSENT, Relation.LOOSER)
    elif new is not None:
        yield _enum_difference(pair, ABSENT, [*new.values()], Relation.TIGHTER)


def _enum_difference(pair: Pair, old: Value, new: Value, stands: Relation) -> Difference:
    return pair.differs("enum", stands, keyword="enum", values=(old, new))


def _one_or_all(values: list[Json]) -> Value:
    return values[0] if len(values) == 1 else values
