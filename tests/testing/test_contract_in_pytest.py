from __future__ import annotations

from typing import Any

import pytest
from tested import NOTES, notes

from mcpgen.testing import contract_tests

OUTCOMES: dict[bool, Any] = {True: pytest.fail.Exception, False: pytest.skip.Exception}


def cases(test: Any) -> list[tuple[str, str]]:
    (mark,) = test.pytestmark
    found: list[tuple[str, str]] = mark.args[1]
    return found


def test_there_is_a_test_for_each_tool_and_judge_of_one_run() -> None:
    command = notes().command
    test: Any = contract_tests(command, env={"BUG": "output"}, era="legacy", calls=120)
    found = cases(test)
    assert ("search_books", "C101") in found
    assert ("server", "C605") in found
    assert len(found) == len(set(found))
    with pytest.raises(pytest.fail.Exception, match="C101 output-breaks-schema") as raised:
        test("search_books", "C101")
    assert "mcpgen call" in str(raised.value)
    test("get_book", "C101")
    test("server", "C605")
    with pytest.raises(pytest.skip.Exception, match="read-only"):
        test("add_note", "C101")


def test_only_the_judges_that_are_named_are_asked() -> None:
    test = contract_tests([*notes().command], judges=["C101", "pages-repeat"])
    assert {judge for _, judge in cases(test)} == {"C101", "C605"}


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    import mcpgen.testing

    assert NOTES.is_file()
    with pytest.raises(AttributeError):
        mcpgen.testing.nothing  # noqa: B018 - it is looked up
