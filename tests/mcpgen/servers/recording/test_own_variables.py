"""Variables of recorded servers are named after their packages, so that servers share none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from paths import SUPPORT

from mcpgen.cli.app import run

SERVER = str(SUPPORT / "servers" / "bare.py")


def origin(file: Path) -> str:
    """Return the origin of a contract as text."""
    return json.dumps(json.loads(file.read_text())["origin"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # which `generate` sets for its processes
    for name in ("one", "two"):
        (tmp_path.parent / f"{tmp_path.name}-{name}").mkdir()
    return tmp_path


def command(folder: Path, name: str) -> list[str]:
    return ["-q", "--", sys.executable, SERVER, f"{folder}-{name}"]


def test_two_packages_read_two_variables(folder: Path) -> None:
    for name in ("one", "two"):
        assert run(["client", "--name", f"files_{name}", *command(folder, name)]) == 0
    assert "${FILES_ONE_ARG_1}" in origin(folder / "files_one" / "contract.json")
    assert "${FILES_TWO_ARG_1}" in origin(folder / "files_two" / "contract.json")


def test_recorded_contract_keeps_its_variables(folder: Path) -> None:
    file = folder / "contract.json"
    assert run(["record", "-o", str(file), *command(folder, "one")]) == 0
    variable = next(part for part in origin(file).split('"') if part.startswith("${"))
    assert not variable.startswith("${MCP_ARG")
    before = file.read_text().replace(variable, "${MCP_ARG_1}")
    file.write_text(before)
    assert run(["record", "-o", str(file), *command(folder, "one")]) == 0
    assert file.read_text() == before


def project(folder: Path, *names: str) -> None:
    """Write a project whose contracts were recorded by an earlier version."""
    tables = [
        f"[tool.mcpgen.servers.{name}]\nclient = {{}}\n"
        f"source = {json.dumps([sys.executable, SERVER, f'{folder}-{name}'])}\n"
        for name in names
    ]
    (folder / "pyproject.toml").write_text("\n".join(tables))
    assert run(["lock", "-q", "--accept"]) == 0
    for name in names:
        file = folder / "mcp" / f"{name}.contract.json"
        document = json.loads(file.read_text())
        document["origin"]["args"] = [f"server_{name}.py", "${MCP_ARG_1}"]
        file.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")


@pytest.mark.parametrize("args", [["generate"], ["check"], ["doctor"]], ids=" ".join)
def test_shared_variable_of_two_servers_is_an_error(
    folder: Path, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    project(folder, "one", "two")
    assert run(args) != 0
    captured = capsys.readouterr()
    output = captured.out + captured.err
    assert "the variable MCP_ARG_1 is also used by another server: two" in output
    assert "mcpgen lock --rename-variables" in output


def test_lock_renames_shared_variables(folder: Path) -> None:
    project(folder, "one", "two")
    assert run(["lock", "-q", "--accept", "--rename-variables"]) == 0
    for name in ("one", "two"):
        text = origin(folder / "mcp" / f"{name}.contract.json")
        assert f"${{{name.upper()}_ARG_1}}" in text
    assert run(["generate", "-q"]) == 0


def test_one_server_may_keep_its_shared_name(folder: Path) -> None:
    project(folder, "one")
    assert run(["generate", "-q"]) == 0
