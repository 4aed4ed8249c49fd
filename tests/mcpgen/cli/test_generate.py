"""`mcpgen generate`: all packages of the contracts. Unchanged files aren't touched."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path

import pytest
from projects import (
    BOTH,
    call,
    changed_contract,
    files,
    isolated_environment,
    many,
    on_a_terminal,
    project,
    run,
)

from mcpgen.errors import UsageError
from mcpgen.files import cache, write
from mcpgen.files import signing_key as seal
from mcpgen.files.write import HEADER, Folder
from mcpgen.jsontext import Json
from mcpgen.project.configuration.model import Entry
from mcpgen.project.packages.build import Build, build

TWO = """\
[tool.mcpgen.servers.one]
contract = "mcp/bookshelf.contract.json"
client = {output = "src", style = "basemodel"}
[tool.mcpgen.servers.two]
contract = "mcp/bookshelf.contract.json"
client = {output = "src"}
include = ["search_*"]
rename = {search_catalogue = "look"}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "project")


def times(folder: Path) -> dict[str, tuple[int, int]]:
    result = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {str(path): (stat.st_ino, stat.st_mtime_ns) for path, stat in result.items()}


@pytest.mark.slow
def test_generate_writes_the_same_as_single_commands(root: Path) -> None:
    ended = run(root, "generate")
    assert (ended.returncode, ended.stdout) == (0, "")
    contract = "mcp/bookshelf.contract.json"
    run(root, "client", contract, "-o", "by_hand", "--trust")
    run(root, "server", contract, "-o", "by_hand", "--name", "bookshelf_server")
    assert files(root / "src" / "bookshelf") == files(root / "by_hand" / "bookshelf")
    assert files(root / "servers" / "bookshelf_server") == files(
        root / "by_hand" / "bookshelf_server"
    )


@pytest.mark.slow
def test_second_run_changes_nothing_with_or_without_cache(root: Path) -> None:
    run(root, "generate")
    before = times(root)
    for options in ((), ("--no-cache",)):
        ended = run(root, "generate", *options)
        assert ended.stderr.count("unchanged") == 2
        assert times(root) == before


@pytest.mark.slow
def test_only_changed_files_are_rewritten(root: Path) -> None:
    run(root, "generate")
    before = times(root / "src")
    project(root, contract=changed_contract(renew_item={"description": "Another."}))
    run(root, "generate")
    after = times(root / "src")
    same = {path for path in before if before[path] == after.get(path)}
    names = {Path(path).name for path in set(after) - same}
    assert names == {"__init__.py", "client.py", "contract.json", "renew_item.py"}


@pytest.mark.slow
def test_stale_files_of_ours_go_and_all_others_stay(root: Path) -> None:
    run(root, "generate")
    package = root / "src" / "bookshelf"
    mine = package / "models" / "mine.py"
    mine.write_text("x = 1\n")
    (package / "models" / "old.py").write_text(f"{HEADER} 0.0. DO NOT EDIT.\n")
    (package / "notes").mkdir()
    (package / "notes" / "link").symlink_to("../../..")
    gone = next(path for path in sorted(package.glob("models/*.py")) if "search" in path.name)
    project(root, contract=changed_contract(search_catalogue=None))
    ended = run(root, "generate", "-v")
    assert "models/old.py" in ended.stderr
    assert mine.read_text() == "x = 1\n"
    assert (package / "notes" / "link").readlink() == Path("../../..")
    assert not (package / "models" / "old.py").exists()
    assert not gone.exists()


@pytest.mark.slow
def test_user_code_is_written_once(root: Path) -> None:
    run(root, "generate")
    tools = root / "servers" / "bookshelf_server" / "src" / "bookshelf_server" / "tools.py"
    tools.write_text(tools.read_text() + "# mine\n")
    tool = {"description": "New.", "inputSchema": {"type": "object"}}
    project(root, contract=changed_contract(new_tool=tool))
    ended = run(root, "generate")
    assert tools.read_text().endswith("# mine\n")
    assert "tools.py: lacks new_tool" in ended.stderr


def test_several_servers_are_made_side_by_side(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    ended = run(root, "generate", "--json")
    document = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, set(document["servers"])) == (0, "", {"one", "two"})
    assert "def look(" in (root / "src" / "two" / "client.py").read_text()
    assert "def search_catalogue(" in (root / "src" / "one" / "client.py").read_text()
    only = run(root, "generate", "two")
    assert only.stderr == "src/two: unchanged\n"


# Tables, contracts and folders from which no server can be generated.
BROKEN: list[tuple[str, int, str]] = [
    ('contract = "mcp/none.json"', 2, "there is no contract yet"),
    ('contract = "mcp/none.json"\nclinet = {}', 2, "unknown key 'clinet'"),
    ('contract = "mcp/bookshelf.contract.json"\nclient = {style = "x"}', 2, "not known here"),
    ('contract = "mcp"\nclient = {}', 2, "cannot be read"),
    ('contract = "odd.json"\nclient = {}', 5, "not JSON"),
    ('contract = "mcp/bookshelf.contract.json"\nclient = {name = "json"}', 2, "would shadow"),
    ('contract = "mcp/bookshelf.contract.json"\nclient = {}\ninclude = ["no_*"]', 2, "no tool"),
    ('contract = "mcp/bookshelf.contract.json"\nclient = {name = "mine"}', 2, "not written by"),
    ('contract = "mcp/bookshelf.contract.json"\nclient = {output = "../x"}', 2, "outside"),
]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("table", "code", "problem"), BROKEN, ids=[item[0] for item in BROKEN])
def test_broken_server_does_not_affect_the_others(
    table: str, code: int, problem: str, tmp_path: Path
) -> None:
    good = "[tool.mcpgen.servers.bookshelf]\nsource = 'demo'\nclient = {output = 'src'}\n"
    root = project(tmp_path / "project", f"[tool.mcpgen.servers.bad]\n{table}\n{good}")
    (root / "odd.json").write_text("{")
    (root / "mine").mkdir()
    (root / "mine" / "client.py").write_text("mine = 1\n")
    ended = call(root, "generate", "--json")
    document = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, list(document["servers"])) == (code, "", ["bookshelf"])
    assert problem in document["failed"]["bad"]["message"]
    assert "def search_catalogue(" in (root / "src" / "bookshelf" / "client.py").read_text()
    assert (root / "mine" / "client.py").read_text() == "mine = 1\n"
    checked = call(root, "check", "--json")
    result = json.loads(checked.stdout)
    # Files in the way are reported when writing. Until then, the package is stale.
    expected = result["stale"] if problem == "not written by" else result["failed"]["bad"]
    assert (checked.returncode, bool(expected)) == (1 if result["stale"] else code, True)
    observed = json.loads(call(root, "doctor", "--json").stdout)["seen"]
    states = {item["what"]: item["state"] for item in observed}
    assert states["bookshelf src/bookshelf"] == "ok"
    assert "bad" in states.values()
    (root / "src" / "bookshelf" / "client.py").unlink()
    assert call(root, "generate", "bookshelf").returncode == 0
    assert (root / "src" / "bookshelf" / "client.py").exists()


def test_tables_with_the_same_output_are_both_skipped(tmp_path: Path) -> None:
    table = "contract = 'mcp/bookshelf.contract.json'\nclient = {output = 'src', name = 'NAME'}\n"
    both = [f"[tool.mcpgen.servers.{name}]\n{table.replace('NAME', 'same')}" for name in "ab"]
    other = f"[tool.mcpgen.servers.c]\n{table.replace('NAME', 'other')}"
    root = project(tmp_path / "project", "".join([*both, other]))
    ended = call(root, "generate")
    assert ended.returncode == 2
    assert "a: error: 'src/same' is taken" in ended.stderr
    assert "b: error: 'src/same' is taken" in ended.stderr
    assert [path.name for path in (root / "src").iterdir()] == ["other"]


def test_generator_failure_affects_only_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "project", TWO)
    monkeypatch.setattr("mcpgen.project.packages.build_all.os.cpu_count", lambda: 1)

    def fails(entry: Entry, text: bytes, document: Json, *more: object) -> Build:
        if entry.name == "one":
            raise ZeroDivisionError("a slip")
        return build(entry, text, document, *more)

    monkeypatch.setattr("mcpgen.project.packages.build_all.build", fails)
    ended = call(root, "generate")
    assert ended.returncode == 5
    assert "one: error: ZeroDivisionError: a slip" in ended.stderr
    assert "please report this bug" in ended.stderr
    assert [path.name for path in (root / "src").iterdir()] == ["two"]


@pytest.mark.slow
def test_damaged_or_unwritable_cache_has_no_effect(tmp_path: Path) -> None:
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


def sealed_by_digest(entry: Path, secret: str) -> None:
    """Modify a cache entry and sign it without the user's key."""
    _, _, text = entry.read_bytes().partition(b"\n")
    text = text.replace(b"async def search_catalogue", secret.encode() + b"search_catalogue")
    entry.write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


@pytest.mark.slow
def test_forged_cache_entry_is_ignored(root: Path) -> None:
    run(root, "generate")
    before = files(root / "src")
    shutil.rmtree(root / "src")
    (entry,) = (root.parent / "cache" / "made").iterdir()
    sealed_by_digest(entry, "import os; async def ")
    assert call(root, "generate").returncode == 0
    assert files(root / "src") == before
    assert call(root, "check").returncode == 0


def test_cache_entry_is_valid_only_for_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in isolated_environment(tmp_path / "project").items():
        monkeypatch.setenv(name, value)
    cache.save("one", {"a": 1})
    entries = cache.folder() / "made"
    shutil.copy(entries / "one.json", entries / "two.json")
    assert (cache.load("one"), cache.load("two")) == ({"a": 1}, None)
    key = seal.place()
    assert key.stat().st_mode & 0o777 == 0o600
    # A cache that is brought from elsewhere comes without the key.
    key.unlink()
    assert cache.load("one") is None
    cache.save("one", {"a": 2})
    assert cache.load("one") == {"a": 2}
    # A signing key readable by others is not trusted.
    key.chmod(0o644)
    assert cache.load("one") is None
    assert key.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_cache_writable_by_others_is_skipped_with_a_notice(root: Path) -> None:
    call(root, "generate")
    folder = root.parent / "cache" / "made"
    folder.chmod(0o777)
    ended = call(root, "generate")
    assert (ended.returncode, f"others may write into {folder}" in ended.stderr) == (0, True)
    assert "others may write into" in call(root, "doctor").stdout
    assert "others may" not in call(root, "generate", "--no-cache").stderr
    assert "others may" not in call(root, "generate", "-q").stderr


def test_another_generator_or_input_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {cache.key("a", "b"), cache.key("ab", ""), cache.key("a", b"c"), cache.key("a")}
    assert len(keys) == 4
    monkeypatch.setattr("mcpgen.files.cache.__version__", "9")
    cache.generator.cache_clear()
    assert cache.key("a", "b") not in keys
    cache.generator.cache_clear()


@pytest.mark.slow
def test_cached_package_equals_a_generated_one(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO, many(5))
    (root / "pyproject.toml").write_text(TWO.replace("search_*", "tool_1").partition("rename")[0])
    run(root, "generate", "--no-cache")
    result = files(root / "src")
    shutil.rmtree(root / "src")
    run(root, "generate")
    shutil.rmtree(root / "src")
    assert run(root, "generate").returncode == 0
    assert files(root / "src") == result


@pytest.mark.slow
def test_a_file_of_somebody_else_is_never_overwritten(root: Path) -> None:
    path = root / "src" / "bookshelf" / "client.py"
    path.parent.mkdir(parents=True)
    path.write_text("mine = 1\n")
    ended = run(root, "generate")
    assert ended.returncode == 2
    assert "was not written by mcpgen" in ended.stderr
    assert files(root / "src") == {"bookshelf/client.py": "mine = 1\n"}
    assert not (root / "servers" / "bookshelf_server").exists()


def test_no_folder_is_touched_until_all_are_ready(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    bad.write_text("a file")
    with pytest.raises(UsageError):
        write.write_all([Folder(good, {"a.py": "1"}), Folder(bad, {"a.py": "1"})])
    assert not good.exists()
    assert sorted(tmp_path.iterdir()) == [bad]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    root = project(tmp_path / "project", TWO)
    assert "generating" not in run(root, "generate", "--no-cache").stderr
    code, text = on_a_terminal(root, "generate", "--no-cache")
    assert (code, "generating" in text and "100%" in text) == (0, True)
    assert "generating" not in on_a_terminal(root, "generate", "--no-cache", "-q")[1]
