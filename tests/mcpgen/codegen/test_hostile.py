"""Hostile text in any field of any message remains text in the package."""

from __future__ import annotations

import ast
import builtins
import json
import keyword
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mcpgen_runtime
import pytest
from checkers import write
from hostile.frames import HERE, PAYLOADS, contract_named, everywhere, of_a_server
from hostile.skeleton import joints
from paths import ROOT
from shared_texts import shared_text

from mcpgen.codegen import naming, reserved_names
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, left_out, read

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HARMLESS = [
    "plain",
    "Plain words",
    "a" * 70,
    "Words " * 30,
    "",
    "one\n\ntwo",
    "x_y",
    "9",
    "\ud800",
    "\udfff",
]
HARMLESS += ["date", "date-time", "uuid", "uri"]  # formats with types of their own
# Categories that must never appear unescaped: invisible characters, and characters that reorder
# their neighbors.
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
IGNORABLE = {*map(ord, BLANK), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)}
PRODUCTS = (*STYLES, "server")
# Data files: their strings are the server's, byte for byte.
DATA = {"contract.json", "examples.json", "server.json"}
BATCH = 40
# Each style of the client gets a twelfth of the strings, the server a 48th. With MCPGEN_ALL=1,
# every product gets all strings.
IS_ALL = "MCPGEN_ALL" in os.environ


def batches(names: list[str]) -> Iterator[list[str]]:
    texts = [PAYLOADS[name] for name in names]
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


@dataclass(frozen=True)
class Made:
    """The files of one package, by their paths within it, and its name."""

    package: str
    files: dict[str, str]


def build_package(contract: Contract, product: str) -> Made:
    if product != "server":
        client = generate(contract, Options(style=product))  # type: ignore[arg-type] # a style
        return Made(client.package, dict(client.files))
    server = generate_server(contract, ServerOptions(docker=True, standalone=False))
    within = {path.removeprefix(f"src/{server.package}/"): t for path, t in server.own.items()}
    ours = {f"_generated/{path}": text for path, text in server.generated.items()}
    return Made(server.package, ours | within)


def kind(path: str) -> str:
    """Return which template a file is made from."""
    return re.sub(r"(models|tools)/(?!__init__).*", r"\1", path)


def parts(package: Made) -> dict[str, set[str]]:
    """Return the syntax elements of each kind of file, without the server's strings."""
    result: dict[str, set[str]] = {}
    for path, text in package.files.items():
        if path.endswith(".py") and "_runtime/" not in path:
            result.setdefault(kind(path), set()).update(joints(text, package.package))
        elif path.endswith(".toml"):
            document = tomllib.loads(text)
            result[path] = {
                f"{key}: {sorted(table) if isinstance(table, dict) else table}"
                for key, table in document.items()
            }
        elif path.endswith(".md"):
            result[path] = {*re.findall(r"^[#|`<]|.mcp-name: |https?://", text, re.MULTILINE)}
    return result


@cache
def harmless(product: str) -> dict[str, set[str]]:
    """Return all syntax elements of packages generated from harmless strings."""
    text = shared_text(f"harmless-{product}", lambda: json.dumps(harmless_parts(product)))
    return {path: set(found) for path, found in json.loads(text).items()}


def harmless_parts(product: str) -> dict[str, list[str]]:
    result: dict[str, set[str]] = {}
    contracts = [everywhere([text]) for text in HARMLESS] + [everywhere(HARMLESS)]
    names = [f"{letter}{n}" for letter in "abcdefgh" for n in range(60)]
    many = [contract_named(names), everywhere(names[: BATCH + 5])]  # so many that files are cut
    for contract in [*contracts, *map(of_a_server, HARMLESS), *many]:
        for path, allowed_parts in parts(build_package(contract, product)).items():
            result.setdefault(path, set()).update(allowed_parts)
    return {path: sorted(found) for path, found in result.items()}


def unseen(text: str) -> set[str]:
    return {
        ascii(char)
        for char in set(text) - {"\n"}
        if unicodedata.category(char) in UNSEEN or ord(char) in IGNORABLE
    }


def check(names: list[str], product: str, folder: Path) -> None:
    """Generate packages with hostile strings in every position, and check that the strings stay
    inert text.
    """
    packages = [build_package(everywhere(texts), product) for texts in batches(names)]
    some = names[:: 1 if IS_ALL else len(names) // 15 + 1]
    packages += [build_package(of_a_server(PAYLOADS[name]), product) for name in some]
    for number, package in enumerate(packages):
        is_of_the_expected_parts(package, product)
        lay(package, folder / f"hostile_{number}")
    lay(build_package(everywhere(HARMLESS), product), folder / "harmless")
    assert run_watched(folder) == {"done": [], "imported": []}


def is_of_the_expected_parts(package: Made, product: str) -> None:
    allowed_parts = harmless(product)
    for path, actual in parts(package).items():
        assert actual <= allowed_parts[path], (
            package.package,
            path,
            sorted(actual - allowed_parts[path])[:3],
        )
    for path, text in package.files.items():
        assert path.rpartition("/")[2] in DATA or not unseen(text), (path, unseen(text))


def lay(package: Made, folder: Path) -> None:
    """Write the importable files: everything except tests and `__main__.py`, which import by
    name.
    """
    own = {path: text for path, text in package.files.items() if not path.startswith("tests/")}
    own.pop("__main__.py", None)
    write(own, folder)


def run_watched(folder: Path) -> object:
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


@pytest.mark.slow
@pytest.mark.parametrize("product", PRODUCTS)
def test_hostile_texts_stay_text(product: str, tmp_path: Path) -> None:
    share = 1 if IS_ALL else 48 if product == "server" else 12 * len(STYLES)
    check(sorted(PAYLOADS)[PRODUCTS.index(product) % share :: share], product, tmp_path)


@cache
def identifiers() -> frozenset[str]:
    """Return every name that a generated package uses for itself, and some of its runtime's."""
    own: set[str] = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist}
    runtime: set[str] = set()
    packages = [build_package(everywhere(["plain"]), product) for product in PRODUCTS]
    for path, text in (file for package in packages for file in package.files.items()):
        if path.endswith(".py"):
            own.update(names_of(text))
    for module in Path(mcpgen_runtime.__file__).parent.rglob("*.py"):
        runtime.update(names_of(module.read_text("utf-8")))
    return frozenset(own | {*sorted(runtime)[:: 1 if IS_ALL else 12]})


def names_of(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        for field in ("id", "attr", "arg", "name", "asname"):
            name = getattr(node, field, None)
            if isinstance(name, str) and "." not in name:
                yield name


@pytest.mark.slow
@pytest.mark.parametrize("product", ["dataclass", "server"])
def test_server_may_use_every_internal_name(product: str, tmp_path: Path) -> None:
    names = sorted(identifiers())
    assert {"blocking", "abstractmethod", "TOOL", "SyncClient"} <= {*names}
    clients = [name for name in names if name.endswith(("Client", "Prompts", "Resources", "Face"))]
    package = build_package(contract_named(names), product)
    is_of_the_expected_parts(package, product)
    lay(package, tmp_path / "all")
    some = clients[:: 1 if IS_ALL else 5]
    for name in ["str", "tool", "name", *some, *(name[:4] for name in some)]:
        is_of_the_expected_parts(build_package(of_a_server(name), product), product)
    lay(build_package(everywhere(HARMLESS), product), tmp_path / "harmless")
    assert run_watched(tmp_path) == {"done": [], "imported": []}


@pytest.mark.parametrize("text", sorted(PAYLOADS.values())[::11], ids=ascii)
def test_invalid_pins_are_ignored(text: str) -> None:
    names = naming.methods(["a", "b"], {"a": text, "b": text})
    assert len(set(names.values())) == 2
    for name in names.values():
        assert isinstance(ast.parse(name).body[0], ast.Expr)
        assert name not in reserved_names.METHODS


PINS = [
    "../../x",
    "x): pass\n    def y(self",
    "__class__",
    "class",
    "call",
    "\uff58",
    "X",
    "",
    "\u1160",
    "x\ufe00",
]


@pytest.mark.parametrize("pin", PINS, ids=ascii)
def test_contract_cannot_pin_an_invalid_name(pin: str) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    package = generate(read({"tools": tools, "names": {"a": pin}}))
    assert package.tools == ("a",)
    assert "models/a.py" in package.files


def test_non_json_number_skips_only_its_tool() -> None:
    bad = {"name": "bad", "inputSchema": {"type": "object", "minProperties": float("inf")}}
    package = generate(read({"tools": [bad, {"name": "a", "inputSchema": {"type": "object"}}]}))
    assert package.tools == ("a",)


def test_non_json_number_drops_only_its_property() -> None:
    document = {"tools": [], "server": {"name": "x", "size": float("nan")}, "revision": "1"}
    contract = read(document)
    assert (contract.server, contract.revision) == ({}, "1")
    (notice,) = left_out(document)
    assert notice.pointer == "/server"
    assert "a number that JSON doesn't have" in notice.reason


@pytest.mark.slow
def test_the_fuzzer_runs_and_says_how_fast() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "fuzz.py"), "--seconds", "3", "--seed", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cases/s" in run.stdout, run.stderr[-2000:]
