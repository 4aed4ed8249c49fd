"""Constraints in descriptions for which a schema has keywords."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_PROSE,
    OK_PROSE,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    names_of,
    text_arg,
)

from mcpgen.contract.document import read
from mcpgen.lint.lint import lint


@pytest.mark.parametrize(("rule", "path", "change"), BAD_PROSE, ids=names_of(BAD_PROSE))
def test_defect_of_constraints_in_prose_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_PROSE, ids=names_of(OK_PROSE))
def test_correct_constraints_in_prose_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name


MANY = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "one of" + "!" * MANY,
        "'a', " + " " * MANY,
        "'a'" + " (" * MANY,
        "default " + " " * MANY + "x",
        "default '" * (MANY // 9),
        "\n" * MANY + "x",
        "(required" * (MANY // 9),
        "a" * MANY,
        "\u200b" * MANY,
    ],
    ids=lambda text: repr(text[:9]),
)
def test_no_text_takes_long(text: str) -> None:
    tool = apply_change(text_arg(text))
    tool["description"] = text
    lint(read({"tools": [tool]}))
