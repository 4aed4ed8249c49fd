"""Packages named like a distribution."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from projects import call, files, project

from mcpgen.project import shadowing


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CLICK", "the installed package of click"),
        ("yaml", "the installed package of PyYAML"),
        ("stripe", "a well-known package of that name"),
        ("my_own_notes", ""),
    ],
)
def test_hidden_distribution(
    name: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shadowing._hidden_distribution(name) == expected


def test_distributions_are_not_read_for_a_free_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "packages_distributions", lambda: pytest.fail("they are read"))
    assert shadowing._hidden_distribution("my_own_notes") == ""


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
