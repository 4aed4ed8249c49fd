"""Equal types are one class."""

from __future__ import annotations

from random import Random

import pytest
from shared_classes import (
    looks,
)

from mcpgen.schemas.types.nodes import (
    Definition,
    Member,
    Node,
    Record,
    Reference,
    Scalar,
    Sequence,
    union,
)
from mcpgen.schemas.types.sharing import equal


def random_definitions(random: Random, size: int) -> dict[str, Definition]:
    """Return definitions that refer to each other, many of them equal."""
    results: dict[str, Definition] = {}
    for n in range(size):
        members = tuple(
            Member(wire, made_node(random, size), random.random() < 0.5, f"text {random.random()}")
            for wire in "ab"[: random.randint(0, 2)]
        )
        what: Record | Node = Record(members, closed=random.random() < 0.2)
        if random.random() < 0.2:
            what = Sequence(made_node(random, size))
        results[f"/{n}"] = Definition(f"/{n}", what, f"text {n}", "", exact=True)
    return results


def made_node(random: Random, size: int) -> Node:
    if random.random() < 0.2:
        return Scalar(random.choice(["string", "integer"]))
    reference = Reference(f"/{random.randrange(size)}")
    return reference if random.random() < 0.7 else union([reference, Scalar("null")])


@pytest.mark.parametrize("seed", range(60))
def test_types_are_one_where_nothing_tells_them_apart(seed: int) -> None:
    random = Random(seed)
    schemas = [
        random_definitions(random, random.randint(1, 8)) for _ in range(random.randint(1, 3))
    ]
    results = equal([("", schema) for schema in schemas])
    calls = [looks(schema) for schema in schemas]
    expected: dict[int, set[tuple[int, str]]] = {}
    for n, numbers in enumerate(calls):
        for pointer, number in numbers.items():
            expected.setdefault(number, set()).add((n, pointer))
    assert sorted(map(sorted, results)) == sorted(map(sorted, expected.values()))


@pytest.mark.slow
def test_comparing_a_long_chain_takes_linear_time() -> None:
    size = 20_000
    chain = {
        f"/{n}": Definition(
            f"/{n}",
            Record((Member("a", Reference(f"/{max(n - 1, 0)}"), True),), False),
            "",
            "",
            True,
        )
        for n in range(size)
    }
    assert len(equal([("", chain)])) == 1  # each leads to the next, for ever
    chain["/0"] = Definition("/0", Scalar("string"), "", "", exact=True)
    assert len(equal([("", chain)])) == size
