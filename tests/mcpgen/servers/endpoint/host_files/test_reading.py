"""Configuration files are found at the documented paths, and a broken one hides no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import rejection, stdio, write
from paths import ROOT

from mcpgen.servers.endpoint.host_files import hosts
from mcpgen.servers.endpoint.host_files.server_names import known_names


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project and home, and a few variables."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    monkeypatch.chdir(project)
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("TOKEN", "canary-token-1")
    return project


def test_broken_file_is_reported_and_hides_no_other() -> None:
    write(".mcp.json", "{")
    write(".cursor/mcp.json", '{"mcpServers": {"it": {"command": "x"}}}')
    result = stdio("it")
    assert result.argv == ("x",)
    (notice,) = result.notices
    assert (notice.pointer, notice.kind) == (".mcp.json", "configuration")
    assert notice.reason.startswith("not JSON")
    error = rejection("other")
    assert "not read: .mcp.json: not JSON" in error.where
    assert "it" in known_names()


def test_file_without_servers_hides_no_other() -> None:
    write(".gemini/settings.json", '{"theme": "x"}')
    write("opencode.json", '{"mcp": {"it": {"type": "local", "command": ["x"]}}}')
    assert (stdio("it").argv, stdio("it").notices) == (("x",), ())


def test_project_files_come_first_and_disabled_servers_last() -> None:
    write(".mcp.json", '{"mcpServers": {"it": {"command": "off", "disabled": true}}}')
    write(Path.home() / ".cursor" / "mcp.json", '{"mcpServers": {"it": {"command": "user"}}}')
    assert stdio("it").argv == ("user",)
    write(".vscode/mcp.json", '{"servers": {"it": {"command": "project"}}}')
    assert stdio("it").argv == ("project",)


def test_a_file_is_searched_where_the_documentation_says() -> None:
    page = (ROOT / "docs" / "recording.md").read_text("utf-8")
    for source in (*hosts.PROJECT_FILES, ".continue/mcpServers/*.yaml"):
        assert f"`{source}`" in page, source
    for source in ("~/.claude.json", "claude_desktop_config.json", "~/.codex/config.toml"):
        assert source in page
