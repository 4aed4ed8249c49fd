"""Hostile text, through every field of every message, stays text in the package."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkers import write
from conftest import ROOT
from hostile.frames import HERE, PAYLOADS, everywhere, of_a_server
from hostile.skeleton import statements

from mcpgen import naming
from mcpgen.contract import Contract, read
from mcpgen.errors import ContractError
from mcpgen.pipeline import STYLES, Generated, Options, generate

HARMLESS = ["plain", "Plain words", "a" * 70, "Words " * 30, "", "one\n\ntwo", "x_y", "9", "\ud800"]
# What must never stand in a file as itself: it is invisible, or moves what stands beside it.
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
IGNORABLE = {*map(ord, BLANK), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)}
SAMPLE = sorted(PAYLOADS)[::9]
BATCH = 40


def batches(names: list[str]) -> Iterator[list[str]]:
    texts = [PAYLOADS[name] for name in names]
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


def made(contract: Contract, style: str) -> Generated:
    return generate(contract, Options(style=style))  # type: ignore[arg-type] # one of STYLES


def kind(path: str) -> str:
    return "models" if path.startswith("models/") and path != "models/__init__.py" else path


def skeletons(package: Generated) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path, text in package.files.items():
        if path.endswith(".py") and not path.startswith("_runtime/"):
            found.setdefault(kind(path), set()).update(statements(text))
    return found


def harmless(style: str) -> dict[str, set[str]]:
    """Return every statement that a package of harmless texts is made of."""
    found: dict[str, set[str]] = {}
    contracts = [everywhere([text]) for text in HARMLESS] + [everywhere(HARMLESS)]
    for contract in [*contracts, *map(of_a_server, HARMLESS)]:
        for path, known in skeletons(made(contract, style)).items():
            found.setdefault(path, set()).update(known)
    return found


def unseen(text: str) -> set[str]:
    return {
        ascii(char)
        for char in set(text) - {"\n"}
        if unicodedata.category(char) in UNSEEN or ord(char) in IGNORABLE
    }


def check(names: list[str], style: str, folder: Path) -> None:
    known = harmless(style)
    packages = [made(everywhere(texts), style) for texts in batches(names)]
    some = names[:: len(names) // 90 + 1]
    packages += [made(of_a_server(PAYLOADS[name]), style) for name in some]
    for number, package in enumerate(packages):
        for path, found in skeletons(package).items():
            assert found <= known[path], (path, sorted(found - known[path])[:3])
        for path, text in package.files.items():
            assert not unseen(text), (path, unseen(text))
        write(package.files, folder / f"hostile_{number}")
    write(made(everywhere(HARMLESS), style).files, folder / "harmless")
    assert watched(folder) == {"done": [], "imported": []}


def watched(folder: Path) -> object:
    script = str(HERE / "watched.py")
    run = subprocess.run(
        [sys.executable, "-I", script, str(folder), "harmless"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_there_are_enough_payloads_and_no_two_are_one() -> None:
    assert len(set(PAYLOADS.values())) == len(PAYLOADS) > 800


@pytest.mark.parametrize("style", STYLES)
def test_a_sample_of_hostile_texts_stays_text(style: str, tmp_path: Path) -> None:
    names = SAMPLE[STYLES.index(style) :: len(STYLES)]  # type: ignore[arg-type] # one of STYLES
    check(names, style, tmp_path)


@pytest.mark.parametrize("text", sorted(PAYLOADS.values())[::11], ids=ascii)
def test_a_pin_that_is_no_name_is_not_used(text: str) -> None:
    names = naming.methods(["a", "b"], {"a": text, "b": text})
    assert len(set(names.values())) == 2
    for name in names.values():
        assert isinstance(ast.parse(name).body[0], ast.Expr)
        assert name not in naming.METHODS


PINS = ["../../x", "x): pass\n    def y(self", "__class__", "class", "call", "\uff58", "X", ""]


@pytest.mark.parametrize("pin", PINS, ids=ascii)
def test_a_contract_cannot_choose_a_name_that_is_none(pin: str) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    package = generate(read({"tools": tools, "names": {"a": pin}}))
    assert package.tools == ("a",)
    assert "models/a.py" in package.files


def test_a_number_that_json_cannot_hold_costs_its_tool_alone() -> None:
    bad = {"name": "bad", "inputSchema": {"type": "object", "minProperties": float("inf")}}
    package = generate(read({"tools": [bad, {"name": "a", "inputSchema": {"type": "object"}}]}))
    assert package.tools == ("a",)
    with pytest.raises(ContractError, match="a number that JSON cannot"):
        read({"tools": [], "server": {"name": "x", "size": float("nan")}})


def test_the_fuzzer_runs_and_says_how_fast() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "fuzz.py"), "--seconds", "3", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cases/s" in run.stdout, run.stderr[-2000:]
