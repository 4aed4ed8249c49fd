"""Changes of descriptions, titles and other strings."""

from __future__ import annotations

import pytest
from contract_changes import TEXTS, TEXTS_BOTH_WAYS, assert_rules_both_ways, find_rules


@pytest.mark.parametrize("name", TEXTS)
def test_change_of_a_text_falls_under_its_rules(name: str) -> None:
    old, new, expected = TEXTS[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", TEXTS_BOTH_WAYS)
def test_change_of_a_text_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(TEXTS_BOTH_WAYS[name])
