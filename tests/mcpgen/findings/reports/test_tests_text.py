from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any, get_args

import pytest
from paths import ROOT
from tested import notes

from mcpgen.findings.contract_tests import Case, Failure, Outcome, ToolCoverage, Verdict
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.reports.formats import TESTS_FORMATS, TestsFormat, render_tests
from mcpgen.findings.rules.tests.catalogue import JUDGES
from mcpgen.findings.severity import Level
from mcpgen.testing.arguments.safety import redact
from mcpgen.testing.coverage import declared_properties
from mcpgen.testing.live import lines_of
from mcpgen.testing.repro_commands import Lines

HOSTILE = "\x1b[31m</failure>\u202e\ud800"
CALL = Case("call", "tool get_book", {"arguments": {"id": "X"}})
FAILURES = (
    Failure(
        CALL, Verdict("C201", f"/id: {HOSTILE}", "/id type", "result: []"), True, "mcpgen call"
    ),
    Failure(CALL, Verdict("C202", "/id: 5", "/id type")),
    Failure(Case("pages", "server", {"method": "tools/list"}), Verdict("C604", "tools/list")),
)
SEEN = ToolCoverage(calls=3, results=1, members={"id", "other"})
OUTCOME = Outcome(
    "notes",
    "2025-11-25",
    7,
    9,
    FAILURES,
    {"get_book": SEEN, "add_note": ToolCoverage(left_out="it writes")},
    {"get_book": {"id", "title"}},
    stopped="the limit of --calls was reached",
)


def render(format: TestsFormat, outcome: Outcome = OUTCOME) -> str:
    return render_tests(outcome, ReportOptions(format), redact)


def test_text_report_has_failures_coverage_and_omissions() -> None:
    text = render("text")
    assert "C201 invalid-accepted" in text
    assert "$ mcpgen call" in text
    assert "1 of 2" in text
    assert "left out: add_note: it writes" in text
    assert "1 error, 1 warning, 1 note; 9 calls, seed 7" in text
    assert "not everything was tried: the limit of --calls was reached" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_json_has_all_of_it() -> None:
    document = json.loads(render("json"))
    assert document["failed"] is True
    assert document["counts"] == {"error": 1, "warning": 1, "note": 1}
    assert document["failures"][0]["data"] == {"arguments": {"id": "X"}}
    assert document["coverage"]["get_book"]["membersNotSeen"] == ["title"]


def test_junit_report_counts_failures_and_skips_omissions() -> None:
    (suite,) = ET.fromstring(render("junit"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "1")
    assert [item.get("type") for item in suite.iter("failure")] == ["C201"]
    assert [item.get("message") for item in suite.iter("skipped")] == ["it writes"]


def test_sarif_knows_the_judges_and_where_the_tool_is() -> None:
    (run,) = json.loads(render("sarif"))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["C201", "C202", "C604"]
    first = run["results"][0]
    assert first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "/tools/get_book"
    assert first["partialFingerprints"]["mcpgen/v1"] == FAILURES[0].fingerprint


def test_every_format_can_be_written() -> None:
    assert set(get_args(TestsFormat)) == set(TESTS_FORMATS)
    assert all(
        render(tests_format, Outcome("notes", "2025-11-25", 0, 0)) for tests_format in TESTS_FORMATS
    )


@pytest.mark.parametrize(
    ("levels", "fails"),
    [({Level.ERROR}, True), ({Level.WARNING}, True), (set[Level](), False)],
)
def test_fail_on_levels_decide_the_exit_code(levels: set[Level], fails: bool) -> None:
    outcome = Outcome("notes", "2025-11-25", 0, 0, FAILURES, fail_on=frozenset(levels))
    assert outcome.fails is fails


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"id": "B-1"}, "mcpgen call --unchecked demo get_book '--id:=\"B-1\"'"),
        ({"limit": 5}, "mcpgen call --unchecked demo get_book --limit:=5"),
        ({"format": "x"}, """echo '{"format": "x"}' | mcpgen call --unchecked demo get_book -"""),
        ({"a b": 1}, """echo '{"a b": 1}' | mcpgen call --unchecked demo get_book -"""),
    ],
)
def test_a_call_is_a_line_for_a_shell(arguments: Any, line: str) -> None:
    case = Case("call", "tool get_book", {"arguments": arguments})
    assert Lines(server="demo").line_for(case) == line


def test_a_line_repeats_no_secret() -> None:
    lines = lines_of(
        type(notes())(server="https://example.org/mcp", header=("Authorization: Bearer abc",))
    )
    line = lines.line_for(CALL)
    assert "abc" not in line
    assert "--header 'Authorization: ${VALUE}'" in line


def test_output_coverage_counts_properties_inside_arrays() -> None:
    schema = {
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "total": {},
        },
        "$defs": {"item": {"properties": {"id": {}}}},
    }
    assert declared_properties(schema) == {"items", "items.id", "total"}


def test_the_page_on_testing_has_every_judge() -> None:
    page = (ROOT / "docs" / "contract-tests.md").read_text(encoding="utf-8")
    for judge in JUDGES.values():
        assert f"| {judge.id} {judge.name} | {judge.level} | {judge.summary} |" in page
