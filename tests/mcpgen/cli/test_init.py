"""`mcpgen init server`: existing files, and missing names without a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from server_projects import mcpgen


@pytest.mark.slow
def test_a_started_contract_becomes_a_server(tmp_path: Path) -> None:
    for name, more in (("contract.yaml", ()), ("contract.json", ("--prompt", "sum up"))):
        mcpgen(
            "init", "server", "--name", "acme", "--tool", "find", "-o", name, *more, cwd=tmp_path
        )
        mcpgen("server", f"./{name}", "-o", f"out-{name}", cwd=tmp_path)
        folder = tmp_path / f"out-{name}" / "acme"
        assert "async def find(" in (folder / "src/acme/tools.py").read_text()


def test_init_does_not_overwrite_existing_files(tmp_path: Path) -> None:
    (tmp_path / "contract.yaml").write_text("mine")
    mcpgen("init", "server", "--name", "acme", cwd=tmp_path, code=2)
    assert (tmp_path / "contract.yaml").read_text() == "mine"


def test_a_name_is_needed_where_nobody_can_be_asked(tmp_path: Path) -> None:
    completed = mcpgen("init", "server", cwd=tmp_path, code=2, text="")
    assert "--name" in completed.stderr
