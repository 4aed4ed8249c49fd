"""Each golden folder of a server: a contract, and the project generated from it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from checkers import tree, write
from golden_cases import SERVERS, generate_case
from paths import ROOT
from skeletons import write_all


@pytest.mark.parametrize("case", SERVERS)
def test_a_contract_becomes_the_expected_project(
    case: str, tmp_path: Path, update_golden: bool
) -> None:
    result = tree(write_all(generate_case(case), tmp_path))
    expected = ROOT / "golden" / case / "expected"
    if update_golden:
        shutil.rmtree(expected, ignore_errors=True)
        write(result, expected)
    assert result == tree(expected)
