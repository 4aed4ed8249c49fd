"""`mcpgen doctor`: problems with fixes, and servers only on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import (
    call,
    project,
    project_with_server,
    run,
)


@pytest.mark.slow
def test_doctor_reports_problems_with_fixes(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    run(root, "generate")
    well = run(root, "doctor")
    assert well.returncode == 0
    assert {line[:4] for line in well.stdout.splitlines()} == {"ok  "}
    (root / "src" / "bookshelf" / "client.py").unlink()
    (root / "src" / ".bookshelf.mcpgen-x").mkdir()
    ill = run(root, "doctor")
    assert ill.returncode == 1
    assert "bad  bookshelf src/bookshelf: 1 file is out of date" in ill.stdout
    assert "odd  bookshelf: a killed run left src/.bookshelf.mcpgen-x" in ill.stdout
    nowhere = run(tmp_path, "doctor")
    assert "bad  project: no pyproject.toml with a table" in nowhere.stdout


def test_the_doctor_asks_servers_when_told_to(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "project", read={})
    call(root, "lock")
    call(root, "generate")
    assert "ok   files live: 1 tool in " in call(root, "doctor", "--live").stdout
    (root / "tools.json").unlink()
    ended = call(root, "doctor", "--live")
    assert (ended.returncode, "bad  files live: " in ended.stdout) == (1, True)
