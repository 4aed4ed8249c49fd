"""`mcpgen explain`: rules by number and name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from diff_reports import NEW, OLD

from mcpgen.cli.app import run
from mcpgen.compare import RULES
from mcpgen.findings.rules.lint.catalogue import RULES as LINT_RULES
from mcpgen.findings.rules.tests.catalogue import JUDGES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


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
