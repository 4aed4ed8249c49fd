"""Changes of one tool for every rule of `diff`: only that rule finds them."""

from __future__ import annotations

import pytest
from schema_mutations import BASE, MUTATIONS, changes, mutate_tool, rules


def test_there_are_39_mutations() -> None:
    assert len(MUTATIONS) == 39


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_of_one_tool_violates_only_its_rule(name: str) -> None:
    mutation, expected = MUTATIONS[name]
    assert rules(changes(BASE, mutate_tool(mutation))) == expected
