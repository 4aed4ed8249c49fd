"""Changes of prompts and of their arguments."""

from __future__ import annotations

import pytest
from contract_changes import PROMPTS, PROMPTS_BOTH_WAYS, assert_rules_both_ways, find_rules


@pytest.mark.parametrize("name", PROMPTS)
def test_change_of_a_prompt_falls_under_its_rules(name: str) -> None:
    old, new, expected = PROMPTS[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", PROMPTS_BOTH_WAYS)
def test_change_of_a_prompt_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(PROMPTS_BOTH_WAYS[name])
