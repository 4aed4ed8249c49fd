"""Schemas of arguments that lint reports, and schemas that it accepts."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_INPUTS,
    OK_INPUTS,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    names_of,
)

from mcpgen.lint.checks.inputs import _recursion


@pytest.mark.parametrize(("rule", "path", "change"), BAD_INPUTS, ids=names_of(BAD_INPUTS))
def test_defect_of_arguments_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_INPUTS, ids=names_of(OK_INPUTS))
def test_correct_arguments_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name


def test_many_references_take_no_time() -> None:
    steps = {f"S{n}": {"items": {"$ref": f"#/$defs/S{n + 1}"}} for n in range(3000)}
    ring = {**steps, "S3000": {"$ref": "#/$defs/S0"}}
    assert _recursion({"$ref": "#/$defs/S0", "$defs": {**steps, "S3000": True}}) is None
    assert _recursion({"$ref": "#/$defs/S0", "$defs": ring}) == "/$defs/S0"
