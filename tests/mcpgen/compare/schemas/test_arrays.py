"""Changes of arrays: items, tuples and `contains`, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import ARRAYS, DIRECTIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", ARRAYS)
def test_change_of_an_array_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(ARRAYS[name], direction)
