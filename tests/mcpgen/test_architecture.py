"""Checks of the code's structure beyond the contracts of import-linter in pyproject.toml."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from paths import ROOT

from mcpgen.files import toml

PACKAGE = ROOT / "mcpgen"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# Loaded by the step that needs them, so that the command line starts at once.
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
MOST_FOLDERS = 12
"""The number of rooms that a newcomer can keep in mind. Don't raise it: merge rooms."""


TREES = {PACKAGE: "mcpgen", ROOT / "runtime" / "src" / "mcpgen_runtime": "runtime"}
SHORT = 60
"""Modules of at most so many lines need no test file of their own."""


def output_of(code: str) -> str:
    """Run code in a fresh interpreter, and return its output."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_mcpgen_has_few_folders() -> None:
    assert len({module.parts[0] for module in MODULES if len(module.parts) > 1}) <= MOST_FOLDERS


def test_at_least_half_of_the_modules_have_a_test_file_at_their_path() -> None:
    mirrored = []
    for tree, tests in TREES.items():
        for path in tree.rglob("*.py"):
            if path.name != "__init__.py" and len(path.read_text("utf-8").splitlines()) > SHORT:
                folder = ROOT / "tests" / tests / path.relative_to(tree).parent
                mirrored.append((folder / f"test_{path.name}").is_file())
    assert sum(mirrored) >= len(mirrored) / 2


def test_the_architecture_page_describes_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    generator = page.partition("## Rooms of the generator")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \|", generator, re.M)
    assert sorted(rows) == sorted({item.parts[0] for item in MODULES if len(item.parts) > 1})


def test_every_dependency_has_an_owner() -> None:
    project = toml.parse_file(ROOT / "pyproject.toml")
    dependencies = {
        re.split(r"[^\w-]", requirement)[0].replace("-", "_")
        for requirement in project["project"]["dependencies"]
    }
    (contract,) = (
        item
        for item in project["tool"]["importlinter"]["contracts"]
        if item["id"] == "generator-libraries"
    )
    owned = {"pyyaml" if name == "yaml" else name for name in contract["forbidden_modules"]}
    assert dependencies - {"mcpgen_runtime"} <= owned


def test_only_libraries_without_stubs_are_imported_by_name() -> None:
    # Import-linter doesn't see `import_module`.
    imported = {
        str(node.args[0].value)
        for module in MODULES
        for node in _nodes(module)
        if isinstance(node, ast.Call)
        and _name(node) == "import_module"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }
    assert {name for name in imported if not name.startswith("mcpgen.")} <= {"yaml"}


def test_the_command_line_starts_without_heavy_libraries() -> None:
    code = f"import sys, mcpgen.cli; print([name for name in {HEAVY} if name in sys.modules])"
    assert output_of(code) == "[]"


def test_generating_needs_neither_network_nor_sdk() -> None:
    code = (
        "import sys; from mcpgen.contract.document import Contract\n"
        "from mcpgen.codegen.pipeline import Options, generate\n"
        "generate(Contract(tools={}), Options())\n"
        "print([name for name in ('mcp', 'httpx2', 'ssl') if name in sys.modules])"
    )
    assert output_of(code) == "[]"


def test_the_generator_never_imports_its_output() -> None:
    # Imported are commands, a server in a file that is to be recorded, and the runtime's prompts.
    dynamic = {
        ".".join(module.with_suffix("").parts)
        for module in MODULES
        for node in _nodes(module)
        if isinstance(node, ast.Call) and _imports_a_variable(node)
    }
    assert dynamic <= {"cli.app", "servers.recording.in_process", "servers.shell.person"}


IMPORTING = ("import_module", "run_path", "run_module", "spec_from_file_location", "__import__")


def _nodes(module: Path) -> Iterator[ast.AST]:
    """Yield the nodes of a module if it has the name of a function that imports."""
    text = (PACKAGE / module).read_text("utf-8")
    yield from ast.walk(ast.parse(text)) if any(name in text for name in IMPORTING) else ()


def _imports_a_variable(call: ast.Call) -> bool:
    return _name(call) in IMPORTING and not (call.args and isinstance(call.args[0], ast.Constant))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
