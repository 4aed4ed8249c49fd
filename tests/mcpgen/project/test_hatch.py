"""The build hook when one of its servers can't be generated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import project

from mcpgen.project.hatch import McpgenBuildHook

CONTRACT = "contract = 'mcp/bookshelf.contract.json'\nclient = {output = 'src'}\n"
TWO = f"[tool.mcpgen.servers.bad]\nclient = {{}}\n[tool.mcpgen.servers.good]\n{CONTRACT}"


def begin(root: Path, **config: Any) -> dict[str, Any]:
    """Start a build and return the build data that the hook adds."""
    hook = McpgenBuildHook(str(root), config, None, None, str(root), "wheel")  # type: ignore[arg-type]
    data: dict[str, Any] = {"artifacts": []}
    hook.initialize("standard", data)
    return data


def test_build_fails_after_generating_the_other_servers(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    with pytest.raises(SystemExit, match="mcpgen: bad: error: the server has neither a source"):
        begin(root)
    assert (root / "src" / "good" / "client.py").exists()


def test_build_generates_only_the_listed_servers(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    assert begin(root, servers=["good"])["artifacts"] == ["/src/good/"]


def test_a_build_removes_nothing_and_remembers_nothing(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    begin(root, servers=["good"])
    assert [path.name for path in (root / "mcp").iterdir()] == ["bookshelf.contract.json"]
