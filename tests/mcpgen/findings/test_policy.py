"""Failing severities and exit codes."""

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
