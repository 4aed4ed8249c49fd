"""Changes of objects: members, additional properties and patterns, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import DIRECTIONS, OBJECTS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", OBJECTS)
def test_change_of_an_object_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(OBJECTS[name], direction)
