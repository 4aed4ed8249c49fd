"""The official conformance suite against clients generated from what its servers offer.

A scenario passes by what the suite saw on the wire; the driver, ``conformance/client/drive.py``,
must end well besides. Those of authorization are left out: that is the SDK's, given to a generated
client as a transport or as an SDK client, and a generated package has no line of it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import conforming
import pytest
from checkers import write
from paths import SUPPORT

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse

FIXTURES = SUPPORT / "conformance" / "client"
REVISIONS = ("2025-11-25", "2026-07-28")

SCORED = {
    "2025-11-25": {
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
    },
    "2026-07-28": {
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
    },
}
UNSCORED = {"json-schema-2020-12-preservation"}

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A client for each revision, of one contract."""
    folder = tmp_path_factory.mktemp("packages")
    file = FIXTURES / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    for revision in REVISIONS:
        name = f"of_{revision.replace('-', '_')}"
        made = generate(replace(contract, revision=revision), Options(name=name))
        write(made.files, folder / name)
    return folder


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_scored_scenario_passes_but_authorization(
    revision: str, packages: Path, cache: Path, tmp_path: Path
) -> None:
    command = f"{sys.executable} {FIXTURES / 'drive.py'} {packages}"
    found = conforming.run(
        cache, "client", revision, "--command", command, "-o", str(tmp_path / "results")
    )
    driven = {name for name in found.scored if not name.startswith("auth/")}
    assert driven == SCORED[revision], found.said
    for name in SCORED[revision] | UNSCORED:
        said = next((tmp_path / "results").glob(f"{name}-*/stderr.txt")).read_text()
        assert {**found.scored, **found.unscored}[name], f"{name}: {said}"
        assert "Traceback" not in said, f"{name}: {said}"
