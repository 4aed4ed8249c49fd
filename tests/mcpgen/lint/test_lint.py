"""`mcpgen lint`: formats, failing severities, ignore entries, exit codes and the page of rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT, SUPPORT

from mcpgen.cli.app import run
from mcpgen.contract.document import read
from mcpgen.findings.lint import LintReport
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import LintPolicy
from mcpgen.findings.reports.formats import LINT_FORMATS, render_lint
from mcpgen.findings.rules.lint.catalogue import RULES
from mcpgen.jsontext import Json, loads
from mcpgen.lint.lint import judge, lint

BOOKS = SUPPORT / "documentation" / "linting" / "books.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a server's list of tools and its contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "books.json").write_bytes(BOOKS.read_bytes())
    contract = read(loads(BOOKS.read_bytes(), "books.json"))
    (tmp_path / "contract.json").write_text(contract.text(), "utf-8")
    return tmp_path


def run_lint(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["lint", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(run_lint(capsys, *args, "--json")[1])
    return parsed


TEXT = """\
books.json, books: 2 tools

error    L305 array-without-items: an array doesn't describe its items in a single schema
         tool find_books /inputSchema/properties/genres [MARK]
         -> Add items, as one schema; {} if an item can be anything.

warning  L207 argument-undescribed: nothing describes the argument
         tool delete_book /inputSchema/properties/id [MARK]
         -> Give its schema a description.

warning  L211 choices-in-prose: the description lists the allowed values, and the schema has no enum
         tool find_books /inputSchema/properties/order/description: 'new' or 'old' [MARK]
         -> Declare them as an enum, in Python as a Literal.

warning  L505 remover-harmless: the name of the tool suggests a removal, but it is annotated as \
non-destructive
         tool delete_book /annotations/destructiveHint: 'delete' [MARK]
         -> Correct the hint, or the name.

note     L202 tool-description-says-name: the description only repeats the name
         tool delete_book /description: 'Delete a book' [MARK]
         -> Add information beyond the name: the objects, the criteria, and the result.

note     L401 output-schema-missing: the tool has no outputSchema
         tool delete_book [MARK]
         tool find_books [MARK]
         -> Return structured content, and declare its schema; in Python a typed return value does.

1 error, 3 warnings, 3 notes
Why a rule is there: mcpgen explain RULE
"""


def test_the_report_is_by_rule_the_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_lint(capsys, "books.json")
    for entry in document(capsys, "books.json")["findings"]:
        assert out.count(f"[{entry['fingerprint']}]") == 1
        out = out.replace(entry["fingerprint"], "MARK")
    assert (out, err, code) == (TEXT, "", 1)


def test_json_has_all_of_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "books.json")
    assert result["counts"] == {"error": 1, "warning": 3, "note": 3}
    assert (result["failed"], result["tools"], result["server"]) == (True, 2, "books")
    (entry,) = [item for item in result["findings"] if item["rule"] == "L305"]
    assert entry | {"fingerprint": ""} == {
        "rule": "L305",
        "name": "array-without-items",
        "level": "error",
        "fails": True,
        "subject": "tool find_books",
        "tool": "find_books",
        "path": "/inputSchema/properties/genres",
        "pointer": "/tools/find_books/inputSchema/properties/genres",
        "message": RULES["L305"].summary,
        "why": RULES["L305"].why,
        "hint": RULES["L305"].fix,
        "fingerprint": "",
    }


def test_sarif_leads_to_the_line_of_a_contract(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, _ = run_lint(capsys, "contract.json", "--format", "sarif")
    (sarif,) = json.loads(out)["runs"]
    assert [rule["id"] for rule in sarif["tool"]["driver"]["rules"]] == [
        *("L202", "L207", "L211", "L305", "L401", "L505")
    ]
    (result,) = [item for item in sarif["results"] if item["ruleId"] == "L305"]
    (location,) = result["locations"]
    assert (result["level"], code) == ("error", 1)
    physical = location["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "contract.json"}
    line = (folder / "contract.json").read_text("utf-8").splitlines()
    assert '"genres": {' in line[physical["region"]["startLine"] - 1]


def test_fail_on_selects_failing_severities(capsys: pytest.CaptureFixture[str]) -> None:
    def code(*args: str) -> int:
        return run_lint(capsys, "books.json", *args)[0]

    assert (code(), code("--fail-on", "none"), code("--fail-on", "note")) == (1, 0, 1)
    assert code("--severity", "L305=warning") == 0
    assert code("--severity", "array-without-items=warning", "--strict") == 1
    assert code("--ignore", "L305") == 0
    assert code("--ignore", "L305:find_*") == 0
    assert code("--ignore", "L305:delete_*") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--fail-on", "errors"], "did you mean error?"),
        (["--severity", "L305=bad"], "known are: error, warning, note"),
        (["--severity", "L3050=note"], "L305 array-without-items"),
        (["--ignore", "array-items"], "L305 array-without-items"),
        (["--ignore", "none.toml"], "none.toml"),
    ],
    ids=str,
)
def test_a_wrong_option_is_refused_before_anything_is_asked(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run_lint(capsys, "no-such-file.json", *args)
    assert code == 2
    assert message in err


def test_ignore_file_suppresses_listed_findings(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (first,) = [f for f in document(capsys, "books.json")["findings"] if f["fails"]]
    entry = f'[[ignore]]\nfingerprint = "{first["fingerprint"]}"\nreason = "known"\n'
    (folder / "known.toml").write_text(entry)
    code, out, err = run_lint(capsys, "books.json", "--ignore", "known.toml")
    assert (code, err, "1 ignored" in out, "L305" in out) == (0, "", True, False)
    result = document(capsys, "books.json", "--ignore", "known.toml")
    assert [(item["rule"], item["reason"]) for item in result["ignored"]] == [("L305", "known")]

    (folder / "known.toml").write_text(f"{entry}until = 2020-01-01\n")
    code, _, err = run_lint(capsys, "books.json", "--ignore", "known.toml")
    assert (code, "ended on 2020-01-01" in err) == (1, True)
    (folder / "known.toml").write_text(entry.replace(first["fingerprint"], "0" * 12))
    assert "matches nothing here" in run_lint(capsys, "books.json", "--ignore", "known.toml")[2]


def test_a_report_can_be_a_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run_lint(capsys, "books.json", "-f", "sarif", "-o", "report.sarif")
    assert (code, out) == (1, "")
    assert json.loads((folder / "report.sarif").read_text("utf-8"))["version"] == "2.1.0"


def test_a_server_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_lint(capsys, "demo", "-v")
    assert code == 0
    assert out.startswith("demo, bookshelf: 8 tools\n")


HOSTILE = "x\x1b[2J\n| `a` <b> \u202e\u200b"


@pytest.mark.parametrize("format", LINT_FORMATS)
def test_names_of_others_do_nothing_in_a_report(format: Any) -> None:
    tool: Json = {
        "name": HOSTILE,
        "description": HOSTILE,
        "inputSchema": {"type": "object", "properties": {HOSTILE: {"type": "array"}}},
    }
    items, _ = lint(read({"tools": [tool], "server": {"name": HOSTILE, "version": "1"}}))
    report = judge(items, LintPolicy(), LintReport(HOSTILE, HOSTILE, 1))
    text = render_lint(report, ReportOptions(format, verbose=True))
    assert not {"\x1b", "\u202e", "\u200b"} & {*text}
    assert {"L101", "L105", "L215", "L305"} <= {finding.rule.id for finding in report.findings}
    if format == "text":
        assert not any(line.startswith("| ") for line in text.splitlines())


def table() -> str:
    rows = ["| rule | | level | what |", "|---|---|---|---|"]
    rows += [f"| `{r.id}` | {r.name} | {r.level} | {r.summary} |" for r in RULES.values()]
    return "\n".join(rows)


def test_the_documentation_lists_every_rule(update_golden: bool) -> None:
    page = ROOT / "docs" / "linting.md"
    before, rest = page.read_text(encoding="utf-8").split("<!-- rules -->\n")
    _, after = rest.split("<!-- end of rules -->")
    expected = f"{before}<!-- rules -->\n{table()}\n<!-- end of rules -->{after}"
    if update_golden:
        page.write_text(expected, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == expected
