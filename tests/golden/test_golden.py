"""Each golden folder: a contract, the package it becomes, and that package at work."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from calling import call_all
from checkers import tree, write
from golden_cases import ACCEPTED, GOLDEN, REFUSED, options, package, recorded
from stand_in import StandIn

BEYOND_STAND_IN = {
    "hostile": {"tool_surrogate"},  # its text cannot be sent as UTF-8
    "kept-plain": {"bad_output"},  # there is no answer to a schema that is none
}


def run(case: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run the command on a copy, so that no path of this machine is in what it says."""
    work = out / "work"
    work.mkdir(parents=True)
    for file in (GOLDEN / case).glob("contract*.json"):
        shutil.copy(file, work)
    command = [sys.executable, "-m", "mcpgen", "client", "contract.json", "-o", "out", "-q"]
    return subprocess.run(
        [*command, *options(case)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=work,
    )


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_contract_becomes_the_expected_package(
    case: str, tmp_path: Path, update_golden: bool
) -> None:
    done = run(case, tmp_path)
    assert done.returncode == 0, done.stderr
    (written,) = (tmp_path / "work" / "out").iterdir()
    found = tree(written)
    expected = GOLDEN / case / "expected" / written.name
    if update_golden:
        shutil.rmtree(expected.parent, ignore_errors=True)
        write(found, expected)
    assert [path.name for path in expected.parent.iterdir()] == [written.name]
    assert found == tree(expected)


@pytest.mark.parametrize("case", REFUSED)
def test_a_contract_is_refused_with_the_expected_words(
    case: str, tmp_path: Path, update_golden: bool
) -> None:
    done = run(case, tmp_path)
    assert done.returncode in (2, 5)
    assert not (tmp_path / "work" / "out").exists()
    said = f"{done.stdout}{done.stderr}exit code {done.returncode}\n"
    expected = GOLDEN / case / "stderr.txt"
    if update_golden:
        expected.write_text(said, "utf-8")
    assert said == expected.read_text("utf-8")


@pytest.mark.parametrize("case", ACCEPTED)
def test_arguments_arrive_and_results_return(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = package(case)
    write(made.files, tmp_path / made.package)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    try:
        anyio.run(call_all, made, StandIn(recorded(case)), {}, BEYOND_STAND_IN.get(case, ()))
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == made.package]:
            del sys.modules[name]
