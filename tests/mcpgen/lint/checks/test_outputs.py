"""Output schemas that lint reports, and schemas that it accepts."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_OUTPUTS,
    OK_OUTPUTS,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    member,
    names_of,
)


@pytest.mark.parametrize(("rule", "path", "change"), BAD_OUTPUTS, ids=names_of(BAD_OUTPUTS))
def test_defect_of_output_schemas_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_OUTPUTS, ids=names_of(OK_OUTPUTS))
def test_correct_output_schemas_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name


def test_non_object_root_is_allowed_since_its_revision() -> None:
    tool = apply_change(member(outputSchema={"type": "array", "items": {"type": "string"}}))
    assert ("L405", "/tools/search_books/outputSchema") in find_rules(
        tool, protocolVersion="2025-11-25"
    )
    assert find_rules(tool, protocolVersion="2026-07-28") == set()
