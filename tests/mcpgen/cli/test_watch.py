"""`mcpgen watch` regenerates on changes, and tolerates invalid tables while they are edited."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from guards import until
from projects import (
    changed_contract,
    isolated_environment,
    project,
    run,
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ended by a signal")
def test_watch_regenerates_when_contract_or_source_changes(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "project")
    code = (
        "from mcp.server.mcpserver import MCPServer\nmcp = MCPServer('own')\n"
        "@mcp.tool()\ndef add(a: int) -> int:\n    return a\n"
    )
    (root / "own").mkdir()
    (root / "own" / "server.py").write_text(code)
    table = root / "pyproject.toml"
    own = '[tool.mcpgen.servers.own]\nsource = "own/server.py"\nclient = {output = "src"}\n'
    table.write_text(table.read_text() + own)
    assert run(root, "lock", "own").returncode == 0
    command = [sys.executable, "-m", "mcpgen", "watch", "--interval", "0.1"]
    env = {**os.environ, **isolated_environment(root)}
    with subprocess.Popen(command, cwd=root, env=env, stderr=subprocess.PIPE, text=True) as watch:
        try:
            client = root / "src" / "bookshelf" / "client.py"
            until(client.exists)
            assert watch.stderr
            while not watch.stderr.readline().startswith("watching"):
                assert watch.poll() is None
            project(root, table.read_text(), changed_contract(renew_item={"description": "Anew."}))
            until(lambda: "Anew." in client.read_text())
            more = "@mcp.tool()\ndef add_one(a: int) -> int:\n    return a + 1\n"
            (root / "own" / "server.py").write_text(code + more)
            until(lambda: "def add_one" in (root / "src" / "own" / "client.py").read_text())
        finally:
            watch.terminate()
            watch.communicate()


def test_table_being_edited_does_not_end_the_watch(tmp_path: Path) -> None:
    from mcpgen.cli.watch import _read_again
    from mcpgen.project.discovery import find_project

    root = project(tmp_path / "project")
    before = find_project(str(root))
    (root / "pyproject.toml").write_text("[tool.mcpgen")
    assert _read_again(before) is before
