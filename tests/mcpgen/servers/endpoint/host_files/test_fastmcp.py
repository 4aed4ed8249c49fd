"""fastmcp.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_files import rejection, resolve_live, stdio, write

from mcpgen.servers.endpoint import InProcess


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


FASTMCP: dict[str, Any] = {
    "$schema": "https://gofastmcp.com/public/schemas/fastmcp.json/v1.json",
    "source": {"type": "filesystem", "path": "src/server.py", "entrypoint": "mcp"},
    "deployment": {"transport": "stdio", "env": {"KEY": "${TOKEN}"}, "log_level": "INFO"},
}


def test_fastmcp_json() -> None:
    write("fastmcp.json", json.dumps(FASTMCP))
    live = resolve_live("fastmcp.json")
    assert isinstance(live, InProcess)
    assert (live.module, live.name) == ("src/server.py", "mcp")
    assert live.env == {"KEY": "canary-token-1"}
    environment = {"type": "uv", "python": ">=3.10", "dependencies": ["pandas", "x>=1"]}
    deployment = {**FASTMCP["deployment"], "args": ["--debug"], "cwd": "src"}
    more = {**FASTMCP, "environment": environment, "deployment": deployment}
    write("fastmcp.json", json.dumps(more))
    write("src/server.py", "")
    assert stdio("fastmcp.json").argv == (
        "uv", "run", "--with", "fastmcp", "--python", ">=3.10", "--with", "pandas",
        "--with", "x>=1", "fastmcp", "run", "server.py:mcp", "--transport", "stdio", "--no-banner",
        "--", "--debug",
    )  # fmt: skip
    write("fastmcp.json", json.dumps({**FASTMCP, "source": {"type": "git", "path": "x"}}))
    assert rejection("fastmcp.json").problem == "the source isn't a file"
