"""The build cache of `mcpgen client` and `mcpgen server` never changes their output."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from projects import DEMO, call, files, isolated_environment

from mcpgen.codegen.pipeline import Options
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.files import cache
from mcpgen.isolation import FAILURE
from mcpgen.project.packages import build_cache

HEAVY = ("jinja2", "black", "jsonschema", "referencing", "pydantic_core", "yaml", "libcst", "mcp")
COMMANDS = ("client", "server")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract that has a notice: one of its tools is listed twice."""
    target = tmp_path / "here"
    target.mkdir()
    shutil.copy(DEMO, target / "contract.json")
    twice = {"name": "twice", "inputSchema": {"type": "object"}}
    offered = {"tools": [twice, twice]}
    (target / "odd.json").write_text(json.dumps(offered), encoding="utf-8")
    return target


def outcome_of(run: subprocess.CompletedProcess[str]) -> tuple[Any, ...]:
    return run.returncode, run.stdout, run.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("contract", ["contract.json", "odd.json"])
@pytest.mark.parametrize("options", [(), ("--json",), ("-q",), ("-v",), ("--strict",)], ids=str)
def test_cached_output_equals_uncached_output(
    folder: Path, command: str, contract: str, options: tuple[str, ...]
) -> None:
    args = (command, contract, "-o", "out", "--name", "shelf", *options)
    first = outcome_of(call(folder, *args))
    written = files(folder / "out") if (folder / "out").exists() else {}
    cached = outcome_of(call(folder, *args))
    anew = outcome_of(call(folder, *args, "--no-cache"))
    assert cached == anew
    shutil.rmtree(folder / "out", ignore_errors=True)
    assert outcome_of(call(folder, *args)) == first
    assert (files(folder / "out") if (folder / "out").exists() else {}) == written


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_where_nothing_changed_nothing_heavy_is_imported(folder: Path, command: str) -> None:
    call(folder, command, "contract.json", "-o", "out")
    code = (
        "import sys\nfrom mcpgen.cli.app import run\n"
        f"run([{command!r}, 'contract.json', '-o', 'out', '-q'])\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **isolated_environment(folder)},
    )
    assert "unchanged" in run.stderr
    assert run.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_edited_or_deleted_files_are_restored(folder: Path, command: str) -> None:
    call(folder, command, "contract.json", "-o", "out", "--name", "shelf")
    before = files(folder / "out")
    generated = folder / "out" / "shelf"
    generated = generated / "src" / "shelf" / "_generated" if command == "server" else generated
    contract, runtime = generated / "contract.json", generated / "__init__.py"
    contract.unlink()
    runtime.write_bytes(runtime.read_bytes() + b"# edited\n")
    ended = call(folder, command, "contract.json", "-o", "out", "--name", "shelf", "--json")
    assert json.loads(ended.stdout)["changed"] == ["__init__.py", "contract.json"]
    assert files(folder / "out") == before


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", COMMANDS)
def test_another_contract_or_option_is_another_package(folder: Path, command: str) -> None:
    call(folder, command, "contract.json", "-o", "out")
    document = json.loads((folder / "contract.json").read_bytes())
    document["tools"].popitem()
    (folder / "contract.json").write_text(json.dumps(document), encoding="utf-8")
    args = [(), ("--name", "other"), ("--style", "typeddict"), ("-o", "elsewhere")]
    args = [args_ for args_ in args if command == "client" or args_[:1] != ("--style",)]
    args += [("--docker", "--name", "third")] if command == "server" else []
    for extra_args in args:
        options = ("-o", "out", *extra_args, "--json")
        cached = call(folder, command, "contract.json", *options)
        again = call(folder, command, "contract.json", *options)
        anew = call(folder, command, "contract.json", *options, "--no-cache")
        assert outcome_of(again) == outcome_of(anew)
        assert json.loads(again.stdout)["changed"] == []
        assert json.loads(cached.stdout)["changed"] != []


@pytest.mark.slow
def test_new_server_is_complete_when_cached(folder: Path) -> None:
    call(folder, "server", "contract.json", "-o", "out", "--docker")
    call(folder, "server", "contract.json", "-o", "again", "--docker")
    call(folder, "server", "contract.json", "-o", "anew", "--docker", "--no-cache")
    assert files(folder / "again") == files(folder / "out") == files(folder / "anew")


@pytest.mark.slow
def test_missing_methods_are_found_when_contract_is_unchanged(folder: Path) -> None:
    call(folder, "server", "contract.json", "-o", "out", "--name", "shelf")
    tools = folder / "out" / "shelf" / "src" / "shelf" / "tools.py"
    text = tools.read_text(encoding="utf-8")
    tools.write_text(text.replace("def borrow_item(", "def lend("), encoding="utf-8")
    lacking = call(folder, "server", "contract.json", "-o", "out", "--name", "shelf")
    assert "lacks borrow_item" in lacking.stderr
    added = call(folder, "server", "contract.json", "-o", "out", "--name", "shelf", "--add-missing")
    assert "added borrow_item" in added.stderr
    assert "def borrow_item(" in tools.read_text(encoding="utf-8")


@pytest.mark.slow
def test_variable_notice_reflects_the_current_environment(folder: Path) -> None:
    document = json.loads((folder / "contract.json").read_bytes())
    document["origin"] = {"transport": "http", "url": "https://x.example/${ROOM}"}
    (folder / "contract.json").write_text(json.dumps(document), encoding="utf-8")
    args = ("client", "contract.json", "-o", "out")
    for env in ({}, {}, {"ROOM": "1"}, {"ROOM": "2"}, {}):
        cached, anew = call(folder, *args, **env), call(folder, *args, "--no-cache", **env)
        assert cached.stdout == anew.stdout
        assert cached.stderr.replace(", unchanged", "") == anew.stderr.replace(", unchanged", "")
        assert ("which is set here" in cached.stderr) == bool(env)


@pytest.mark.slow
def test_same_content_is_parsed_by_its_suffix(folder: Path) -> None:
    shutil.copy(folder / "contract.json", folder / "contract.yaml")
    for contract in ("contract.json", "contract.yaml"):
        args = ("client", contract, "-o", "out", "--json")
        assert outcome_of(call(folder, *args)) != ()
        assert outcome_of(call(folder, *args)) == outcome_of(call(folder, *args, "--no-cache"))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", COMMANDS)
def test_broken_cache_has_no_effect(folder: Path, command: str) -> None:
    args = (command, "contract.json", "-o", "out")
    call(folder, *args)
    expected, before = outcome_of(call(folder, *args, "--no-cache")), files(folder / "out")
    entries = [*(folder.parent / "cache" / "made").glob("*.json")]
    assert len(entries) == 2
    for content in (b"", b"{}", b"x\n{}", entries[0].read_bytes()[:-10]):
        for entry in entries:
            entry.write_bytes(content)
        assert outcome_of(call(folder, *args)) == expected
    for entry in entries:  # each without the other
        entry.unlink(missing_ok=True)
        assert outcome_of(call(folder, *args)) == expected
    assert files(folder / "out") == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a folder's mode says who may write there")
def test_untrusted_cache_is_skipped_with_a_notice(folder: Path) -> None:
    target = folder.parent / "cache"
    target.mkdir()
    args = ("client", "contract.json", "-o", "out")
    call(folder, *args, "--no-cache")
    expected = call(folder, *args, "--no-cache")
    (target / "made").mkdir()
    (target / "made").chmod(stat.S_IRWXU | stat.S_IRWXO)
    ended = call(folder, *args)
    assert ended.stdout == expected.stdout
    assert ended.stderr.startswith("the cache is not used: ")
    assert ended.stderr.endswith(expected.stderr)
    assert [*(target / "made").iterdir()] == []


@pytest.mark.slow
def test_without_the_cache_nothing_is_kept(folder: Path) -> None:
    for command in COMMANDS:
        call(folder, command, "contract.json", "-o", "out", "--no-cache")
    assert not (folder.parent / "cache").exists()


def test_live_server_is_cached_by_its_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in isolated_environment(tmp_path / "here").items():
        monkeypatch.setenv(name, value)
    contract = Contract({"a": {"name": "a", "inputSchema": {"type": "object"}}})
    packages, problem = build_cache.open_cache(None, use_cache=True)
    assert problem == ""
    package, _ = packages.generate_client(contract, Options(name="one"))
    monkeypatch.setattr("mcpgen.codegen.pipeline.generate", None)
    monkeypatch.setattr("mcpgen.codegen.server_pipeline.generate_server", None)
    assert packages.generate_client(contract, Options(name="one"))[0] == package
    with pytest.raises(TypeError):
        packages.generate_client(contract, Options(name="two"))
    untyped = Contract(contract.tools, untyped=frozenset({"a"}))
    with pytest.raises(TypeError):
        packages.generate_client(untyped, Options(name="one"))


@pytest.mark.slow
def test_host_configuration_is_not_a_cache_key(folder: Path) -> None:
    config = {"mcpServers": {"x": {"command": sys.executable, "args": ["-m", "mcpgen.demo"]}}}
    (folder / "mcp.json").write_text(json.dumps(config), encoding="utf-8")
    for _ in range(2):
        ended = call(folder, "client", "mcp.json", "-o", "out")
        assert (ended.returncode, "starting:" in ended.stderr) == (0, True)


def test_failed_generation_is_not_cached(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcpgen.codegen import pipeline

    generate = pipeline.generate

    def failing(contract: Contract, options: Options) -> pipeline.Generated:
        package = generate(contract, options)
        failure = Notice("/tools/a", "mcpgen failed", FAILURE)
        return pipeline.replace(package, notices=(failure,))

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "generate", failing)
        assert "mcpgen failed" in call(folder, "client", "contract.json", "-o", "out").stderr
    assert "mcpgen failed" not in call(folder, "client", "contract.json", "-o", "out").stderr


def test_output_of_a_file_changed_meanwhile_is_not_cached(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcpgen.codegen import pipeline

    generate, contract = pipeline.generate, folder / "contract.json"
    before, after = contract.read_bytes(), contract.read_bytes().replace(b"bookshelf", b"shelves")

    def changing(contract_: Contract, options: Options) -> pipeline.Generated:
        contract.write_bytes(after)
        return generate(contract_, options)

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "generate", changing)
        call(folder, "client", "contract.json", "-o", "out")
    assert not (folder.parent / "cache" / "made").exists()
    contract.write_bytes(before)
    args = ("client", "contract.json", "-o", "out", "--json")
    assert call(folder, *args).stdout == call(folder, *args, "--no-cache").stdout


def test_another_version_of_a_library_is_another_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generator(*installed: str) -> str:
        for path in tmp_path.iterdir():
            path.rmdir()
        for path in installed:
            (tmp_path / path).mkdir()
        return cache.generator.__wrapped__()

    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "not there")])
    first = generator("black-1.0.dist-info", "PyYAML-6.0.dist-info")
    assert generator("black-1.0.dist-info", "PyYAML-6.0.dist-info", "click-8.dist-info") == first
    rest = [
        generator("black-1.1.dist-info", "PyYAML-6.0.dist-info"),
        generator("black-1.0.dist-info", "PyYAML-6.1.dist-info"),
        generator("PyYAML-6.0.dist-info"),
        generator("black-1.0.dist-info", "PyYAML-6.0.dist-info", "jsonschema_rs-1.dist-info"),
    ]
    assert len({first, *rest}) == 5


def test_zipped_libraries_are_identified_by_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    for version in ("1.0", "1.1"):
        archive = tmp_path / f"{version}.zip"
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(f"black-{version}.dist-info/METADATA", f"Name: black\nVersion: {version}")
        monkeypatch.setattr(sys, "path", [str(archive)])
        names.append(cache.generator.__wrapped__())
    assert names[0] != names[1]
