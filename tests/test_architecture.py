"""The architecture, as docs/architecture.md states it, in a form that can fail."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

# A part imports only what stands above it.
LAYERS = [
    "errors",
    "isolation",
    "jsontext",
    "contract",
    "needs",
    "resources",
    "seal",
    "python",
    "cache",
    "places",
    "plain",
    "bounded",
    "wire",
    "law",
    "oddities",
    "headers",
    "uris",
    "members",
    "caveats",
    "capabilities",
    "official",
    "examples",
    "api",
    "shape",
    "naming",
    "literal",
    "plan",
    "render",
    "guard",
    "layout",
    "swap",
    "journal",
    "output",
    "author",
    "protocol",
    "pipeline",
    "compare",
    "project",
    "source",
    "live",
    "mock",
    "cli",
    "hatch",
]

# A library is imported by its owners alone. The demo is an example that stands for itself.
OWNERS = {
    "jsonschema": {"official", "bounded", "law", "demo"},
    "referencing": {"bounded", "official", "law"},
    "jinja2": {"render"},
    "libcst": {"author"},
    "black": {"layout"},
    "datamodel_code_generator": {"protocol"},
    "mcp": {"wire", "live", "demo", "mock"},
    "mcp_types": set[str](),
    "click": {"cli"},
    "rfc8785": {"jsontext"},
    "hatchling": {"project"},
    "filelock": {"files"},
    "platformdirs": {"files"},
    "tomlkit": {"project"},
    "tomllib": {"files"},
    "tomli": {"files"},
    # What a type checker cannot see of a system is behind one module.
    "ctypes": {"files"},
    "uvicorn": {"demo", "mock"},
}

OUTSIDE = {"__init__", "__main__", "demo"}
HEAVY = [
    "mcp",
    "mcp_types",
    "datamodel_code_generator",
    "black",
    "jsonschema",
    "jinja2",
    "libcst",
    "pydantic",
]

PACKAGE = ROOT / "mcpgen"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def part(module: Path) -> str:
    """Return the first name below mcpgen: a module, or a package with all that is in it."""
    return module.parts[0].removesuffix(".py")


def imports(module: Path) -> Iterator[str]:
    """Return the dotted names a module imports, anywhere in it."""
    package = ["mcpgen", *module.parts[:-1]]
    for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            named = node.args[0] if node.func.id == "import_module" else None
            if isinstance(named, ast.Constant):
                yield str(named.value)


def used_parts(module: Path) -> set[str]:
    ours = [name.split(".") for name in imports(module) if name.split(".")[0] == "mcpgen"]
    return {name[1] for name in ours if len(name) > 1} - {part(module), "__version__"}


def test_every_part_has_its_place_in_the_order() -> None:
    assert {part(module) for module in MODULES} - OUTSIDE <= set(LAYERS)


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_part_imports_only_what_stands_above_it(module: Path) -> None:
    if part(module) in OUTSIDE:
        return
    above = LAYERS[: LAYERS.index(part(module))]
    assert used_parts(module) <= set(above)


def test_the_demo_needs_nothing_of_mcpgen() -> None:
    assert used_parts(Path("demo.py")) == set()


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_is_imported_by_its_owners_alone(library: str) -> None:
    users = {
        part(module)
        for module in MODULES
        if any(name.split(".")[0] == library for name in imports(module))
    }
    assert users <= OWNERS[library]


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    code = f"import sys, mcpgen.cli; print([name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_generating_asks_nothing_of_the_network_or_the_sdk() -> None:
    code = (
        "import sys; from mcpgen.contract.document import Contract\n"
        "from mcpgen.codegen.pipeline import Options, generate\n"
        "generate(Contract(tools={}), Options())\n"
        "print([name for name in ('mcp', 'httpx2', 'ssl') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_generator_never_imports_what_it_wrote() -> None:
    # Commands are loaded by name, as are jsonschema and PyYAML, which have no types; a server in a
    # file is imported to be asked.
    allowed = {"bounded", "cli", "live", "source"}
    dynamic = {
        part(module)
        for module in MODULES
        for name in imports(module)
        if name.split(".")[0] in ("importlib", "runpy") and name != "importlib.metadata"
    }
    assert dynamic - {"resources"} <= allowed
