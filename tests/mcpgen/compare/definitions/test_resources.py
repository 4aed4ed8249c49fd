"""Changes of resources and templates."""

from __future__ import annotations

import pytest
from contract_changes import RESOURCES, RESOURCES_BOTH_WAYS, assert_rules_both_ways, find_rules


@pytest.mark.parametrize("name", RESOURCES)
def test_change_of_a_resource_falls_under_its_rules(name: str) -> None:
    old, new, expected = RESOURCES[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", RESOURCES_BOTH_WAYS)
def test_change_of_a_resource_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(RESOURCES_BOTH_WAYS[name])
