"""Same contract, same bytes. A new tool leaves the code of all other tools unchanged."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from paths import ROOT

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import pin
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

CASES = sorted(
    path.parent.name
    for path in (ROOT / "golden").glob("*/contract.json")
    if not path.parent.name.startswith("refused-")
)


def contract(case: str) -> Contract:
    path = ROOT / "golden" / case / "contract.json"
    return read(loads(path.read_bytes()))


def files(recorded_contract: Contract) -> dict[str, str]:
    return dict(generate(recorded_contract, Options()).files)


def digest(arguments: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_generating_twice_gives_the_same_bytes(case: str) -> None:
    assert files(contract(case)) == files(contract(case))


def test_another_day_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(contract("spec-2025-11-25"))
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    monkeypatch.setattr(time, "time_ns", lambda: 2_000_000_000_000_000_000)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert files(contract("spec-2025-11-25")) == before


@pytest.mark.slow
@pytest.mark.sampled(7)
def test_reordering_tools_changes_nothing(case: str) -> None:
    recorded_contract = contract(case)
    before = files(recorded_contract)
    for seed in range(3):
        order = random.Random(seed)
        shuffled = {
            part: dict(order.sample(list(entries), len(entries)))
            for part in ("tools", "prompts", "resources", "resource_templates")
            for entries in [getattr(recorded_contract, part).items()]
        }
        assert files(replace(recorded_contract, **shuffled)) == before


@pytest.mark.slow
def test_recorded_contract_generates_the_live_bytes(case: str) -> None:
    """On disk, object properties are sorted. The server sent them in its own order."""
    recorded_contract = contract(case)
    assert files(read(loads(recorded_contract.text()))) == files(recorded_contract)


@pytest.mark.slow
def test_folder_and_hash_seed_do_not_change_bytes(tmp_path: Path) -> None:
    code = (
        "import sys, json, hashlib\n"
        "from pathlib import Path\n"
        "from mcpgen.contract.document import read\n"
        "from mcpgen.jsontext import loads\n"
        "from mcpgen.codegen.pipeline import Options, generate\n"
        "for path in sys.argv[1:]:\n"
        "    given = read(loads(Path(path).read_bytes()))\n"
        "    files = dict(generate(given, Options()).files)\n"
        "    print(hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest())\n"
    )
    paths = [str(ROOT / "golden" / case / "contract.json") for case in CASES]
    expected = [digest(files(contract(case))) for case in CASES]
    for seed in ("0", "4242"):
        run = subprocess.run(
            [sys.executable, "-c", code, *paths],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "HOME": str(tmp_path)},
        )
        assert run.stdout.split() == expected


def names(recorded_contract: Contract) -> dict[str, set[str]]:
    """Return the types and methods of a package by the file that they are imported from."""
    result: dict[str, set[str]] = {}
    for path, text in files(recorded_contract).items():
        if path == "client.py":
            kinds = ast.ClassDef | ast.AsyncFunctionDef | ast.FunctionDef
            nodes = ast.walk(ast.parse(text))
            result[path] = {node.name for node in nodes if isinstance(node, kinds)}
        elif path.startswith("models/") and path != "models/__init__.py":
            result[path] = {name for node in ast.parse(text).body for name in types(node)}
    return result


def types(node: ast.stmt) -> list[str]:
    """Return the types that a statement defines, or assigns to the module."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return list(ast.literal_eval(node.value))
    return []


@pytest.mark.sampled(2)
def test_adding_a_tool_renames_no_method_and_no_type(case: str) -> None:
    recorded_contract = contract(case)
    for added in list(recorded_contract.tools)[:: len(recorded_contract.tools) // 4 + 1]:
        rest = {name: tool for name, tool in recorded_contract.tools.items() if name != added}
        previous = replace(recorded_contract, tools=rest)
        before, after = names(previous), names(pin(previous, recorded_contract))
        for path, present in before.items():
            assert present <= after[path], f"adding {added!r} changed {path}"
