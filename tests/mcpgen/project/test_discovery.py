"""The nearest table is found, and servers in it by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import project, run

from mcpgen.errors import UsageError
from mcpgen.project.discovery import find_project


def test_the_nearest_table_up_to_the_repository_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "a")
    below = root / "one" / "two"
    below.mkdir(parents=True)
    (root / "one" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    monkeypatch.chdir(below)
    assert find_project().folder == root
    (root / "one" / ".git").mkdir()
    with pytest.raises(UsageError, match="with a table"):
        find_project()


def test_unknown_server_error_suggests_a_name(tmp_path: Path) -> None:
    ended = run(project(tmp_path / "a"), "generate", "bokshelf")
    assert ended.returncode == 2
    assert "hint: did you mean 'bookshelf'?" in ended.stderr
