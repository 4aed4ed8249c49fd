"""Output outside of the project requires permission."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from projects import call, project, project_with_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


CLIENT = """\
[tool.mcpgen.servers.bookshelf]
contract = "mcp/bookshelf.contract.json"
client = {output = OUTPUT}
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["../other", "absolute", "link", "src/../../other", "link/below"])
def test_output_outside_the_project_needs_permission_in_its_table(way: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    output_ = str(other) if way == "absolute" else way
    root = project(tmp_path / "project", CLIENT.replace("OUTPUT", repr(output_)))
    (root / "src").mkdir()
    (root / "link").symlink_to(other)
    ended = call(root, "generate")
    assert ended.returncode == 2
    assert "lies outside of the project's folder" in ended.stderr
    assert "at   tool.mcpgen.servers.bookshelf.client" in ended.stderr
    assert "[tool.mcpgen.servers.bookshelf]: outside = true" in ended.stderr
    assert list(other.iterdir()) == []
    assert call(root, "check").returncode == 2
    table = root / "pyproject.toml"
    table.write_text(f"{table.read_text()}outside = true\n")
    assert call(root, "generate").returncode == 0
    assert [path.parent.name for path in other.rglob("client.py")] != []


@pytest.mark.slow
def test_init_permits_the_given_outside_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "project", "")
    args = ("init", "--contract", "mcp/bookshelf.contract.json", "--client")
    assert call(root, *args, "../other", "--name", "one").returncode == 0
    assert call(root, *args, "src", "--name", "two").returncode == 0
    assert (root / "pyproject.toml").read_text().count("outside = true") == 1
    assert call(root, "generate").returncode == 0
    assert (tmp_path / "other" / "one" / "client.py").exists()


@pytest.mark.slow
def test_links_inside_and_to_the_project_are_allowed(
    tmp_path: Path,
) -> None:
    real = project(tmp_path / "real", CLIENT.replace("OUTPUT", "'link'"))
    (real / "code").mkdir()
    (real / "link").symlink_to("code")
    (tmp_path / "project").symlink_to(real)
    assert call(tmp_path / "project", "generate").returncode == 0
    assert (real / "code" / "bookshelf" / "client.py").exists()
    assert (real / "link").is_symlink()


def test_contract_is_not_recorded_outside_the_project_unasked(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "project", read={})
    (tmp_path / "other").mkdir()
    (root / "mcp").symlink_to(tmp_path / "other")
    ended = call(root, "lock")
    assert (ended.returncode, "outside = true" in ended.stderr) == (2, True)
    assert list((tmp_path / "other").iterdir()) == []
    table = root / "pyproject.toml"
    table.write_text(f"{table.read_text()}outside = true\n")
    assert call(root, "lock").returncode == 0
    assert (tmp_path / "other" / "files.contract.json").exists()
