"""Changes of descriptions, defaults and unknown keywords, as arguments and as results."""

from __future__ import annotations

import pytest
from schema_mutations import ANNOTATIONS, DIRECTIONS, assert_rules_of_pair


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", ANNOTATIONS)
def test_change_of_an_annotation_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(ANNOTATIONS[name], direction)
