"""The SARIF report of `diff`."""

from __future__ import annotations

import json
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


def test_sarif_names_rules_places_and_fingerprints(capsys: pytest.CaptureFixture[str]) -> None:
    (log,) = json.loads(diff(capsys, "old.json", "new.json", "--format", "sarif")[1])["runs"]
    rules = {rule["id"] for rule in log["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in log["results"]}
    for result in log["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "new.json"}
        assert re.fullmatch(r"[0-9a-f]{12}", result["partialFingerprints"]["mcpgen/v1"])
