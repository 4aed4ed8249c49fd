"""The checker, tested on scripts written without knowledge of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fresh_scripts import FEATURES, MENDED, RIGHT

from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from mcpgen.scripting import Checker, Limits, run_script, surface
from mcpgen.scripting import run as running
from mcpgen.scripting.broker import ScriptServer

ROOT = Path(__file__).parents[3]
CONTRACTS = (
    ROOT / "golden" / "demo" / "contract.json",
    ROOT / "benchmarks" / "harder_contract.json",
)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker([surface(read(loads(path.read_bytes()))) for path in CONTRACTS]) as checker:
        yield checker


@pytest.mark.slow
def test_checker_accepts_right_scripts(checker: Checker) -> None:
    assert len(RIGHT) == 100
    assert [script for script in RIGHT if checker.check(script)] == []


def test_checker_finds_wrong_scripts(checker: Checker) -> None:
    missed = [script for script in MENDED if not checker.check(script)]
    assert len(MENDED) == 60
    assert len(missed) <= 1, missed


@pytest.mark.slow
def test_scripts_following_hints_pass(checker: Checker) -> None:
    mended = {wrong: right for wrong, right in MENDED.items() if right}
    hintless = [w for w in mended if not any(finding.hint for finding in checker.check(w))]
    assert len(mended) >= 50
    assert hintless == []
    assert [script for script in mended.values() if checker.check(script)] == []


@pytest.mark.slow
def test_unsupported_script_is_refused(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each script in the sandbox without the check, and compare the outcome with the check."""
    monkeypatch.setattr(running, "_findings", lambda *_: [])

    async def send(tool: str, arguments: Any) -> Any:
        raise AssertionError(tool, arguments)

    async def failing() -> list[str]:
        scripts: list[str] = []
        for script in FEATURES:
            if checker.check(script):
                continue
            servers = [ScriptServer(item, {}, send) for item in checker.surfaces.values()]
            outcome = await run_script(script, servers, limits=Limits(seconds=20))
            if outcome.status != "done" and "bookshelf" not in script:
                scripts.append(f"{script}\n{outcome.problem}")
        return scripts

    assert asyncio.run(failing()) == []
