from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest
import sdk_programs
from tested import NOTES, Era, run_of

from mcpgen import cli
from mcpgen.findings.contract_tests import Case, Failure, Outcome, Verdict
from mcpgen.findings.severity import Level
from mcpgen.jsontext import Json
from mcpgen.testing import saved_failures
from mcpgen.testing.checks.catalogue import CHECKS
from mcpgen.testing.plan.order import Stage
from mcpgen.testing.run import Run, _key
from mcpgen.testing.run_options import Limits, SpentError

ERRORS = frozenset({Level.ERROR})


def outcome(run: Run) -> Outcome:
    return run.outcome("notes", ERRORS)


def judges(run: Run) -> set[str]:
    return {failure.judge.id for failure in run.failures.values()}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_correct_server_has_no_findings(era: Era) -> None:
    with run_of(era=era, allows_writes=True) as run:
        run.explore()
    assert judges(run) == {"C604"}
    assert run.notices == []
    coverage = run.lab.coverage.tools
    assert coverage["unlock"].left_out.startswith("password may be a secret")
    assert all(
        tool_coverage.results for name, tool_coverage in coverage.items() if name != "unlock"
    )
    assert coverage["search_books"].members >= {"books.id", "books.title", "query"}


def test_defect_of_a_check_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[Verdict]:
        raise IndexError("seat")

    for name in CHECKS:
        monkeypatch.setitem(cast("dict[str, object]", CHECKS), name, fail)
    with run_of(era="legacy", limits=Limits(60, 60, 15)) as run:
        run.explore()
    assert "C109" in judges(run)
    assert outcome(run).fails
    details = [failure.verdict.detail for failure in run.failures.values()]
    assert any("IndexError: seat" in detail for detail in details)


@pytest.mark.slow
def test_same_seed_repeats_calls_and_findings() -> None:
    texts = []
    for _ in range(2):
        with run_of("output,silent,unicode", seed=7, limits=Limits(1000, 120, 15)) as run:
            run.explore()
        assert run.lab.calls <= 1000
        texts.append((run.lab.calls, saved_failures.text(outcome(run))))
    assert texts[0] == texts[1]
    assert {"C101", "C501", "C801"} <= judges(run)


def test_failure_is_shrunk_and_shown_as_a_command() -> None:
    with run_of("accepts") as run:
        run.explore()
    (failure,) = [
        item
        for item in run.failures.values()
        if item.judge.id == "C201" and "maximum" in item.verdict.pointer
    ]
    assert failure.case.data["arguments"] == {"limit": 21, "query": ""}
    assert failure.line.startswith("mcpgen call --unchecked --env BUG --era modern search_books ")
    assert "--limit:=21" in failure.line


@pytest.mark.slow
def test_hypothesis_finds_and_shrinks_an_unnamed_value() -> None:
    pytest.importorskip("hypothesis")
    limits = Limits(230, 120, 15)
    with run_of("dies", named=("search_books",), searches=True, limits=limits) as run:
        run.explore()
    (failure,) = [item for item in run.failures.values() if item.judge.id == "C301"]
    assert failure.case.data["arguments"] == {"query": "\U0001f389"}


def test_server_dying_at_second_call_is_reproduced() -> None:
    limits = Limits(40, 120, 15)
    with run_of("again", named=("search_books",), judges=("C301", "C305"), limits=limits) as run:
        run.explore()
    (failure,) = run.failures.values()
    assert (failure.judge.id, failure.verdict.detail) == ("C301", "at the second call")
    with run_of("again") as again:
        again.replay([(failure.case, "C301")])
    assert judges(again) == {"C301"}


def test_limited_growth_is_reproduced_on_a_new_process() -> None:
    reads: Json = [{"method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}]
    data: dict[str, Json] = {"arguments": {"text": "x"}, "reads": reads}
    with run_of("saturates", judges=("C402", "C305")) as run:
        run.attempt(Case("idempotent", "tool set_tag", data))
    assert judges(run) == {"C402"}


@pytest.mark.parametrize(("era", "expected"), [("legacy", {"C103"}), ("modern", set[str]())])
def test_agreement_to_a_made_up_revision(era: Era, expected: set[str]) -> None:
    case = Case("revision", "server", {"revision": "2000-01-01"})
    for bug, rules in (("revision", expected), ("", set[str]())):
        with run_of(bug, era=era) as run:
            run.attempt(case)
        assert judges(run) == rules


def test_modern_server_is_asked_for_its_log() -> None:
    case = Case("call", "tool search_books", {"arguments": {"query": ""}})
    with run_of("logs") as run:
        run.attempt(case)
    assert judges(run) == {"C503"}


def test_only_read_only_tools_are_called() -> None:
    with run_of(limits=Limits(120, 120, 15)) as run:
        run.explore()
    observed = run.lab.coverage.tools
    assert {name for name, tool_coverage in observed.items() if tool_coverage.calls} == {
        "search_books",
        "get_book",
        "list_notes",
    }
    assert observed["add_note"].left_out == (
        "not annotated as read-only: --allow-writes, or --tool"
    )


@pytest.mark.slow
def test_only_named_tools_are_called_beyond_discovery() -> None:
    with run_of(named=("set_tag",), limits=Limits(150, 120, 15)) as run:
        run.explore()
    observed = run.lab.coverage.tools
    assert observed["set_tag"].calls > 10
    assert observed["add_note"].calls == 0
    assert observed["search_books"].left_out == "another name was given"


def test_given_arguments_are_tried_first_including_secrets() -> None:
    arguments = {"get_book": [{"id": "B-2"}], "unlock": [{"password": "open"}]}
    with run_of(arguments_by_tool=arguments, limits=Limits(60, 120, 15)) as run:
        run.explore()
    observed = run.lab.coverage.tools
    assert observed["get_book"].results > 0
    assert observed["unlock"].calls > 0
    requests = [failure.case.data for failure in run.failures.values()]
    assert "password" not in json.dumps([item for item in requests if "open" not in str(item)])


def test_given_secret_echoed_by_the_server_is_redacted() -> None:
    case = Case("call", "tool unlock", {"arguments": {"password": "hunter2 \u00eb hunter2"}})
    with run_of("echoes") as run:
        verdicts = run.verdicts(case)
    assert [verdict.judge for verdict in verdicts] == ["C502"]
    assert verdicts[0].detail == 'Error: {"password": "${PASSWORD}"} is wrong'
    assert "hunter2" not in verdicts[0].answer


def test_no_more_calls_are_made_than_are_allowed() -> None:
    with run_of(limits=Limits(30, 120, 15)) as run:
        run.explore()
    assert run.lab.calls <= 30
    assert outcome(run).stopped.startswith("the limit of --calls was reached; not finished: ")


def test_reached_limit_is_the_reported_one() -> None:
    with run_of(limits=Limits(calls=5, seconds=0.0)) as run:
        run.explore()
    assert outcome(run).stopped.startswith("the limit of --seconds was reached; not finished: ")


@pytest.mark.slow
def test_frozen_server_blocks_no_one_and_is_terminated() -> None:
    before = time.monotonic()
    with run_of("frozen", limits=Limits(answer=0.3, seconds=4)) as run:
        run.explore()
        assert run.lab.session.starts > 1
    assert time.monotonic() - before < 50
    assert "C302" in judges(run)
    if sys.platform != "win32":
        parent = ["ps", "-o", "args=", "--ppid", str(os.getpid())]
        listed = subprocess.run(parent, capture_output=True, text=True, check=False).stdout
        assert str(NOTES) not in listed


@pytest.mark.slow
def test_failures_are_saved_and_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "failed.json"
    args = ["test", "--era", "legacy", "--calls", "150", "--no-search"]
    server = ["--env", "BUG", "--", sys.executable, str(NOTES)]
    monkeypatch.setenv("BUG", "output")
    with pytest.raises(SystemExit) as ended:
        cli.main([*args, "--keep", str(file), "--json", *server])
    assert ended.value.code == 1
    document = json.loads(capsys.readouterr().out)
    assert document["failed"] is True
    assert "C101" in {item["judge"] for item in document["failures"]}
    assert document["coverage"]["search_books"]["calls"] > 0
    with pytest.raises(SystemExit) as ended:
        cli.main([*args, "--replay", str(file), *server])
    assert ended.value.code == 1
    assert "C101 output-breaks-schema" in capsys.readouterr().out
    monkeypatch.setenv("BUG", "none")
    with pytest.raises(SystemExit) as ended:
        cli.main([*args, "--replay", str(file), *server])
    assert ended.value.code == 0


def test_server_is_tested_against_a_contract_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = tmp_path / "notes.json"
    monkeypatch.setenv("BUG", "none")
    server = ["--env", "BUG", "--", sys.executable, str(NOTES)]
    with pytest.raises(SystemExit):
        cli.main(["record", "-q", "-o", str(contract), *server])
    monkeypatch.setenv("BUG", "offered")
    args = ["test", "--contract", str(contract), "--judge", "C607", "--calls", "40"]
    with pytest.raises(SystemExit) as ended:
        cli.main([*args, "--format", "sarif", *server])
    assert ended.value.code == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "C607"
    assert result["locations"][0]["logicalLocations"][0]["name"] == "tool get_book"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{}", "isn't from mcpgen test"),
        ('{"mcpgenTest": 1, "seed": 0}', "a list failures"),
        ('{"mcpgenTest": 1, "seed": 0, "failures": [{}]}', "isn't a stored failure"),
        (
            '{"mcpgenTest": 1, "seed": 0, "failures": [{"check": [], "data": {}}]}',
            "isn't a stored failure",
        ),
        (
            '{"mcpgenTest": 1, "seed": 0, "failures":'
            ' [{"check": "x", "judge": "C101", "subject": "server", "data": {}}]}',
            "doesn't know the failure",
        ),
    ],
)
def test_foreign_failure_file_is_rejected(
    tmp_path: Path, content: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "saved_failures.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        cli.main(["test", "demo", "--replay", str(file)])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err


@pytest.mark.slow
def test_a_search_leaves_nothing_where_it_is_started(tmp_path: Path) -> None:
    pytest.importorskip("hypothesis")
    args = ["--tool", "get_book", "--calls", "600", "--json", "--", sys.executable, str(NOTES)]
    completed = subprocess.run(
        sdk_programs.mcpgen("test", *args),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert json.loads(completed.stdout)["notices"] == []
    assert list(tmp_path.iterdir()) == []
    assert (Path(os.environ["MCPGEN_CACHE_DIR"]) / "hypothesis").is_dir()


def test_an_unknown_judge_or_tool_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["test", "demo", "--judge", "C999"])
    assert ended.value.code == 2
    server = ["--", sys.executable, str(NOTES)]
    with pytest.raises(SystemExit) as ended:
        cli.main(["test", "--tool", "no_such", *server])
    assert ended.value.code == 2
    assert "no tool 'no_such'" in capsys.readouterr().err


def planned_calls(monkeypatch: pytest.MonkeyPatch, most: int, **cases: int) -> tuple[Run, str]:
    """Run stages whose cases take a call each. Returns the run, and the letters of its calls."""
    names: list[str] = []

    def attempt(run: Run, case: Case) -> None:
        if run.lab.calls_left < 1:
            raise SpentError("--calls")
        names.append(case.check)
        run.lab.calls += 1

    def stages(_: object, *, is_from_file: bool) -> list[Stage]:
        del is_from_file
        return [
            Stage(name, 0 if name == "z" else 1, iter([Case(name, "server", {})] * count))
            for name, count in cases.items()
        ]

    monkeypatch.setattr("mcpgen.testing.run._LEAST_CALLS", 1)
    monkeypatch.setattr("mcpgen.testing.run.order.stages", stages)
    monkeypatch.setattr(Run, "attempt", attempt)
    with run_of(limits=Limits(most, 120, 15)) as run:
        run.explore()
    return run, "".join(names)


def test_shares_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    run, names = planned_calls(monkeypatch, 1000, a=9, b=2)
    assert names == "aaaaaaaaabb"
    assert run.unreached == []
    first = planned_calls(monkeypatch, 12, a=9, b=2, c=9)[1][:10]
    assert first == "aaaabbcccc"


def test_unused_calls_for_unfinished_stages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, names = planned_calls(monkeypatch, 16, a=9, z=9, b=2)
    assert names == "aaaaaaaabba" + "zzzzz"
    assert run.unreached == ["z"]


def test_one_failure_per_broken_message() -> None:
    def key(tool: str, pointer: str, detail: str = "a") -> tuple[str, str, str]:
        return _key(Failure(Case("call", tool), Verdict("C103", detail, pointer)))

    assert key("tool a", "code") == key("tool b", "code")
    assert key("tool a", "code") != key("tool a", "code", "b")
    assert key("tool a", "/content") != key("tool b", "/content")
