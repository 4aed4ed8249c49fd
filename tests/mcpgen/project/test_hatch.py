"""The build hook, where not all of its servers can be made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import project

from mcpgen.project.hatch import McpgenBuildHook

CONTRACT = "contract = 'mcp/bookshelf.contract.json'\nclient = {output = 'src'}\n"
TWO = f"[tool.mcpgen.servers.bad]\nclient = {{}}\n[tool.mcpgen.servers.good]\n{CONTRACT}"


def begin(root: Path, **config: Any) -> dict[str, Any]:
    """Begin a build, and return what the hook adds to it."""
    hook = McpgenBuildHook(str(root), config, None, None, str(root), "wheel")  # type: ignore[arg-type]
    data: dict[str, Any] = {"artifacts": []}
    hook.initialize("standard", data)
    return data


def test_a_build_ends_with_the_server_that_cannot_be_made_after_the_others(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    with pytest.raises(SystemExit, match="mcpgen: bad: error: the server has neither a source"):
        begin(root)
    assert (root / "src" / "good" / "client.py").exists()


def test_a_build_asks_for_the_servers_that_it_lists_alone(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    assert begin(root, servers=["good"])["artifacts"] == ["/src/good/"]


def test_a_build_removes_nothing_and_remembers_nothing(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    begin(root, servers=["good"])
    assert [path.name for path in (root / "mcp").iterdir()] == ["bookshelf.contract.json"]
