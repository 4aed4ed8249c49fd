"""The text report of `diff`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from diff_reports import NEW, OLD, SERVER, diff, findings
from schema_mutations import BASE

from mcpgen.contract.document import Contract
from mcpgen.findings.reports.values import window


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


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


def test_colours_are_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in diff(capsys, "old.json", "new.json")[1]
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in diff(capsys, "old.json", "new.json")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31mbreaking" in diff(capsys, "old.json", "new.json")[1]
    assert "\x1b" not in diff(capsys, "old.json", "new.json", "--format", "markdown")[1]


def test_long_texts_are_cut_to_where_they_differ() -> None:
    args = " ".join(f"word{n}" for n in range(60))
    old, new = window(args, args.replace("word30", "changed"))
    assert (len(old) < 60, "word30" in old, "changed" in new) == (True, True, True)
    assert old.startswith("...word")
