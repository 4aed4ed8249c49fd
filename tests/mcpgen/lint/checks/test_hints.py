"""Hints that contradict a tool's name, and hints that don't."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_HINTS,
    OK_HINTS,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    names_of,
)


@pytest.mark.parametrize(("rule", "path", "change"), BAD_HINTS, ids=names_of(BAD_HINTS))
def test_defect_of_hints_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_HINTS, ids=names_of(OK_HINTS))
def test_correct_hints_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name
