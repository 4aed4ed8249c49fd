"""Changes of allowed types and of enumerated values, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import CHOICES, DIRECTIONS, TYPES, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", TYPES)
def test_change_of_types_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(TYPES[name], direction)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", CHOICES)
def test_change_of_enumerated_values_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(CHOICES[name], direction)
