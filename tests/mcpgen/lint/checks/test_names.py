"""Names of tools and arguments that lint reports, and names that it accepts."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_NAMES,
    GOOD,
    OK_NAMES,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    member,
    names_of,
)


@pytest.mark.parametrize(("rule", "path", "change"), BAD_NAMES, ids=names_of(BAD_NAMES))
def test_defect_of_names_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


@pytest.mark.parametrize(("name", "change"), OK_NAMES, ids=names_of(OK_NAMES))
def test_correct_names_have_no_findings(name: str, change: Change) -> None:
    assert find_rules(apply_change(change)) == set(), name


def test_defects_between_tools_are_found() -> None:
    again = apply_change(member(name="searchBooks"))
    assert find_rules(GOOD, again) == {
        ("L103", "/tools/search_books"),
        ("L103", "/tools/searchBooks"),
        ("L206", "/tools/search_books/description"),
        ("L206", "/tools/searchBooks/description"),
    }
    assert find_rules(GOOD, GOOD) == {("L107", "/tools/search_books")}
    many = [
        apply_change(member(name=f"find_{n}", description=f"Of {n}, all the books."))
        for n in "abcdefg"
    ]
    odd = apply_change(
        member(name="findOther", description="Find what others have in their houses.")
    )
    assert find_rules(*many, odd) == {("L104", "/tools/findOther")}
