"""Changes of lengths, patterns and formats, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import DIRECTIONS, STRINGS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", STRINGS)
def test_change_of_a_string_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(STRINGS[name], direction)
