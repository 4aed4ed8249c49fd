"""The JUnit report of `diff`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
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


def test_junit_fails_the_tests_of_failing_findings(capsys: pytest.CaptureFixture[str]) -> None:
    out = diff(capsys, "old.json", "new.json", "--format", "junit")[1]
    suite = ET.fromstring(out).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("5", "3")
    assert len(suite.findall("testcase/failure")) == 3
    calm = ET.fromstring(diff(capsys, "old.json", "old.json", "--format", "junit")[1])
    assert calm.get("failures") == "0"
