"""The official conformance suite against a generated server with the suite's fixtures.

It needs Node 22 from npm, like the suite. Unscored scenarios must pass too, such as tasks and
headers, and each of the suite's scenarios runs by name or is in ``NOT_RUN``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import conforming
import pytest
from paths import ROOT, SUPPORT
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


SCORED = {"2025-11-25": 30, "2026-07-28": 37}


@pytest.fixture(scope="module")
def verdicts(url: str, cache: Path) -> dict[str, conforming.Verdicts]:
    """The verdicts of the scenarios that each revision requires."""
    return {
        revision: conforming.run(cache, "server", revision, "--url", url) for revision in SCORED
    }


@pytest.mark.parametrize("revision", SCORED)
def test_every_scored_scenario_passes(
    revision: str, verdicts: dict[str, conforming.Verdicts]
) -> None:
    verdict = verdicts[revision]
    assert len(verdict.scored) == SCORED[revision], verdict.output
    assert all(verdict.scored.values()), verdict.output
    assert all(verdict.unscored.values()), verdict.output


NOT_RUN = {
    "sep-2640-skills-directory": "skills, an extension that generated servers don't offer",
    "sep-2640-skills-enumeration": "skills, an extension that generated servers don't offer",
    "sep-2640-skills-manifest": "skills, an extension that generated servers don't offer",
    "tasks-status-notifications": "the suite skips it until it listens on the new stream",
}
"""Scenarios that the suite lists and that check nothing here, with the reason."""

WARNED = {
    "server-sse-polling": "resuming a stream, which needs an event store that is optional",
}
"""Scenarios with warnings about something optional, and nothing failed."""


def test_each_listed_scenario_is_run_or_explained(
    url: str, cache: Path, verdicts: dict[str, conforming.Verdicts]
) -> None:
    names = conforming.scenarios(cache)
    assert len(names) == 65
    assert NOT_RUN.keys() | WARNED.keys() <= names
    required = {name for item in verdicts.values() for name in (*item.scored, *item.unscored)}
    for name in sorted(names - required - NOT_RUN.keys()):
        passed, failed, warnings, output = conforming.run_one(cache, name, url)
        assert failed == 0, output
        assert (warnings > 0) == (name in WARNED), output
        assert passed > 0 or name in WARNED, output
    documented = (ROOT / "docs" / "server.md").read_text("utf-8")
    assert all(f"`{name}`" in documented for name in (*NOT_RUN, *WARNED))
