"""Each golden folder: a contract, the package generated from it, and calls with that package."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from calling import call_all
from checkers import tree, write
from golden_cases import ACCEPTED, GOLDEN, REFUSED, load_contract, options, package
from stand_in import StandIn

from mcpgen.cli.app import run

BEYOND_STAND_IN = {
    "hostile": {"tool_surrogate"},  # its text cannot be sent as UTF-8
    "kept-plain": {"bad_output"},  # an invalid schema has no valid result
}


@pytest.fixture
def generate_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], tuple[int, str]]:
    """Run ``mcpgen client`` on a copy of a case, so that its output names no path of this machine.

    Returns the exit code and the output.
    """

    def generate_case(case: str) -> tuple[int, str]:
        work = tmp_path / "work"
        work.mkdir()
        for file in (GOLDEN / case).glob("contract*.json"):
            shutil.copy(file, work)
        monkeypatch.chdir(work)
        code = run(["client", "contract.json", "-o", "out", "-q", *options(case)])
        return code, "".join(capfd.readouterr())

    return generate_case


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_contract_becomes_the_expected_package(
    case: str,
    tmp_path: Path,
    update_golden: bool,
    generate_case: Callable[[str], tuple[int, str]],
) -> None:
    code, output = generate_case(case)
    assert code == 0, output
    (written,) = (tmp_path / "work" / "out").iterdir()
    result = tree(written)
    expected = GOLDEN / case / "expected" / written.name
    if update_golden:
        shutil.rmtree(expected.parent, ignore_errors=True)
        write(result, expected)
    assert [path.name for path in expected.parent.iterdir()] == [written.name]
    assert result == tree(expected)


@pytest.mark.parametrize("case", REFUSED)
def test_a_contract_is_refused_with_the_expected_words(
    case: str,
    tmp_path: Path,
    update_golden: bool,
    generate_case: Callable[[str], tuple[int, str]],
) -> None:
    code, output = generate_case(case)
    assert code in (2, 5)
    assert not (tmp_path / "work" / "out").exists()
    message = f"{output}exit code {code}\n"
    expected = GOLDEN / case / "stderr.txt"
    if update_golden:
        expected.write_text(message, "utf-8")
    assert message == expected.read_text("utf-8")


@pytest.mark.parametrize("case", ACCEPTED)
def test_arguments_arrive_and_results_return(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated_package = package(case)
    write(generated_package.files, tmp_path / generated_package.package)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    try:
        anyio.run(
            call_all,
            generated_package,
            StandIn(load_contract(case)),
            {},
            BEYOND_STAND_IN.get(case, ()),
        )
    finally:
        for name in [
            name for name in sys.modules if name.split(".")[0] == generated_package.package
        ]:
            del sys.modules[name]
