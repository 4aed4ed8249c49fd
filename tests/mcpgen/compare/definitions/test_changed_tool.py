"""Changes of a tool: execution, and schemas as a whole."""

from __future__ import annotations

import pytest
from contract_changes import (
    CHANGED_TOOLS,
    CHANGED_TOOLS_BOTH_WAYS,
    assert_rules_both_ways,
    find_rules,
)


@pytest.mark.parametrize("name", CHANGED_TOOLS)
def test_change_of_a_tool_falls_under_its_rules(name: str) -> None:
    old, new, expected = CHANGED_TOOLS[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", CHANGED_TOOLS_BOTH_WAYS)
def test_change_of_a_tool_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(CHANGED_TOOLS_BOTH_WAYS[name])
