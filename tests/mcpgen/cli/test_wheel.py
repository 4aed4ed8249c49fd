"""The published files are complete: wheel, source distribution and the README's commands."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import archives
import environments
import pytest
from paths import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of mcpgen."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    return folder


def build(source: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    environments.run(command, cwd=source)


def only(folder: Path, pattern: str) -> Path:
    (target,) = folder.glob(pattern)
    return target


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_every_template_and_schema(distributions: Path) -> None:
    result = contents(only(distributions, "mcpgen-*.whl"))
    for folder in ("templates", "schema"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                inside = f"mcpgen/{path.relative_to(ROOT).as_posix()}"
                assert result.get(inside) == path.read_bytes(), inside


def test_the_wheel_holds_nothing_else(distributions: Path) -> None:
    for name in contents(only(distributions, "mcpgen-*.whl")):
        assert name.startswith("mcpgen/") or ".dist-info/" in name
        assert "__pycache__" not in name


def test_the_source_distribution_builds_the_same_wheel(distributions: Path, tmp_path: Path) -> None:
    archives.unpack(only(distributions, "*.tar.gz"), tmp_path / "source")
    build(only(tmp_path / "source", "*"), tmp_path / "dist")
    assert contents(only(tmp_path / "dist", "mcpgen-*.whl")) == contents(
        only(distributions, "mcpgen-*.whl")
    )


def test_extras_of_the_documentation_are_in_the_wheels(distributions: Path) -> None:
    build(ROOT / "runtime", distributions)
    metadata = {
        name: next(
            text.decode()
            for path, text in contents(only(distributions, f"{name}-*.whl")).items()
            if path.endswith("METADATA")
        )
        for name in ("mcpgen", "mcpgen_runtime")
    }
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))
    of_mcpgen = set(re.findall(r"the extra `(\w+)`", pages))
    of_runtime = set(re.findall(r"mcpgen-runtime\[(\w+)\]", pages))
    assert {"scripts", "keyring", "test"} <= of_mcpgen
    assert {"redis", "telemetry"} <= of_runtime
    for name, extras in (("mcpgen", of_mcpgen), ("mcpgen_runtime", of_runtime)):
        provided = set(re.findall(r"^Provides-Extra: (\w+)", metadata[name], re.MULTILINE))
        assert extras <= provided, name


@pytest.mark.network
def test_installed_wheels_write_a_working_client(distributions: Path, tmp_path: Path) -> None:
    build(ROOT / "runtime", distributions)
    wheels = [str(only(distributions, f"{name}-*.whl")) for name in ("mcpgen", "mcpgen_runtime")]
    python = environments.create(tmp_path / "venv", *wheels)
    folder = tmp_path / "empty"
    folder.mkdir()
    snippet = environments.run([str(python.parent / "mcpgen"), "client", "demo"], cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["bookshelf"]
    assert "The Night Ferry" in environments.run([str(python), "-c", snippet], cwd=folder)
    mcpgen = str(python.parent / "mcpgen")
    environments.run([mcpgen, "docs", "demo"], cwd=folder)
    environments.run([mcpgen, "server", "demo", "--name", "shelf_server", "--docker"], cwd=folder)
    written = {"bookshelf.html", "shelf_server/compose.yaml", "shelf_server/src/shelf_server"}
    assert all((folder / name).exists() for name in written)
    environments.run([str(python), str(ROOT / "scripts" / "smoke.py")], cwd=folder)


@pytest.mark.network
def test_the_first_command_of_the_readme_writes_a_client(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".[!g]*", ".git", "__pycache__"))
    command = re.findall(r"^```sh\n(.*?)^```", readme(), re.MULTILINE | re.DOTALL)[0]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "PIP_NO_COMPILE": "1"}
    environments.run(["bash", "-ec", command], cwd=checkout, env=env)
    assert (checkout / "bookshelf" / "client.py").is_file()


def readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")
