"""Every recorded server of the corpus becomes a server that lists the same tools again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from checkers import slug, typed
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


@typed()
def packages(folder: Path) -> None:
    """Write the packages of the servers to be typed, side by side."""
    with TemporaryDirectory() as target:
        for server in TYPED:
            path = project(contract(server), Path(target), slug(server))
            (path / "src" / slug(server)).rename(folder / slug(server))


def test_pyright_is_silent_on_every_package() -> None:
    assert packages.pyright() == []


def test_mypy_is_silent_on_every_package() -> None:
    assert packages.mypy() == []
