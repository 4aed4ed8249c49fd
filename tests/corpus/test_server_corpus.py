"""Every recorded server of the corpus becomes a server that lists the same tools again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from checkers import mypy, pyright, slug
from paths import CORPUS
from recorded_servers import SERVERS, contract
from skeletons import MODES, import_server, list_everything, project, recorded_lists

from mcpgen.jsontext import loads

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SERVERS, reason="no recorded servers"),
]


TYPED = SERVERS if "MCPGEN_ALL" in os.environ else SERVERS[::9]
"""Checking the types of all takes minutes; their models are those of the clients, checked whole."""


@pytest.mark.parametrize("server", SERVERS)
def test_it_offers_what_was_recorded_in_the_order_of_the_recording(
    server: str, tmp_path: Path
) -> None:
    folder = project(contract(server), tmp_path, slug(server))
    document = loads((CORPUS / "live" / f"{server}.json").read_bytes())
    with import_server(folder) as module:
        for mode in MODES:
            assert anyio.run(list_everything, module.server, mode) == recorded_lists(document, mode)
    assert slug(server) not in sys.modules


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of the servers to be typed, side by side."""
    target, folder = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("packages")
    for server in TYPED:
        path = project(contract(server), target, slug(server))
        (path / "src" / slug(server)).rename(folder / slug(server))
    return folder


def test_pyright_is_silent_on_every_package(packages: Path) -> None:
    assert pyright(packages) == []


def test_mypy_is_silent_on_every_package(packages: Path) -> None:
    assert mypy(packages, *(slug(server) for server in TYPED)) == []
