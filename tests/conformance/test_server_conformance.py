"""The official conformance suite against a generated server with the suite's fixtures.

It needs Node 22 from npm, like the suite. Unscored scenarios must pass too, such as tasks and
headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import conforming
import pytest
from paths import SUPPORT
from skeletons import http, project

from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse

FIXTURES = SUPPORT / "conformance"

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server generated from a handwritten contract."""
    file = FIXTURES / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    folder = project(contract, tmp_path_factory.mktemp("made"), author=FIXTURES)
    with http(folder, "--log-level", "error") as address:
        yield address


@pytest.mark.parametrize(("revision", "scenarios"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_every_scored_scenario_passes(revision: str, scenarios: int, url: str, cache: Path) -> None:
    verdicts = conforming.run(cache, "server", revision, "--url", url)
    assert len(verdicts.scored) == scenarios, verdicts.output
    assert all(verdicts.scored.values()), verdicts.output
    assert all(verdicts.unscored.values()), verdicts.output
