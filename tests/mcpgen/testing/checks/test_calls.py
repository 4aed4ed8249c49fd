from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tested import BOOKS, run_case, run_of

from mcpgen.findings.contract_tests import Case
from mcpgen.findings.rules.tests.catalogue import JUDGES
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import calls
from mcpgen.testing.run_options import Limits

LIST = {"method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}
SEARCH = "tool search_books"
BOOK = "tool get_book"
ALL = {"name": "search_books", "arguments": {"query": ""}}
FERRY = {"name": "search_books", "arguments": {"query": "ferry"}}
NOTHING = {"name": "list_notes", "arguments": {}}

# The bug, the check and its subject, its data, and the expected finding.
CASES: list[tuple[str, str, str, dict[str, Any], str]] = [
    ("output", "call", SEARCH, {"arguments": {"query": "winter"}}, "C101"),
    ("missing", "call", SEARCH, {"arguments": {"query": "winter"}}, "C102"),
    ("protocol", "call", BOOK, {"arguments": {"id": "B-1"}}, "C103"),
    (
        "boundary",
        "neighbor",
        SEARCH,
        {"arguments": {"query": "", "limit": 5}, "path": ["limit"], "passing": [1, 2], "value": 20},
        "C104",
    ),
    ("accepts", "call", SEARCH, {"arguments": {"query": "", "limit": 21}}, "C201"),
    ("accepts", "call", SEARCH, {"arguments": {"query": "", "order": "size"}}, "C201"),
    ("accepts", "call", SEARCH, {"arguments": {"query": "", "limit": "5"}}, "C202"),
    ("accepts", "call", SEARCH, {"arguments": {"query": None}}, "C202"),
    ("accepts", "call", SEARCH, {"arguments": {"query": "", "mcpgen_unknown": 1}}, "C205"),
    ("accepts", "call", SEARCH, {"arguments": {}}, "C203"),
    ("crash", "call", SEARCH, {"arguments": {"query": ""}}, "C203"),
    ("silent", "call", BOOK, {"arguments": {"id": "X"}}, "C501"),
    ("soft", "call", BOOK, {"arguments": {"id": "X"}}, "C502"),
    ("dies", "call", SEARCH, {"arguments": {"query": "\U0001f389"}}, "C301"),
    ("writes", "read-only", SEARCH, {"arguments": {"query": ""}, "reads": [LIST]}, "C401"),
    (
        "creates",
        "read-only",
        BOOK,
        {"arguments": {"id": "B-1"}, "reads": [LIST], "fresh": "id"},
        "C401",
    ),
    (
        "repeats",
        "idempotent",
        "tool set_tag",
        {"arguments": {"text": "x"}, "reads": [LIST]},
        "C402",
    ),
    (
        "unknown",
        "unknown",
        "server",
        {"method": "tools/call", "params": {"name": "no_such", "arguments": {}}},
        "C601",
    ),
    ("pages", "pages", "server", {"method": "tools/list"}, "C605"),
    ("", "pages", "server", {"method": "resources/list"}, "C604"),
    ("offered", "offered", BOOK, {"method": "tools/list", "key": "get_book"}, "C607"),
    (
        "resource",
        "given",
        "resource bookshelf://rules",
        {"method": "resources/read", "params": {"uri": "bookshelf://rules"}, "surely": True},
        "C608",
    ),
    ("mixed", "together", "server", {"calls": [ALL, FERRY, NOTHING]}, "C701"),
    ("unicode", "text", SEARCH, {"arguments": {}, "argument": "query"}, "C801"),
    ("chain", "chain", BOOK, {"source": BOOKS, "argument": "id", "arguments": {}}, "C901"),
    ("another", "chain", BOOK, {"source": BOOKS, "argument": "id", "arguments": {}}, "C902"),
]
NOTES = {"C604"}


@pytest.mark.slow
@pytest.mark.sampled(7)
@pytest.mark.parametrize(("bug", "check", "subject", "data", "judge"), CASES)
def test_rule_reports_its_bug(
    bug: str, check: str, subject: str, data: dict[str, Any], judge: str
) -> None:
    with run_of(bug) as run:
        assert judge in {verdict.judge for verdict in run_case(run, check, subject, **data)}


def test_rules_report_nothing_for_a_correct_server() -> None:
    with run_of() as run:
        for _, check, subject, data, _ in CASES:
            messages = {verdict.judge for verdict in run_case(run, check, subject, **data)}
            assert messages <= NOTES, (check, subject, data)


@pytest.mark.slow
def test_unanswered_call_is_abandoned_and_the_server_probed() -> None:
    with run_of("hangs", limits=Limits(answer=0.3)) as run:
        verdicts = run_case(run, "call", SEARCH, arguments={"query": "", "limit": 1})
        assert {verdict.judge for verdict in verdicts} == {"C302", "C303"}
        assert run_case(run, "call", SEARCH, arguments={"query": ""}) == []


@pytest.mark.slow
def test_printing_server_is_reported_once() -> None:
    with run_of("prints") as run:
        run.explore()
    failures = [failure for failure in run.failures.values() if failure.judge.id == "C304"]
    assert len(failures) == 1
    assert "calling" in failures[0].verdict.detail


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("", True),
        ("Error", True),
        ("An unknown error occurred.", True),
        ("[object Object]", True),
        ("undefined", True),
        ("limit must be at most 20", False),
        ("there is no book X", False),
        ("Not found", False),
    ],
)
def test_error_without_details_is_uninformative(text: str, is_empty: bool) -> None:
    from mcpgen.testing.answer import Answer
    from mcpgen.testing.checks.calls import of_error

    answer = Answer({"content": [{"type": "text", "text": text}], "isError": True})
    assert ({verdict.judge for verdict in of_error(answer)} == {"C501"}) is is_empty


@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):\n  File 'x'",
        "Cannot read properties of undefined (reading 'id')",
        "'NoneType' object has no attribute 'id'",
        "TypeError: Object of type set is not JSON serializable",
        "Error executing tool get: KeyError: 'x'",
        "oh\n    at Object.run (/srv/index.js:10:5)",
    ],
)
def test_interpreter_errors_differ_from_authored_messages(text: str) -> None:
    from mcpgen.testing.answer import Answer
    from mcpgen.testing.checks.calls import of_error

    answer = Answer({"content": [{"type": "text", "text": text}], "isError": True})
    assert [verdict.judge for verdict in of_error(answer)] == ["C203"]


def test_every_judge_is_explained() -> None:
    for judge in JUDGES.values():
        assert judge.summary[:1].islower()
        assert not judge.summary.endswith(".")
        assert judge.why.endswith(".")
        assert judge.fix.endswith(".")
        assert all(judge.example)
    assert len({judge.name for judge in JUDGES.values()}) == len(JUDGES)


@pytest.mark.parametrize(("stock", "count"), [(50, 3), (1_000, 12)])
def test_call_until_refused(stock: int, count: int) -> None:
    booked: list[int] = []

    def call_again(tool: str, arguments: Json) -> Answer:
        assert tool == "take"
        booked.append(arguments["amount"])
        is_enough = sum(booked) <= stock
        return Answer({"content": []}) if is_enough else Answer(code=-32000, message="too few")

    lab: Any = SimpleNamespace(call_again=call_again)
    case = Case("used-up", "tool take", {"arguments": {"amount": 20}})
    assert calls.used_up(lab, case) == []
    assert len(booked) == count


@pytest.mark.parametrize(("refuses_true", "judge"), [(True, "C201"), (False, "C202")])
def test_true_for_a_number(*, refuses_true: bool, judge: str) -> None:
    """The value is an oversight if the server refuses it for another number."""
    arguments = {"query": "", "limit": True}
    with run_of("accepts") as run:
        case = Case("call", SEARCH, {"arguments": arguments})
        if refuses_true:
            refusal = Answer(code=-32602, message="limit: expected an integer")
            calls.judge_answer(run.lab, case, refusal)
        verdicts = calls.judge_answer(run.lab, case, Answer({"content": []}))
        assert judge in {verdict.judge for verdict in verdicts}
