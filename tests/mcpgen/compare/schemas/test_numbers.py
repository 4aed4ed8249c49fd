"""Changes of bounds and steps of numbers, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import DIRECTIONS, NUMBERS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", NUMBERS)
def test_change_of_a_number_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(NUMBERS[name], direction)
