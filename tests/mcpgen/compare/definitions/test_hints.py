"""Changes of hints, compared by the values in force."""

from __future__ import annotations

import pytest
from contract_changes import HINTS, HINTS_BOTH_WAYS, assert_rules_both_ways, find_rules


@pytest.mark.parametrize("name", HINTS)
def test_change_of_a_hint_falls_under_its_rules(name: str) -> None:
    old, new, expected = HINTS[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", HINTS_BOTH_WAYS)
def test_change_of_a_hint_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(HINTS_BOTH_WAYS[name])
