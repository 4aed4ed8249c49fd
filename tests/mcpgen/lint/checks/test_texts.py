"""Descriptions that lint reports, and descriptions that it accepts."""

from __future__ import annotations

import pytest
from lint_definitions import (
    ARGUMENT,
    BAD_TEXTS,
    OK_TEXTS,
    Change,
    apply_change,
    argument,
    assert_rule_finds,
    find_rules,
    names_of,
)


@pytest.mark.parametrize(("rule", "path", "change"), BAD_TEXTS, ids=names_of(BAD_TEXTS))
def test_defect_of_descriptions_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_TEXTS, ids=names_of(OK_TEXTS))
def test_correct_descriptions_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name


def test_argument_described_by_its_tool_is_recognized() -> None:
    tool = apply_change(argument({"type": "string"}))
    tool["description"] += "\n\nArgs:\n    extra (str): Where they stand."
    assert find_rules(tool) == {("L208", f"/tools/search_books{ARGUMENT}")}
