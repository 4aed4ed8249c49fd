"""Files that no table generates anymore are removed if unchanged, otherwise reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from projects import call, files, project

from mcpgen.files import swap
from mcpgen.project.packages.manifest import FILE

CONTRACT = "contract = 'mcp/bookshelf.contract.json'\n"
TWO = f"""\
[tool.mcpgen.servers.bookshelf]
{CONTRACT}client = {{output = "src"}}
[tool.mcpgen.servers.other]
{CONTRACT}client = {{output = "src"}}
server = {{output = "servers", name = "shop"}}
"""


@pytest.fixture(scope="module")
def generated_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with both tables after `generate`. Tests copy it and never change it."""
    folder = project(tmp_path_factory.mktemp("generated") / "project", TWO)
    assert call(folder, "generate").returncode == 0
    return folder


@pytest.fixture
def root(generated_project: Path, tmp_path: Path) -> Path:
    return shutil.copytree(generated_project, tmp_path / "project", symlinks=True)


def becomes(root: Path, old: str, new: str) -> None:
    table = root / "pyproject.toml"
    assert old in table.read_text()
    table.write_text(table.read_text().replace(old, new))


def leftovers(root: Path) -> set[tuple[str, str]]:
    """Return the leftover folders that `check` and `doctor` report."""
    result = json.loads(call(root, "check", "--json").stdout)["stale"]
    looked = json.loads(call(root, "doctor", "--json").stdout)["seen"]
    messages = {item["path"] for item in result if item["state"] == "left over"}
    assert {
        e["what"].split(" ")[-1] for e in looked if "no table generates" in e["detail"]
    } == messages
    return {(item["path"], item.get("reason", "")) for item in result if item["path"] in messages}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(TWO[: TWO.index("[tool.mcpgen.servers.other]")], "", id="removed"),
        pytest.param("servers.bookshelf]", "servers.books]", id="renamed"),
        pytest.param(
            'client = {output = "src"}\n[tool', 'client = {output = "lib"}\n[tool', id="output"
        ),
        pytest.param('"src"}\n[tool', '"src", name = "books"}\n[tool', id="name"),
        pytest.param(
            'client = {output = "src"}\n[tool', 'server = {output = "lib"}\n[tool', id="kind"
        ),
        pytest.param('client = {output = "src"}\n[tool', "[tool", id="no client"),
    ],
)
def test_orphaned_package_is_reported_and_removed(old: str, new: str, root: Path) -> None:
    assert leftovers(root) == set()
    becomes(root, old, new)
    assert ("src/bookshelf", "") in leftovers(root)
    assert call(root, "check").returncode == 1
    ended = call(root, "generate")
    assert "src/bookshelf: no table generates it any longer: removed\n" in ended.stderr
    assert not (root / "src" / "bookshelf" / "client.py").exists()
    assert (root / "src" / "other" / "client.py").exists()
    assert [*(root / "src").glob(".*")] == []
    assert leftovers(root) == set()
    assert call(root, "check").returncode == 0


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("change", ["edited", "added", "linked"])
def test_modified_orphan_is_reported_and_kept(change: str, root: Path) -> None:
    package = root / "src" / "bookshelf"
    if change == "edited":
        (package / "client.py").write_text((package / "client.py").read_text() + "# mine\n")
    elif change == "added":
        (package / "mine.py").write_text("x = 1\n")
    else:
        package.rename(root / "elsewhere")
        package.symlink_to(root / "elsewhere")
    before = files(package)
    becomes(root, TWO[: TWO.index("[tool.mcpgen.servers.other]")], "")
    ((path, reason),) = leftovers(root)
    assert (path, bool(reason)) == ("src/bookshelf", True)
    ended = call(root, "generate", "--json")
    assert (ended.returncode, json.loads(ended.stdout)["left"]) == (0, ["src/bookshelf"])
    assert files(package) == before
    # Until the user deletes the folder, or records that it stays.
    assert leftovers(root) == {(path, reason)}
    record = json.loads((root / FILE).read_text())
    del record["folders"]["src/bookshelf"]
    (root / FILE).write_text(json.dumps(record))
    assert leftovers(root) == set()


@pytest.mark.slow
def test_compiled_files_do_not_count_as_changes(root: Path) -> None:
    compiled = root / "src" / "bookshelf" / "__pycache__"
    compiled.mkdir()
    (compiled / "client.pyc").write_bytes(b"x")
    becomes(root, "servers.bookshelf]", "servers.books]")
    call(root, "generate")
    assert not (root / "src" / "bookshelf").exists()


def test_orphaned_server_keeps_its_requirements(root: Path) -> None:
    becomes(root, 'server = {output = "servers", name = "shop"}\n', "")
    ((path, reason),) = leftovers(root)
    assert path == "servers/shop/src/shop/_generated"
    assert "needs it" in reason
    before = files(root / "servers")
    call(root, "generate")
    assert files(root / "servers") == before
    shutil.rmtree(root / "servers")
    assert leftovers(root) == set()


def test_broken_or_unselected_tables_lose_nothing(root: Path) -> None:
    becomes(root, TWO[: TWO.index("[tool.mcpgen.servers.other]")], "")
    assert call(root, "generate", "other").returncode == 0
    assert (root / "src" / "bookshelf").exists()
    becomes(root, '"src"}\nserver', '"src", nmae = "x"}\nserver')
    assert {path for path, _ in leftovers(root)} == {"src/bookshelf"}
    call(root, "generate")
    assert (root / "src" / "other").exists()
    assert not (root / "src" / "bookshelf").exists()


@pytest.mark.slow
def test_a_package_made_by_hand_is_nobodys_business(root: Path) -> None:
    call(root, "client", "mcp/bookshelf.contract.json", "-o", "src", "--name", "by_hand")
    assert leftovers(root) == set()
    call(root, "generate")
    assert (root / "src" / "by_hand" / "client.py").exists()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("folder", ["../victim", "/victim", "src/../../victim", "link/victim"])
def test_forged_manifest_removes_nothing_outside(folder: str, root: Path) -> None:
    victim = root.parent / "victim"
    shutil.copytree(root / "src" / "bookshelf", victim)
    (root / "link").symlink_to(root.parent)
    record = json.loads((root / FILE).read_text())
    text = folder.replace("/victim", str(victim)) if folder == "/victim" else folder
    record["folders"][text] = record["folders"]["src/bookshelf"]
    (root / FILE).write_text(json.dumps(record))
    before = files(victim)
    call(root, "generate")
    assert files(victim) == before


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"folders": []}', '{"folders": {"src/bookshelf": {"server": 1}}}']
)
def test_a_damaged_record_is_written_anew(text: str, root: Path) -> None:
    before = (root / FILE).read_text()
    (root / FILE).write_text(text)
    assert call(root, "check").returncode == 0
    assert call(root, "generate").returncode == 0
    assert (root / FILE).read_text() == before


@pytest.mark.slow
def test_interrupted_removal_is_completed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    becomes(root, "servers.bookshelf]", "servers.books]")

    def interrupt_removal(_: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("mcpgen.files.swap.shutil.rmtree", interrupt_removal)
        with pytest.raises(KeyboardInterrupt):
            swap.remove(root / "src" / "bookshelf")
    assert len([*(root / "src").glob(".bookshelf.*")]) == 1
    call(root, "generate")
    assert [*(root / "src").glob(".*")] == []


@pytest.mark.slow
def test_unused_contract_is_reported(root: Path) -> None:
    (root / "mcp" / "old.contract.json").write_text("{}")
    looked = json.loads(call(root, "doctor", "--json").stdout)
    assert looked["ok"]
    by_kind = {item["what"]: item["detail"] for item in looked["seen"]}
    assert by_kind["mcp/old.contract.json"] == "no table uses this contract"
