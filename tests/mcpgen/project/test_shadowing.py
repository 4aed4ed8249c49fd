"""Packages named like a distribution."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import call, files, project


@pytest.mark.slow
@pytest.mark.parametrize("name", ["playwright", "Playwright", "kubernetes", "click", "black"])
def test_package_named_like_a_distribution_is_reported(name: str, tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    contract = "mcp/bookshelf.contract.json"
    if name == "click":  # which mcpgen itself refuses
        assert call(root, "client", contract, "--name", name).returncode == 2
        return
    ended = call(root, "client", contract, "--name", name)
    assert ended.returncode == 0
    assert f"a package named {name} hides" in ended.stderr
    assert "--name gives it another name" in ended.stderr
    # The notice depends on the machine. The output doesn't.
    result = files(root / name)
    assert (
        call(root, "client", contract, "--name", name, "-o", "other", "-q").stderr.count("hides")
        == 0
    )
    assert files(root / "other" / name) == result
    assert "hides" not in call(root, "client", contract, "--name", name).stderr


@pytest.mark.slow
def test_unique_package_name_has_no_notice(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    assert "hides" not in call(root, "generate").stderr
    table = "[tool.mcpgen.servers.stripe]\ncontract = 'mcp/bookshelf.contract.json'\nclient = {}\n"
    assert "a package named stripe hides" in call(project(root, table), "generate").stderr


@pytest.mark.slow
def test_own_project_name_is_not_a_conflict(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    (root / "pyproject.toml").write_text("[project]\nname = 'black'\n")
    ended = call(root, "client", "mcp/bookshelf.contract.json", "--name", "black")
    assert "hides" not in ended.stderr
