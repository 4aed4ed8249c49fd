"""Colors: for terminals, on request, and never in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import (
    call,
    project,
    run,
)


@pytest.mark.slow
def test_colors_can_be_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    call(root, "generate")
    client = root / "src" / "bookshelf" / "client.py"
    client.write_text(client.read_text() + "# mine\n")
    assert "\x1b[31m-# mine" in call(root, "check", FORCE_COLOR="1").stdout
    assert "\x1b[31mbad " in call(root, "doctor", FORCE_COLOR="1").stdout
    assert "\x1b" not in call(root, "check", FORCE_COLOR="1", NO_COLOR="1").stdout


@pytest.mark.slow
def test_files_and_no_color_disable_color(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    for env in ({}, {"NO_COLOR": "1"}):
        assert "\x1b" not in run(root, "doctor", **env).stdout
        assert "\x1b" not in run(root, "check", **env).stdout
