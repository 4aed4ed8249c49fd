"""A JSON report is one document, and an error is one line."""

from __future__ import annotations

import json
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
