"""Changes of `not`, `if` and `propertyNames`, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import CONDITIONS, DIRECTIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", CONDITIONS)
def test_change_of_a_condition_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(CONDITIONS[name], direction)
