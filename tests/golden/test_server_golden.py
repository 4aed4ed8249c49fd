"""Each golden folder of a server: a contract, and the project it becomes.

The runtime is not repeated there: it must be the one under ``templates/``, byte for byte.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from checkers import runtime, tree, write
from paths import ROOT
from skeletons import write_all

from mcpgen.codegen.pipeline import GeneratedServer, ServerOptions, generate_server
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse

CASES = sorted(path.name for path in (ROOT / "golden").glob("server-*"))
TEMPLATES = ROOT / "templates"


def made(case: str) -> GeneratedServer:
    file = ROOT / "golden" / case / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    return generate_server(contract, ServerOptions(docker=True))


@pytest.mark.parametrize("case", CASES)
def test_a_contract_becomes_the_expected_project(
    case: str, tmp_path: Path, update_golden: bool
) -> None:
    found = tree(write_all(made(case), tmp_path))
    place = f"src/{made(case).package}/_generated/_runtime/"
    for name, text in runtime(TEMPLATES / "server" / "_generated" / "_runtime").items():
        assert found.pop(place + name).split("\n\n", 1)[1] == text
    assert not [path for path in found if path.startswith(place)]
    expected = ROOT / "golden" / case / "expected"
    if update_golden:
        shutil.rmtree(expected, ignore_errors=True)
        write(found, expected)
    assert found == tree(expected)
