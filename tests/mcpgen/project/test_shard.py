"""`--shard K/N`: each server is in exactly one shard."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
import sdk_programs
from guards import PATIENCE
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT
from projects import DEMO, call, files, isolated_environment, project

from mcpgen.errors import UsageError
from mcpgen.files import locks
from mcpgen.project.discovery import find_project
from mcpgen.project.packages import manifest
from mcpgen.project.shard import Shard, parse

NAMES = ("ada", "bob", "cyd", "dee", "eve", "fay")
COUNT = 3
TABLE = "".join(
    f'[tool.mcpgen.servers.{name}]\ncontract = "mcp/bookshelf.contract.json"\n'
    f'client = {{output = "src", name = "{name}_client"}}\n'
    for name in NAMES
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "project", TABLE)


def shards(count: int = COUNT) -> list[str]:
    return [f"{number}/{count}" for number in range(1, count + 1)]


@pytest.mark.slow
@given(st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]*", fullmatch=True)), st.integers(1, 50))
def test_each_name_is_in_exactly_one_shard(names: list[str], count: int) -> None:
    parts = [
        {name for name in names if Shard(number, count).has(name)} for number in range(1, count + 1)
    ]
    assert set().union(*parts) == set(names)
    assert sum(map(len, parts)) == len(set(names))


def test_many_names_are_spread_evenly() -> None:
    names = [f"server-{number}" for number in range(10_000)]
    sizes = [sum(map(Shard(number, 10).has, names)) for number in range(1, 11)]
    assert sum(sizes) == 10_000
    assert min(sizes) > 850


def test_shard_of_a_name_is_stable() -> None:
    shards = [next(n for n in range(1, 8) if Shard(n, 7).has(name)) for name in NAMES]
    assert shards == [6, 2, 3, 1, 6, 7]


@pytest.mark.parametrize(
    "text",
    ["", "1", "0/3", "4/3", "1/0", "0/0", "-1/3", "1/3/3", "a/b", "1.0/3", "\uff11/3", " 1/3"],
)
def test_invalid_shard_is_rejected(text: str, root: Path) -> None:
    with pytest.raises(UsageError):
        parse(text)
    for command in ("generate", "check", "lock"):
        ended = call(root, command, f"--shard={text}")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "--shard" in ended.stderr
        assert "shard" in ended.stderr.splitlines()[0]
    error = json.loads(call(root, "generate", f"--shard={text}", "--json").stderr)["error"]
    assert (error["code"], error["where"]) == ("usage", "--shard")


@pytest.mark.slow
def test_the_shards_of_generate_are_the_whole(root: Path, tmp_path: Path) -> None:
    whole = project(tmp_path / "whole", TABLE)
    call(whole, "generate")
    calls: list[str] = []
    for shard in shards():
        ended = call(root, "generate", "--shard", shard, "--json")
        document = json.loads(ended.stdout)
        assert (ended.returncode, document["shard"]) == (0, shard)
        calls += document["servers"]
    assert sorted(calls) == sorted(NAMES)
    assert files(root / "src") == files(whole / "src")
    assert (root / manifest.FILE).read_bytes() == (whole / manifest.FILE).read_bytes()
    assert call(root, "check").returncode == 0


@pytest.mark.slow
def test_check_looks_at_its_shard_alone(root: Path) -> None:
    call(root, "generate")
    (root / "src" / "eve_client" / "__init__.py").unlink()
    codes = {shard: call(root, "check", "--shard", shard).returncode for shard in shards()}
    assert sorted(codes.values()) == [0, 0, 1]
    for shard, code in codes.items():
        number, count = map(int, shard.split("/"))
        assert Shard(number, count).has("eve") == (code == 1)
        document = json.loads(call(root, "check", "--shard", shard, "--json").stdout)
        assert (document["shard"], document["ok"]) == (shard, code == 0)


@pytest.mark.slow
def test_of_names_only_those_of_the_shard_are_meant(root: Path) -> None:
    calls: list[str] = []
    for shard in shards():
        ended = call(root, "generate", "ada", "bob", "cyd", "--shard", shard, "--json")
        calls += json.loads(ended.stdout)["servers"]
    assert sorted(calls) == ["ada", "bob", "cyd"]


def test_unknown_name_is_rejected_by_every_shard(root: Path) -> None:
    for shard in shards():
        for command in ("generate", "check", "lock"):
            assert call(root, command, "nobody", "--shard", shard).returncode == 2


def test_a_shard_without_servers_is_done_at_once(root: Path) -> None:
    empty = next(f"{k}/40" for k in range(1, 41) if not any(map(Shard(k, 40).has, NAMES)))
    for command in ("generate", "check", "lock"):
        ended = call(root, command, "--shard", empty)
        assert ended.returncode == 0
        assert f"shard {empty}: none of the servers" in ended.stderr
        document = json.loads(call(root, command, "--shard", empty, "--json").stdout)
        assert document["shard"] == empty
        assert not document.get("servers")
    assert not (root / "src").exists()


@pytest.mark.slow
def test_shards_do_not_remove_each_others_output(root: Path) -> None:
    call(root, "generate")
    before = files(root / "src")
    for shard in shards():
        assert "removed" not in call(root, "generate", "--shard", shard).stderr
    assert files(root / "src") == before


@pytest.mark.slow
def test_orphan_is_removed_by_exactly_one_shard(root: Path) -> None:
    call(root, "generate")
    text = TABLE.partition("[tool.mcpgen.servers.fay]")[0]
    (root / "pyproject.toml").write_text(text, encoding="utf-8")
    removed: list[str] = []
    for shard in shards():
        document = json.loads(call(root, "generate", "--shard", shard, "--json").stdout)
        removed += document.get("removed", [])
    assert removed == ["src/fay_client"]


@pytest.mark.slow
def test_a_table_with_a_mistake_fails_its_own_shard(root: Path) -> None:
    broken = TABLE.replace('name = "cyd_client"', "name = 7")
    (root / "pyproject.toml").write_text(broken, encoding="utf-8")
    codes = [call(root, "generate", "--shard", shard).returncode for shard in shards()]
    failing = [Shard(number, COUNT).has("cyd") for number in range(1, COUNT + 1)]
    assert [code == 2 for code in codes] == failing
    assert codes.count(0) == COUNT - 1


@pytest.mark.slow
def test_the_shards_of_lock_are_the_whole(tmp_path: Path) -> None:
    names = NAMES[:3]
    table = "".join(f'[tool.mcpgen.servers.{name}]\nsource = "demo"\n' for name in names)
    root = project(tmp_path / "project", table)
    shutil.rmtree(root / "mcp")
    observed: dict[str, str] = {}
    for shard in shards(2):
        document = json.loads(call(root, "lock", "--shard", shard, "--accept", "--json").stdout)
        assert document["shard"] == shard
        observed |= {name: item["state"] for name, item in document["servers"].items()}
    assert observed == dict.fromkeys(names, "new")
    assert {file.name for file in (root / "mcp").iterdir()} == {
        f"{name}.contract.json" for name in names
    }


@pytest.mark.slow
def test_runs_with_any_number_of_jobs_write_the_same(root: Path, tmp_path: Path) -> None:
    call(root, "generate", "--jobs", "1", "--no-cache")
    other = project(tmp_path / "other", TABLE)
    ended = call(other, "generate", "--jobs", "3", "--no-cache")
    assert ended.returncode == 0
    assert files(other / "src") == files(root / "src")
    assert call(other, "check", "--jobs", "2", "--no-cache").returncode == 0
    assert call(other, "check", "--jobs", "0").returncode == 2


@pytest.mark.slow
def test_concurrent_shards_all_update_the_manifest(root: Path, tmp_path: Path) -> None:
    whole = project(tmp_path / "whole", TABLE)
    call(whole, "generate")
    args = sdk_programs.mcpgen("generate", "-q", "--shard")
    env = {**os.environ, **isolated_environment(root)}
    runs = [subprocess.Popen([*args, shard], cwd=root, env=env) for shard in shards()]
    assert [run.wait(PATIENCE) for run in runs] == [0] * COUNT
    assert (root / manifest.FILE).read_bytes() == (whole / manifest.FILE).read_bytes()


def test_concurrent_manifest_updates_are_merged(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, added = locks.lock_folders, {"server": "other", "kind": "client", "sha256": "0"}
    (root / "elsewhere").mkdir()

    @contextlib.contextmanager
    def late(folders: Iterable[Path]) -> Generator[bool]:
        with locked(folders) as is_alone:
            document = {"folders": {"elsewhere": added}}
            (root / manifest.FILE).write_text(json.dumps(document), encoding="utf-8")
            yield is_alone

    monkeypatch.setattr(manifest.locks, "lock_folders", late)
    manifest.record(find_project(str(root)), [])
    existing = json.loads((root / manifest.FILE).read_bytes())["folders"]
    assert existing == {"elsewhere": added}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the script is for bash")
def test_the_action_takes_a_shard(root: Path) -> None:
    script = ["bash", str(ROOT / "scripts" / "action.sh")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, **isolated_environment(root), "PATH": path, "MCPGEN_INSTALL": "false"}
    env |= {"MCPGEN_COMMAND": "generate", "MCPGEN_SHARD": "2/3"}
    ended = subprocess.run(
        script, cwd=root, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    mine = {f"{name}_client" for name in NAMES if Shard(2, 3).has(name)}
    assert "shard 2/3: " in ended.stderr
    assert {folder.name for folder in (root / "src").iterdir()} == mine


# Bazel


BAZEL = ROOT / "examples" / "bazel"


def test_bazel_rule_uses_valid_arguments(tmp_path: Path) -> None:
    """Starlark uses Python's syntax. The action's arguments must be valid for the command."""
    tree = ast.parse((BAZEL / "mcpgen.bzl").read_text(encoding="utf-8"))
    ast.parse((BAZEL / "BUILD.bazel").read_text(encoding="utf-8"))
    (value,) = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "arguments"
    )
    attributes = {"package": "shelf", "style": "basemodel"}
    context = SimpleNamespace(
        file=SimpleNamespace(contract=SimpleNamespace(path=str(DEMO))),
        attr=SimpleNamespace(**attributes),
    )
    folder = SimpleNamespace(dirname="out")
    args = eval(ast.unparse(value), {"ctx": context, "folder": folder})
    (tmp_path / "out" / "shelf").mkdir(parents=True)  # which Bazel makes
    assert call(tmp_path, *args).returncode == 0
    anew = ("client", str(DEMO), "-o", "anew", "--name", "shelf", "--style", "basemodel")
    assert call(tmp_path, *anew).returncode == 0
    assert files(tmp_path / "out") == files(tmp_path / "anew")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the script is for bash")
def test_bazel_test_checks_its_shard_of_linked_files(root: Path, tmp_path: Path) -> None:
    call(root, "generate")
    (root / "src" / "eve_client" / "client.py").unlink()
    runfiles = tmp_path / "runfiles"
    for file in (file for file in root.rglob("*") if file.is_file()):
        link = runfiles / "inner" / file.relative_to(root)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
    mcpgen = runfiles / "mcpgen"
    mcpgen.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcpgen "$@"\n', encoding="utf-8")
    mcpgen.chmod(0o755)
    codes: list[int] = []
    for index in range(COUNT):
        scratch = tmp_path / f"scratch-{index}"
        scratch.mkdir()
        env = {
            **os.environ,
            "TEST_TMPDIR": str(scratch),
            "TEST_SHARD_INDEX": str(index),
            "TEST_TOTAL_SHARDS": str(COUNT),
            "TEST_SHARD_STATUS_FILE": str(scratch / "status"),
        }
        args = ["bash", str(BAZEL / "check.sh"), "mcpgen", "inner"]
        run = subprocess.run(
            args, cwd=runfiles, env=env, check=False, capture_output=True, timeout=PATIENCE
        )
        codes.append(run.returncode)
        assert (scratch / "status").exists()
    assert codes == [int(Shard(number, COUNT).has("eve")) for number in range(1, COUNT + 1)]
