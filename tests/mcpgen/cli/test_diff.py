"""`mcpgen diff` and `mcpgen explain`: sources, formats, failing severities, ignore entries, exit
codes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from diff_reports import NEW, OLD, diff
from paths import ROOT
from schema_mutations import BASE

from mcpgen.compare import RULES, compare
from mcpgen.contract.document import Contract
from mcpgen.findings.reports.formats import DIFF_FORMATS
from mcpgen.findings.reports.line_numbers import line_numbers, line_of


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


def test_equal_contracts_have_no_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(capsys, "old.json", "old.json") == (0, "old.json -> old.json\n\nno changes\n", "")


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


def test_every_pointer_of_a_contract_has_a_line() -> None:
    cache = line_numbers(NEW.text())
    text = NEW.text().splitlines()
    at = line_of("/tools/search/inputSchema/properties/limit/maximum", cache)
    assert '"maximum": 100' in text[at - 1]
    assert line_of("/tools/search/inputSchema/properties/limit/none", cache) == at - 1
    assert line_of("/nowhere", cache) == 1


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
