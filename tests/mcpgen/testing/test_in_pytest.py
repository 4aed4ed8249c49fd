from __future__ import annotations

from typing import Any

import pytest
from tested import notes, prepared_server

from mcpgen.errors import UsageError
from mcpgen.findings.contract_tests import Case, Failure, Outcome, Verdict
from mcpgen.testing import contract_tests, in_pytest, live


def cases(test: Any) -> list[tuple[str, str]]:
    (mark,) = test.pytestmark
    results: list[tuple[str, str]] = mark.args[1]
    return results


def test_one_run_yields_a_test_per_tool_and_rule() -> None:
    command = notes().command
    test: Any = contract_tests(command, env={"BUG": "output"}, era="legacy", calls=120)
    results = cases(test)
    assert ("search_books", "C101") in results
    assert ("server", "C605") in results
    assert len(results) == len(set(results))
    with pytest.raises(pytest.fail.Exception, match="C101 output-breaks-schema") as raised:
        test("search_books", "C101")
    assert "mcpgen call" in str(raised.value)
    test("get_book", "C101")
    test("server", "C605")
    with pytest.raises(pytest.skip.Exception, match="read-only"):
        test("add_note", "C101")


def test_only_named_rules_are_used() -> None:
    test = contract_tests([*notes().command], judges=["C101", "pages-repeat"])
    assert {judge for _, judge in cases(test)} == {"C101", "C605"}


def test_unknown_attribute_is_an_attribute_error() -> None:
    import mcpgen.testing

    with pytest.raises(AttributeError):
        mcpgen.testing.nothing  # noqa: B018 - it is looked up


@pytest.mark.parametrize(
    ("subject", "judge", "test"),
    [
        ("tool get_book", "C101", ("get_book", "C101")),
        ("tool search_books", "C605", ("server", "C605")),
        ("tool get_book", "C607", ("server", "C607")),
        ("server", "C501", ("server", "C501")),
        ("server", "C702", ("server", "C702")),
        ("prompt welcome", "C203", ("server", "C203")),
        ("tool of_none", "C201", ("server", "C201")),
    ],
)
def test_whatever_fails_in_the_run_fails_one_test(
    monkeypatch: pytest.MonkeyPatch, subject: str, judge: str, test: tuple[str, str]
) -> None:
    failure = Failure(Case("call", subject), Verdict(judge))
    outcome = Outcome("notes", "2025-11-25", 0, 1, (failure,))
    prepared = prepared_server("modern")
    monkeypatch.setattr(live, "prepare", lambda *_, **__: prepared)
    monkeypatch.setattr(in_pytest._Once, "_outcome", lambda _: outcome)
    check: Any = contract_tests("notes")
    failed: list[tuple[str, str]] = []
    for case in cases(check):
        try:
            check(*case)
        except pytest.fail.Exception:
            failed.append(case)
    assert failed == [test]


def test_unknown_level_is_rejected_before_testing() -> None:
    with pytest.raises(UsageError, match="fail_on does not know 'eror'"):
        contract_tests("no_such_server.py", fail_on="eror")
