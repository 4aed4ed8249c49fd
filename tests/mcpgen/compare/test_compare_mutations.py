"""Every rule of `diff`, by changes of one tool: it is found, and no other."""

from __future__ import annotations

import pytest
from schema_mutations import (
    BASE,
    MUTATIONS,
    PAIRS,
    WHOLES,
    changes,
    member,
    mutate_tool,
    rules,
    with_schema,
)


def test_there_are_39_mutations() -> None:
    assert len(MUTATIONS) == 39


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_of_one_tool_violates_only_its_rule(name: str) -> None:
    mutation, expected = MUTATIONS[name]
    assert rules(changes(BASE, mutate_tool(mutation))) == expected


@pytest.mark.parametrize("direction", ["input", "output"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_change_of_a_member_falls_under_its_rules(name: str, direction: str) -> None:
    old, new, *expected = PAIRS[name]
    requested = expected[direction == "output"].split()
    tools = [with_schema(direction, member(schema)) for schema in (old, new)]
    assert rules(changes(*tools)) == requested


@pytest.mark.parametrize("direction", ["input", "output"])
@pytest.mark.parametrize("name", WHOLES)
def test_change_of_a_whole_schema_violates_its_rules(name: str, direction: str) -> None:
    old, new, *expected = WHOLES[name]
    results = changes(with_schema(direction, old), with_schema(direction, new))
    assert rules(results) == expected[direction == "output"].split()
