"""Changes of constraints that depend on a property, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import DEPENDENCIES, DIRECTIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", DEPENDENCIES)
def test_change_of_a_dependency_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(DEPENDENCIES[name], direction)
