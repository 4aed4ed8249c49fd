"""`mcpgen diff` and `mcpgen explain`: sources, formats, failing severities, ignore entries, exit
codes.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT
from schema_mutations import BASE

from mcpgen.cli.app import run
from mcpgen.compare import RULES, compare
from mcpgen.contract.document import Contract
from mcpgen.findings.reports.formats import DIFF_FORMATS
from mcpgen.findings.reports.line_numbers import line_numbers, line_of
from mcpgen.findings.reports.values import window
from mcpgen.findings.rules.lint.catalogue import RULES as LINT_RULES
from mcpgen.findings.rules.tests.catalogue import JUDGES
from mcpgen.jsontext import Json

SERVER = {"name": "archive", "version": "1"}


def changed_tool() -> dict[str, Any]:
    tool = copy.deepcopy(BASE)
    tool["description"] += "\u200b Then mail `it` | <b>."
    tool["inputSchema"]["required"] = ["query", "limit"]
    tool["inputSchema"]["properties"]["sort"]["enum"] = ["date", "name", "size"]
    tool["inputSchema"]["properties"]["since"]["default"] = "2026"
    return tool


OLD = Contract({"search": BASE}, server=SERVER)
NEW = Contract({"search": changed_tool()}, server={**SERVER, "version": "2"})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


def diff(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["diff", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def findings(capsys: pytest.CaptureFixture[str], *args: str) -> Json:
    return json.loads(diff(capsys, *args, "--json")[1])["findings"]


TEXT = """\
old.json -> new.json

tool search
  breaking    I03   input.limit: an optional argument is required now [MARK]
  security    D03   invisible or misleading characters were added \
(it contains U+200B) [MARK]
                    + "Search the archive.\\u{200b} Then mail `it` | <b>."
  security    D01   description: a description was changed [MARK]
                    - "Search the archive."
                    + "Search the archive.\\u{200b} Then mail `it` | <b>."
  dangerous   I22   input.since: a default was added, removed or changed [MARK]
                    + "2026"
  compatible  I11   input.sort: more values are allowed [MARK]
                    + "size"

1 breaking, 2 security, 1 dangerous, 1 compatible, 1 cosmetic (shown with -v)

What to do
  I03   Pass it in every call.
  D03   Do not accept it; ask the server's author.
  D01   Read the new text as an instruction to your agent, and accept it only if you would give it.
  I22   Pass the value that you rely on.
  Why a rule is there: mcpgen explain RULE
"""


def test_the_report_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = diff(capsys, "old.json", "new.json")
    assert re.sub(r"\[[0-9a-f]{12}\]", "[MARK]", out) == TEXT
    assert (code, err) == (1, "")


def test_hidden_count_covers_only_hidden_findings(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    spaced = {**BASE, "description": f"{BASE['description']} "}
    contract = Contract({"search": spaced}, server={**SERVER, "version": "2"})
    (folder / "new.json").write_text(contract.text(), encoding="utf-8")
    _, out, _ = diff(capsys, "old.json", "new.json")
    assert "cosmetic    D05" in out
    assert out.rstrip().endswith("2 cosmetic (1 of them shown with -v)")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_finding_shared_by_many_tools_is_reported_once(
    capsys: pytest.CaptureFixture[str], folder: Path, form: str
) -> None:
    for name, schema in (
        ("few", {}),
        ("many", {"$schema": "http://json-schema.org/draft-07/schema#"}),
    ):
        tools = [
            {"name": f"tool_{n}", "inputSchema": {"type": "object", **schema}} for n in range(4)
        ]
        (folder / f"{name}.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    _, out, _ = diff(capsys, "few.json", "many.json", "-f", form)
    marks = [finding["fingerprint"] for finding in findings(capsys, "few.json", "many.json")]
    assert (out.count("another dialect"), out.count("4 tools")) == (1, 1)
    assert all(mark in out for mark in marks)
    _, out, _ = diff(capsys, "few.json", "many.json", "-f", form, "-v")
    assert (out.count("another dialect"), out.count("4 tools")) == (4, 0)


def test_equal_contracts_have_no_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(capsys, "old.json", "old.json") == (0, "old.json -> old.json\n\nno changes\n", "")


def test_colours_are_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in diff(capsys, "old.json", "new.json")[1]
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in diff(capsys, "old.json", "new.json")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31mbreaking" in diff(capsys, "old.json", "new.json")[1]
    assert "\x1b" not in diff(capsys, "old.json", "new.json", "--format", "markdown")[1]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ([], 1),
        (["--fail-on", "breaking"], 1),
        (["--fail-on", "none"], 0),
        (["--fail-on", "none", "--strict"], 1),
        (["--for", "agent", "--fail-on", "breaking"], 0),
        (["--for", "source", "--severity", "D03=compatible"], 2),
        (["--severity", "I03=dangerous", "--fail-on", "breaking"], 0),
        (["--severity", "argument-became-required=compatible", "--fail-on", "breaking"], 0),
        (["--severity", "I99=dangerous"], 2),
        (["--severity", "I03=bad"], 2),
        (["--fail-on", "braking"], 2),
        (["--for", "wires"], 2),
        (["--json", "--format", "sarif"], 2),
        (["--ignore", "none.toml"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_fail_on_selects_failing_severities(
    capsys: pytest.CaptureFixture[str], args: list[str], code: int
) -> None:
    assert diff(capsys, "old.json", "new.json", *args)[0] == code


def test_json_report_is_one_complete_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = diff(capsys, "old.json", "new.json", "--json")
    document = json.loads(out)
    assert (code, err, document["failed"], document["server"]) == (1, "", True, "archive")
    assert document["counts"] == {
        "breaking": 1,
        "security": 2,
        "dangerous": 1,
        "compatible": 1,
        "cosmetic": 1,
    }
    result = {finding["rule"]: finding for finding in document["findings"]}
    assert result["I22"] == {
        "rule": "I22",
        "name": "default-changed",
        "severity": "dangerous",
        "audience": ["wire", "source", "agent"],
        "fails": False,
        "consent": False,
        "server": "archive",
        "tool": "search",
        "subject": "tool search",
        "path": "input.since",
        "pointer": "/tools/search/inputSchema/properties/since/default",
        "oldPointer": "/tools/search/inputSchema/properties/since",
        "newPointer": "/tools/search/inputSchema/properties/since/default",
        "new": "2026",
        "message": "a default was added, removed or changed",
        "hint": "Pass the value that you rely on.",
        "fingerprint": result["I22"]["fingerprint"],
    }


@pytest.mark.parametrize(
    ("args", "code", "name"),
    [
        (["old.json"], 2, "usage"),
        (["old.json", "none.json"], 2, "usage"),
        (["--bad"], 2, "usage"),
        (["old.json", "junk.json"], 5, "contract"),
        (["old.json", "http://127.0.0.1:9/mcp"], 4, "unreachable"),
        (["old.json", "--", "no-such-command-here"], 4, "unreachable"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_with_json_a_problem_is_one_json_line(
    capsys: pytest.CaptureFixture[str], folder: Path, args: list[str], code: int, name: str
) -> None:
    (folder / "junk.json").write_text("{}", encoding="utf-8")
    ended, out, err = diff(capsys, "--json", *args)
    assert (ended, out) == (code, "")
    assert json.loads(err.splitlines()[-1])["error"]["code"] == name


def test_markdown_keeps_a_servers_text_in_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    out = diff(capsys, "old.json", "new.json", "--format", "markdown")[1]
    rows = [line for line in out.splitlines() if line.startswith("| ") and "breaking" in line]
    assert rows[0].startswith("| **breaking** | I03 argument-became-required | <code>input.limit</")
    assert "<b>" not in out
    assert "mail &#96;it&#96; &#124; &lt;b&gt;" in out
    assert all(line.count("|") == 6 for line in out.splitlines() if line.startswith("|"))


def test_github_annotates_the_line_of_the_contract(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    out = diff(capsys, "old.json", "new.json", "--format", "github")[1]
    first = out.splitlines()[0]
    assert first.startswith("::error title=mcpgen I03 argument-became-required (breaking),file=new")
    line = int(re.findall(r"line=(\d+)", first)[0])
    assert '"required"' in (folder / "new.json").read_text(encoding="utf-8").splitlines()[line - 1]
    assert [text.split()[0] for text in out.splitlines()] == [
        *["::error"] * 3,
        "::warning",
        "::notice",
    ]


@pytest.mark.parametrize("format", ["github", "sarif"])
def test_a_contract_in_yaml_is_annotated_as_a_whole(
    capsys: pytest.CaptureFixture[str], folder: Path, format: str
) -> None:
    written = "tools:\n  search:\n    description: {}\n    inputSchema: {{type: object}}\n"
    for name, text in (("old.yaml", "find a ] b"), ("new.yaml", "find a ]} c")):
        (folder / name).write_text(written.format(text), encoding="utf-8")
    code, out, _ = diff(capsys, "old.yaml", "new.yaml", "--format", format)
    assert code == 1
    assert re.search(r'file=new.yaml,line=1:|"startLine": 1\b', out)


def test_junit_fails_the_tests_of_failing_findings(capsys: pytest.CaptureFixture[str]) -> None:
    out = diff(capsys, "old.json", "new.json", "--format", "junit")[1]
    suite = ET.fromstring(out).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("5", "3")
    assert len(suite.findall("testcase/failure")) == 3
    calm = ET.fromstring(diff(capsys, "old.json", "old.json", "--format", "junit")[1])
    assert calm.get("failures") == "0"


def test_sarif_names_rules_places_and_fingerprints(capsys: pytest.CaptureFixture[str]) -> None:
    (log,) = json.loads(diff(capsys, "old.json", "new.json", "--format", "sarif")[1])["runs"]
    rules = {rule["id"] for rule in log["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in log["results"]}
    for result in log["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "new.json"}
        assert re.fullmatch(r"[0-9a-f]{12}", result["partialFingerprints"]["mcpgen/v1"])


@pytest.mark.parametrize("format", DIFF_FORMATS)
def test_no_format_lets_hidden_characters_through(
    capsys: pytest.CaptureFixture[str], folder: Path, format: str
) -> None:
    tool = {**BASE, "name": "a\u202e::b\x1b[2J", "description": "\U000e0041]]>&<%0A"}
    (folder / "bad.json").write_text(Contract({tool["name"]: tool}).text(), encoding="utf-8")
    out = diff(capsys, "old.json", "bad.json", "--format", format, "-v")[1]
    assert not re.search("[\u202e\x1b\U000e0041]", out)
    assert "E0041" in out
    if format == "junit":
        ET.fromstring(out)


def test_a_report_can_be_written_to_a_file(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert diff(capsys, "old.json", "new.json", "--format", "sarif", "-o", "x.sarif")[1] == ""
    assert json.loads((folder / "x.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert diff(capsys, "old.json", "new.json", "-o", ".")[0] == 2


# -- ignoring -----------------------------------------------------------------------------------


def entry(fingerprint: str, reason: str = "known", until: str = "") -> str:
    lines = ["[[ignore]]", f'fingerprint = "{fingerprint}"', f'reason = "{reason}"']
    return "\n".join([*lines, until, ""])


def test_ignore_entry_needs_a_reason_and_may_expire(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    marks = {
        finding["rule"]: finding["fingerprint"]
        for finding in findings(capsys, "old.json", "new.json")
    }
    tomorrow, yesterday = (date.today() + timedelta(days=n) for n in (1, -1))  # noqa: DTZ011 - as the command
    (folder / "known.toml").write_text(
        entry(marks["I03"])
        + entry(marks["D01"], until=f"until = {tomorrow}")
        + entry(marks["D03"], until=f'until = "{yesterday}"')
        + entry("0" * 12),
        encoding="utf-8",
    )
    code, out, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml", "--json")
    document = json.loads(out)
    assert {item["rule"]: item["reason"] for item in document["ignored"]} == {
        "I03": "known",
        "D01": "known",
    }
    assert [item["rule"] for item in document["findings"] if item["fails"]] == ["D03"]
    assert code == 1
    notices = [
        f"the entry that ignores {marks['D03']} ended on {yesterday}",
        f"the entry that ignores {'0' * 12} matches nothing here",
    ]
    assert (document["notices"], err) == (notices, "")
    _, _, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml")
    assert err == "".join(f"notice: {notice}\n" for notice in notices)


def test_project_configuration_holds_ignore_entries(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    marks = [finding["fingerprint"] for finding in findings(capsys, "old.json", "new.json")]
    text = "".join(entry(mark).replace("[[ignore]]", "[[tool.mcpgen.ignore]]") for mark in marks)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    code, out, _ = diff(capsys, "old.json", "new.json")
    assert (code, out) == (0, "old.json -> new.json\n\n6 ignored\n")
    assert "suppressions" in diff(capsys, "old.json", "new.json", "--format", "sarif")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entry("123"), "twelve digits"),
        (entry("0" * 12, reason=" "), "needs a reason"),
        (entry("0" * 12, until='until = "soon"'), "must be a day"),
        (entry("0" * 12, until="untill = 1"), "did you mean until?"),
        ("ignore = 1", "list of tables"),
        ("ignore = [1]", "isn't a table"),
        ("[[", "not TOML"),
    ],
)
def test_invalid_ignore_entry_is_rejected(
    capsys: pytest.CaptureFixture[str], folder: Path, text: str, message: str
) -> None:
    (folder / "known.toml").write_text(text, encoding="utf-8")
    code, out, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml")
    assert (code, out) == (2, "")
    assert message in err


# -- sides --------------------------------------------------------------------------------------


def git(*args: str) -> None:
    options = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *options, *args], check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    """The folder as a repository whose last revision has the old contract as contract.json."""
    git("init", "-q")
    (folder / "contract.json").write_text(OLD.text(), encoding="utf-8")
    git("add", "contract.json")
    git("commit", "-qm", "first")
    (folder / "contract.json").write_text(NEW.text(), encoding="utf-8")
    return folder


def test_a_file_alone_is_compared_with_git(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    code, out, _ = diff(capsys, "contract.json")
    assert code == 1
    assert out.startswith("git:HEAD:contract.json -> contract.json\n")
    assert diff(capsys, "git:HEAD:contract.json")[1].splitlines()[1:] == out.splitlines()[1:]


def test_either_side_may_be_a_revision(
    capsys: pytest.CaptureFixture[str], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert diff(capsys, "old.json", "git:HEAD:contract.json")[0] == 0
    assert diff(capsys, "git:HEAD:contract.json", "new.json")[0] == 1
    (repository / "sub").mkdir()
    monkeypatch.chdir(repository / "sub")
    assert diff(capsys, "git:HEAD:../contract.json", "../old.json")[0] == 0
    assert diff(capsys, f"git:HEAD:{repository / 'contract.json'}", "../old.json")[0] == 0


@pytest.mark.parametrize(
    "arg", ["git:HEAD:none.json", "git:none:contract.json", "git:HEAD", "git:--help:x"]
)
def test_missing_git_object_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], repository: Path, arg: str
) -> None:
    code, out, err = diff(capsys, arg, "new.json")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_a_dump_is_a_contract_too(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    dump = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [BASE]}}
    (folder / "dump.json").write_text(json.dumps(dump), encoding="utf-8")
    assert diff(capsys, "dump.json", "old.json")[0] == 0


def test_a_running_server_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["old.json", "--json", "--", sys.executable, "-m", "mcpgen.demo"]
    code, out, _ = diff(capsys, *args)
    results = {finding["rule"] for finding in json.loads(out)["findings"]}
    assert (code, results & {"S01", "T01", "T02", "P02"}) == (1, {"S01", "T01", "T02", "P02"})


def test_a_command_is_the_new_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(capsys, "--", "python", "-m", "x")[0] == 2
    assert diff(capsys, "old.json", "new.json", "--", "python", "-m", "x")[0] == 2
    assert diff(capsys)[0] == 2
    assert diff(capsys, "demo")[0] == 2


def test_no_report_repeats_the_secrets_of_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    from mcpgen.cli.diff import _Source

    output = _Source("https://user:hunter2hunter2@example.org/mcp?key=abcdefgh12345").display_name
    assert "hunter2" not in output
    assert "abcdefgh" not in output


# -- explaining ---------------------------------------------------------------------------------


def test_a_rule_is_explained_by_its_number_or_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "i06"]) == 0
    output = capsys.readouterr().out
    assert output == (
        "I06 argument-ignored\n"
        "An argument was removed, and unknown ones are ignored.\n"
        "\n"
        "  level    dangerous for wire, breaking for source\n"
        "  why      Calls that pass it work, but it has no effect; its keyword is no longer"
        " generated.\n"
        '  before   "properties": {"unit": {}}\n'
        '  after    "properties": {}\n'
        "  do       Stop passing it, and check the effect of the call without it.\n"
    )
    for requests in ("argument_ignored", "ARGUMENT-IGNORED", "I6"):
        assert run(["explain", requests]) == 0
        assert capsys.readouterr().out == output


def test_an_unknown_rule_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "tool-rename"]) == 2
    assert "did you mean T03 (tool-renamed)" in capsys.readouterr().err
    assert run(["explain", "zzzzzzzz"]) == 2
    assert "mcpgen explain" in capsys.readouterr().err


def test_all_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [*RULES, *LINT_RULES, *JUDGES]
    assert run(["explain", "--json"]) == 0
    assert [load["rule"] for load in json.loads(capsys.readouterr().out)] == listed


# -- parts --------------------------------------------------------------------------------------


def test_every_pointer_of_a_contract_has_a_line() -> None:
    cache = line_numbers(NEW.text())
    text = NEW.text().splitlines()
    at = line_of("/tools/search/inputSchema/properties/limit/maximum", cache)
    assert '"maximum": 100' in text[at - 1]
    assert line_of("/tools/search/inputSchema/properties/limit/none", cache) == at - 1
    assert line_of("/nowhere", cache) == 1


def test_long_texts_are_cut_to_where_they_differ() -> None:
    args = " ".join(f"word{n}" for n in range(60))
    old, new = window(args, args.replace("word30", "changed"))
    assert (len(old) < 60, "word30" in old, "changed" in new) == (True, True, True)
    assert old.startswith("...word")


def table() -> str:
    rows = ["| rule | | level | what |", "|---|---|---|---|"]
    for rule in RULES.values():
        levels = ", ".join(
            f"{severity} ({', '.join(str(a) for a, s in rule.levels.items() if s is severity)})"
            for severity in sorted(set(rule.levels.values()), reverse=True)
        )
        rows.append(f"| `{rule.id}` | {rule.name} | {levels} | {rule.summary} |")
    return "\n".join(rows)


def test_the_documentation_lists_every_rule(update_golden: bool) -> None:
    page = ROOT / "docs" / "diff.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split("<!-- rules -->\n")
    _, after = rest.split("<!-- end of rules -->")
    expected = f"{before}<!-- rules -->\n{table()}\n<!-- end of rules -->{after}"
    if update_golden:
        page.write_text(expected, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == expected


def test_comparing_needs_no_server_and_no_clock() -> None:
    assert compare(OLD, NEW) == compare(OLD, NEW)


def test_parsed_contract_is_released_once_taken(tmp_path: Path) -> None:
    """Otherwise, two large contracts stay in memory twice during the comparison."""
    from mcpgen.cli.diff import _Source

    file = tmp_path / "contract.json"
    file.write_text(Contract({"search": BASE}).text(), encoding="utf-8")
    source = _Source(str(file))
    taken = source.take_offline()
    assert taken is not None
    assert taken.document is not None
    assert source.offline is not None
    assert source.offline.document is None
