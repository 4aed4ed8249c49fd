"""Ignore entries: reasons, expiry and the project configuration."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from diff_reports import NEW, OLD, diff, findings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old and a new contract, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "old.json").write_text(OLD.text(), encoding="utf-8")
    (tmp_path / "new.json").write_text(NEW.text(), encoding="utf-8")
    return tmp_path


def entry(fingerprint: str, reason: str = "known", until: str = "") -> str:
    lines = ["[[ignore]]", f'fingerprint = "{fingerprint}"', f'reason = "{reason}"']
    return "\n".join([*lines, until, ""])


def test_ignore_entry_needs_a_reason_and_may_expire(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    marks = {
        finding["rule"]: finding["fingerprint"]
        for finding in findings(capsys, "old.json", "new.json")
    }
    tomorrow, yesterday = (date.today() + timedelta(days=n) for n in (1, -1))  # noqa: DTZ011 - as the command
    (folder / "known.toml").write_text(
        entry(marks["I03"])
        + entry(marks["D01"], until=f"until = {tomorrow}")
        + entry(marks["D03"], until=f'until = "{yesterday}"')
        + entry("0" * 12),
        encoding="utf-8",
    )
    code, out, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml", "--json")
    document = json.loads(out)
    assert {item["rule"]: item["reason"] for item in document["ignored"]} == {
        "I03": "known",
        "D01": "known",
    }
    assert [item["rule"] for item in document["findings"] if item["fails"]] == ["D03"]
    assert code == 1
    notices = [
        f"the entry that ignores {marks['D03']} ended on {yesterday}",
        f"the entry that ignores {'0' * 12} matches nothing here",
    ]
    assert (document["notices"], err) == (notices, "")
    _, _, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml")
    assert err == "".join(f"notice: {notice}\n" for notice in notices)


def test_project_configuration_holds_ignore_entries(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    marks = [finding["fingerprint"] for finding in findings(capsys, "old.json", "new.json")]
    text = "".join(entry(mark).replace("[[ignore]]", "[[tool.mcpgen.ignore]]") for mark in marks)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    code, out, _ = diff(capsys, "old.json", "new.json")
    assert (code, out) == (0, "old.json -> new.json\n\n6 ignored\n")
    assert "suppressions" in diff(capsys, "old.json", "new.json", "--format", "sarif")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entry("123"), "twelve digits"),
        (entry("0" * 12, reason=" "), "needs a reason"),
        (entry("0" * 12, until='until = "soon"'), "must be a day"),
        (entry("0" * 12, until="untill = 1"), "did you mean until?"),
        ("ignore = 1", "list of tables"),
        ("ignore = [1]", "isn't a table"),
        ("[[", "not TOML"),
    ],
)
def test_invalid_ignore_entry_is_rejected(
    capsys: pytest.CaptureFixture[str], folder: Path, text: str, message: str
) -> None:
    (folder / "known.toml").write_text(text, encoding="utf-8")
    code, out, err = diff(capsys, "old.json", "new.json", "--ignore", "known.toml")
    assert (code, out) == (2, "")
    assert message in err
