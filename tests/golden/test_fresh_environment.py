"""Type checkers report nothing in an environment with only the documented requirements."""

from __future__ import annotations

import os
from pathlib import Path

import environments
import pytest
from checkers import ignores, mypy, pyright, write
from golden_cases import ACCEPTED, SERVERS, generate_case, package
from skeletons import write_all

pytestmark = [pytest.mark.network, pytest.mark.slow]

IS_ALL = "MCPGEN_ALL" in os.environ


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the requirements of clients from the README."""
    folder = tmp_path_factory.mktemp("clients") / "venv"
    return environments.create(folder, environments.RUNTIME)


def test_clients_need_the_runtime_alone(clients: Path, tmp_path: Path) -> None:
    for case in ACCEPTED:
        files = write(package(case).files, tmp_path / f"p_{case.replace('-', '_')}")
        assert not any(ignores(path.read_text("utf-8")) for path in files.rglob("*.py"))
    assert pyright(tmp_path, clients) == []
    packages = sorted(path.name for path in tmp_path.glob("p_*"))
    assert mypy(tmp_path, *packages, python=clients) == []


@pytest.mark.parametrize("case", SERVERS if IS_ALL else SERVERS[:1])
def test_generated_servers_need_only_declared_dependencies(case: str, tmp_path: Path) -> None:
    folder = write_all(generate_case(case), tmp_path)
    group = f"{folder / 'pyproject.toml'}:dev"
    python = environments.create(
        tmp_path / "venv", environments.RUNTIME, str(folder), "--group", group
    )
    assert pyright(folder, python) == []
    assert mypy(folder / "src", generate_case(case).package, python=python) == []
