"""Annotations of `diff` in a GitHub job."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diff_reports import NEW, OLD, diff


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


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
