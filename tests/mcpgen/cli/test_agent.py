"""`mcpgen agent` and `--layout agent`: packages, and the files next to them that models read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from projects import DEMO, call, files, project

DUMP = '{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}'
NAMED = '{"server": {"name": "%s"}, "tools": [{"name": "%s", "inputSchema": {"type": "object"}}]}'
TABLE = """
[tool.mcpgen.servers.bookshelf]
contract = "mcp/bookshelf.contract.json"
client = {output = "src", layout = "agent"}
"""


def read_by_models(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.glob("servers/*/*")}


def test_several_servers_are_written_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(NAMED % ("one", "first"))
    completed = call(tmp_path, "agent", str(DEMO), "one.json", "-o", "out")
    assert completed.returncode == 0
    assert completed.stderr.splitlines() == [
        "out/bookshelf: BookshelfClient with 8 tools",
        "out/servers/bookshelf: for models",
        "out/one: OneClient with 1 tool",
        "out/servers/one: for models",
    ]
    assert {"servers/one/first.pyi", "servers/bookshelf/SKILL.md"} <= read_by_models(
        tmp_path / "out"
    )
    assert "TypedDict" in (tmp_path / "out/bookshelf/models/search_catalogue.py").read_text()
    again = call(tmp_path, "agent", str(DEMO), "one.json", "-o", "out")
    assert again.stderr.count("unchanged") == 4


def test_removed_tool_loses_its_stub(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(NAMED % ("one", "first"))
    call(tmp_path, "agent", "one.json")
    path = tmp_path / "servers/one/notes.md"
    path.write_text("mine")
    (tmp_path / "one.json").write_text(NAMED % ("one", "second"))
    call(tmp_path, "agent", "one.json")
    assert "servers/one/second.pyi" in read_by_models(tmp_path)
    assert "servers/one/first.pyi" not in read_by_models(tmp_path)
    assert path.read_text() == "mine"


def test_failing_server_leaves_all_unwritten(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(NAMED % ("one", "first"))
    (tmp_path / "two.json").write_text("{")
    completed = call(tmp_path, "agent", "one.json", "two.json")
    assert completed.returncode > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.json", "two.json"]


@pytest.mark.slow
def test_two_servers_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(NAMED % ("same", "first"))
    completed = call(tmp_path, "agent", "one.json", "two.json")
    assert completed.returncode == 2
    assert "two servers are called same" in completed.stderr
    assert "NAME=two.json" in completed.stderr
    assert call(tmp_path, "agent", "one.json", "other=two.json").returncode == 0
    assert {"servers/same/index.md", "servers/other/index.md"} <= read_by_models(tmp_path)
    assert (tmp_path / "other/client.py").exists()


def test_without_a_server_one_is_asked_for(tmp_path: Path) -> None:
    completed = call(tmp_path, "agent")
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "no server was given" in completed.stderr


@pytest.mark.slow
def test_a_client_can_be_laid_out_for_agents_too(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(NAMED % ("one", "first"))
    call(tmp_path, "agent", "one.json", "-o", "by_agent")
    args = ("client", "one.json", "--layout", "agent", "-o", "by_client")
    for turn in range(2):  # the second one is from the cache
        document = json.loads(call(tmp_path, *args, "--json").stdout)
        assert document["skill"]["folder"] == "by_client/servers/one"
        assert bool(document["skill"]["changed"]) is not bool(turn)
    assert files(tmp_path / "by_client") == files(tmp_path / "by_agent")
    plain = json.loads(call(tmp_path, "client", "one.json", "-o", "plain", "--json").stdout)
    assert "skill" not in plain
    assert not (tmp_path / "plain/servers").exists()


def test_agent_layout_rejects_other_styles(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(DUMP)
    completed = call(tmp_path, "client", "one.json", "--layout", "agent", "--style", "dataclass")
    assert completed.returncode == 2
    assert "it is typeddict" in completed.stderr


def test_generate_updates_agent_files(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TABLE)
    assert call(root, "generate", "-q").returncode == 0
    assert "servers/bookshelf/get_item.pyi" in read_by_models(root / "src")
    assert call(root, "check").returncode == 0
    stub = root / "src/servers/bookshelf/get_item.pyi"
    stub.write_text(stub.read_text().replace("lent", "lend"))
    stale = call(root, "check")
    assert stale.returncode == 1
    assert "src/servers/bookshelf/get_item.pyi" in stale.stdout + stale.stderr
    assert call(root, "generate", "-q").returncode == 0
    assert "lend:" not in stub.read_text()


def test_agent_files_without_a_table_are_removed(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TABLE)
    call(root, "generate", "-q")
    (root / "pyproject.toml").write_text(TABLE.replace(', layout = "agent"', ""))
    assert call(root, "generate", "-q").returncode == 0
    assert not (root / "src/servers/bookshelf").exists()
    assert (root / "src/bookshelf/client.py").exists()


def test_table_with_another_style_is_rejected_with_its_line(tmp_path: Path) -> None:
    table = TABLE.replace('"agent"', '"agent", style = "basemodel"')
    completed = call(project(tmp_path / "project", table), "generate")
    assert completed.returncode == 2
    assert "tool.mcpgen.servers.bookshelf.client" in completed.stderr
