"""The Markdown report of `diff`."""

from __future__ import annotations

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


def test_markdown_keeps_a_servers_text_in_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    out = diff(capsys, "old.json", "new.json", "--format", "markdown")[1]
    rows = [line for line in out.splitlines() if line.startswith("| ") and "breaking" in line]
    assert rows[0].startswith("| **breaking** | I03 argument-became-required | <code>input.limit</")
    assert "<b>" not in out
    assert "mail &#96;it&#96; &#124; &lt;b&gt;" in out
    assert all(line.count("|") == 6 for line in out.splitlines() if line.startswith("|"))
