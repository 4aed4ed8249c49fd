"""Each golden folder of a server: a contract, and the project it becomes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from checkers import tree, write
from paths import ROOT
from skeletons import write_all

from mcpgen.codegen.pipeline import GeneratedServer, ServerOptions, generate_server
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse

CASES = sorted(path.name for path in (ROOT / "golden").glob("server-*"))


def made(case: str) -> GeneratedServer:
    file = ROOT / "golden" / case / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    return generate_server(contract, ServerOptions(docker=True, standalone=False))


@pytest.mark.parametrize("case", CASES)
def test_a_contract_becomes_the_expected_project(
    case: str, tmp_path: Path, update_golden: bool
) -> None:
    found = tree(write_all(made(case), tmp_path))
    expected = ROOT / "golden" / case / "expected"
    if update_golden:
        shutil.rmtree(expected, ignore_errors=True)
        write(found, expected)
    assert found == tree(expected)
