"""`mcpgen init` writes a table, and keeps the rest of a file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from projects import call, on_a_terminal, run

from mcpgen.project.discovery import find_project


def test_init_writes_a_readable_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"')
    ended = run(tmp_path, "init", "--client", "src", "--", "npx", "-y", "@a/server-files@1.2", '"')
    assert (ended.returncode, ended.stdout.splitlines()[0][:17]) == (0, "mcpgen lock files")
    result = find_project(str(tmp_path)).settings.servers["files"]
    assert result.source == ("npx", "-y", "@a/server-files@1.2", '"')
    assert result.contract == "mcp/files.contract.json"
    again = run(tmp_path, "init", "--name", "files", "--source", "demo")
    assert (again.returncode, "already" in again.stderr) == (2, True)


def test_init_needs_a_server_where_nobody_can_be_asked(tmp_path: Path) -> None:
    ended = run(tmp_path, "init", stdin="")
    assert ended.returncode == 2
    assert "--source" in ended.stderr
    assert not (tmp_path / "pyproject.toml").exists()


ADDED = """\
[tool.mcpgen.servers.w]
source = "demo"
contract = "mcp/w.contract.json"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ADDED),
        ('[project]\nname = "x" # mine', f'[project]\nname = "x" # mine\n\n{ADDED}'),
        (
            "# first\n[tool.mcpgen.servers.a] # an own one\nsource = 'demo'\n\n[tool.z]\na=1 # b\n",
            "# first\n[tool.mcpgen.servers.a] # an own one\nsource = 'demo'\n\n"
            f"{ADDED}\n[tool.z]\na=1 # b\n",
        ),
        (
            "tool = {mcpgen = {servers = {}}}\n",
            'tool = {mcpgen = {servers = {w = {source = "demo",'
            ' contract = "mcp/w.contract.json"}}}}\n',
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_init_keeps_comments_order_and_line_ends(
    before: str, after: str, newline: str, tmp_path: Path
) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(before.replace("\n", newline).encode())
    ended = call(tmp_path, "init", "--name", "w", "--source", "demo")
    assert ended.returncode == 0, ended.stderr
    if "\n" in before:  # otherwise the file doesn't show its line endings
        after = after.replace("\n", newline)
    assert file.read_bytes().decode() == after


def test_init_does_not_modify_an_unsuitable_file(tmp_path: Path) -> None:
    text = "tool = {mcpgen = {servers = []}}\n"
    (tmp_path / "pyproject.toml").write_text(text)
    ended = run(tmp_path, "init", "--source", "demo")
    assert ended.returncode == 2
    assert "add it by hand: [tool.mcpgen.servers.demo]" in ended.stderr
    assert (tmp_path / "pyproject.toml").read_text() == text


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_init_asks_for_missing_options_at_a_terminal(tmp_path: Path) -> None:
    code, text = on_a_terminal(tmp_path, "init", answers="npx -y mcp-server-git .\n\nlib\n")
    assert code == 0, text
    result = find_project(str(tmp_path)).settings.servers["git"]
    assert result.source == ("npx", "-y", "mcp-server-git", ".")
    assert result.client
    assert result.client.output == "lib"
