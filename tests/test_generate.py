"""`mcpgen generate`: everything from the contracts, and no file touched that need not be."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from projects import BOTH, changed, files, many, on_a_terminal, project, run

from mcpgen import cache, output
from mcpgen.errors import UsageError
from mcpgen.output import HEADER, Folder

TWO = """\
[tool.mcpgen.servers.one]
contract = "mcp/library.contract.json"
client = {output = "src", style = "basemodel"}
[tool.mcpgen.servers.two]
contract = "mcp/library.contract.json"
client = {output = "src"}
include = ["search_*"]
rename = {search_catalogue = "look"}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "project")


def times(folder: Path) -> dict[str, tuple[int, int]]:
    found = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {str(path): (stat.st_ino, stat.st_mtime_ns) for path, stat in found.items()}


def test_a_client_and_a_server_are_what_their_commands_write(root: Path) -> None:
    ended = run(root, "generate")
    assert (ended.returncode, ended.stdout) == (0, "")
    contract = "mcp/library.contract.json"
    run(root, "client", contract, "-o", "by_hand")
    run(root, "server", contract, "-o", "by_hand", "--name", "library_server")
    assert files(root / "src" / "library") == files(root / "by_hand" / "library")
    assert files(root / "servers" / "library_server") == files(root / "by_hand" / "library_server")


def test_a_second_run_touches_nothing_with_the_cache_and_without(root: Path) -> None:
    run(root, "generate")
    before = times(root)
    for options in ((), ("--no-cache",)):
        ended = run(root, "generate", *options)
        assert ended.stderr.count("unchanged") == 2
        assert times(root) == before


def test_only_files_whose_bytes_change_are_rewritten(root: Path) -> None:
    run(root, "generate")
    before = times(root / "src")
    project(root, contract=changed(renew_item={"description": "Another."}))
    run(root, "generate")
    after = times(root / "src")
    same = {path for path in before if before[path] == after.get(path)}
    names = {Path(path).name for path in set(after) - same}
    assert names == {"__init__.py", "client.py", "contract.json", "renew_item.py"}


def test_stale_files_of_ours_go_and_all_others_stay(root: Path) -> None:
    run(root, "generate")
    package = root / "src" / "library"
    mine = package / "models" / "mine.py"
    mine.write_text("x = 1\n")
    (package / "models" / "old.py").write_text(f"{HEADER} 0.0. DO NOT EDIT.\n")
    (package / "notes").mkdir()
    (package / "notes" / "link").symlink_to("../../..")
    gone = next(path for path in sorted(package.glob("models/*.py")) if "search" in path.name)
    project(root, contract=changed(search_catalogue=None))
    ended = run(root, "generate", "-v")
    assert "models/old.py" in ended.stderr
    assert mine.read_text() == "x = 1\n"
    assert (package / "notes" / "link").readlink() == Path("../../..")
    assert not (package / "models" / "old.py").exists()
    assert not gone.exists()


def test_what_is_the_authors_is_written_once(root: Path) -> None:
    run(root, "generate")
    tools = root / "servers" / "library_server" / "src" / "library_server" / "tools.py"
    tools.write_text(tools.read_text() + "# mine\n")
    tool = {"description": "New.", "inputSchema": {"type": "object"}}
    project(root, contract=changed(new_tool=tool))
    ended = run(root, "generate")
    assert tools.read_text().endswith("# mine\n")
    assert "tools.py: lacks new_tool" in ended.stderr


def test_several_servers_are_made_side_by_side(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    ended = run(root, "generate", "--json")
    said = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, set(said["servers"])) == (0, "", {"one", "two"})
    assert "def look(" in (root / "src" / "two" / "client.py").read_text()
    assert "def search_catalogue(" in (root / "src" / "one" / "client.py").read_text()
    only = run(root, "generate", "two")
    assert only.stderr == "src/two: unchanged\n"


def test_one_server_that_cannot_be_made_leaves_all_the_others_as_they_were(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    run(root, "generate")
    before = files(root)
    (root / "pyproject.toml").write_text(TWO.replace('["search_*"]', '["nothing_*"]'))
    project(root, (root / "pyproject.toml").read_text(), changed(search_catalogue=None))
    contract = (root / "mcp" / "library.contract.json").read_text()
    ended = run(root, "generate", "--json")
    error = json.loads(ended.stderr)["error"]
    assert (ended.returncode, ended.stdout, error["code"]) == (2, "", "usage")
    assert error["where"] == "tool.mcpgen.servers.two.include"
    after = {**files(root), "mcp/library.contract.json": before["mcp/library.contract.json"]}
    assert contract != before["mcp/library.contract.json"]
    assert after | {"pyproject.toml": TWO} == before


def test_a_damaged_or_unwritable_cache_costs_nothing(tmp_path: Path) -> None:
    root = project(tmp_path / "project", BOTH)
    run(root, "generate")
    before = files(root / "src")
    shutil.rmtree(root / "src")
    for entry in (tmp_path / "cache" / "made").iterdir():
        entry.write_bytes(entry.read_bytes().replace(b"class", b"klass"))
    assert run(root, "generate").returncode == 0
    assert files(root / "src") == before
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("no folder")
    assert run(root, "generate").stderr.count("unchanged") == 2


def test_another_generator_or_input_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {cache.key("a", "b"), cache.key("ab", ""), cache.key("a", b"c"), cache.key("a")}
    assert len(keys) == 4
    monkeypatch.setattr("mcpgen.cache.__version__", "9")
    cache.generator.cache_clear()
    assert cache.key("a", "b") not in keys
    cache.generator.cache_clear()


def test_a_cached_package_is_the_same_as_a_made_one(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO, many(5))
    (root / "pyproject.toml").write_text(TWO.replace("search_*", "tool_1").partition("rename")[0])
    run(root, "generate", "--no-cache")
    made = files(root / "src")
    shutil.rmtree(root / "src")
    run(root, "generate")
    shutil.rmtree(root / "src")
    assert run(root, "generate").returncode == 0
    assert files(root / "src") == made


def test_a_file_of_somebody_else_is_never_overwritten(root: Path) -> None:
    place = root / "src" / "library" / "client.py"
    place.parent.mkdir(parents=True)
    place.write_text("mine = 1\n")
    ended = run(root, "generate")
    assert ended.returncode == 2
    assert "was not written by mcpgen" in ended.stderr
    assert files(root / "src") == {"library/client.py": "mine = 1\n"}
    assert not (root / "servers" / "library_server").exists()


def test_no_folder_is_touched_until_all_are_ready(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    bad.write_text("a file")
    with pytest.raises(UsageError):
        output.write_all([Folder(good, {"a.py": "1"}), Folder(bad, {"a.py": "1"})])
    assert not good.exists()
    assert sorted(tmp_path.iterdir()) == [bad]


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    assert "generating" not in run(root, "generate", "--no-cache").stderr
    code, said = on_a_terminal(root, "generate", "--no-cache")
    assert (code, "generating" in said and "100%" in said) == (0, True)
    assert "generating" not in on_a_terminal(root, "generate", "--no-cache", "-q")[1]
