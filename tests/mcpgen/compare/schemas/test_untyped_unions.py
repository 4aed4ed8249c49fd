"""Changes of unions without types, such as a choice of required members."""

from __future__ import annotations

import pytest
from schema_mutations import DIRECTIONS, UNTYPED_UNIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", UNTYPED_UNIONS)
def test_change_of_an_untyped_union_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(UNTYPED_UNIONS[name], direction)
