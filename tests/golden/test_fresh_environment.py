"""Both type checkers are silent where only what users are told to install is installed."""

from __future__ import annotations

import os
from pathlib import Path

import environments
import pytest
from checkers import ignores, mypy, pyright, write
from skeletons import write_all
from test_golden import ACCEPTED, package
from test_server_golden import CASES, made

pytestmark = [pytest.mark.network, pytest.mark.slow]

IS_ALL = "MCPGEN_ALL" in os.environ


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds what README says clients need."""
    return environments.create(tmp_path_factory.mktemp("clients") / "venv", "pydantic", "mcp")


def test_clients_need_pydantic_and_mcp_alone(clients: Path, tmp_path: Path) -> None:
    for case in ACCEPTED:
        files = write(package(case).files, tmp_path / f"p_{case.replace('-', '_')}")
        assert not any(ignores(path.read_text("utf-8")) for path in files.rglob("*.py"))
    assert pyright(tmp_path, clients, with_runtime=True) == []
    # mypy reads the runtime anew in each package, which takes longer than all else.
    some = sorted(path.name for path in tmp_path.glob("p_*"))[:: 1 if IS_ALL else 9]
    assert mypy(tmp_path, *some, python=clients) == []


@pytest.mark.parametrize("case", CASES if IS_ALL else CASES[:1])
def test_servers_need_what_their_project_declares(case: str, tmp_path: Path) -> None:
    place = write_all(made(case), tmp_path)
    group = f"{place / 'pyproject.toml'}:dev"
    python = environments.create(tmp_path / "venv", str(place), "--group", group)
    assert pyright(place, python, with_runtime=case == CASES[0]) == []
    assert mypy(place / "src", made(case).package, python=python) == []
