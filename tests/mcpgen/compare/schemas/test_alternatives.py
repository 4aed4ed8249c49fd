"""Changes of unions whose branches have types, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import DIRECTIONS, UNIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", UNIONS)
def test_change_of_a_union_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(UNIONS[name], direction)
