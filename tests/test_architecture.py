"""The table of folders in docs/architecture.md, in a form that can fail."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from paths import ROOT

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
MOST_FOLDERS = 23

ROW = re.compile(
    r"^\| `(?P<folder>\w+)/` \|[^|]*\|(?P<modules>[^|]*)\|(?P<libraries>[^|]*)\|$", re.M
)
TABLE = ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))


def listed() -> list[str]:
    """Return the modules in the order of the table, by their dotted names below mcpgen."""
    return [
        ".".join([*([folder] if folder != "mcpgen" else []), *name.split("/")])
        for folder, modules, _ in TABLE
        for name in re.findall(r"`([\w/]+)`", modules)
    ]


ORDER = {name: place for place, name in enumerate(listed())}


def dotted(module: Path) -> str:
    """Return the dotted name of a module below mcpgen, that of its folder for ``__init__``."""
    return ".".join(module.with_suffix("").parts).removesuffix("__init__").rstrip(".")


def place(name: str) -> float | None:
    """Return the place of a module in the order; a package stands behind the last one in it."""
    if name in ORDER:
        return ORDER[name]
    within = [at for other, at in ORDER.items() if other.startswith(f"{name}.")]
    return max(within) + 0.5 if within and (PACKAGE / name.replace(".", "/")).is_dir() else None


@cache
def imports(module: Path) -> tuple[str, ...]:
    """Return the dotted names a module imports, anywhere in it."""
    return tuple(_imports(module))


def _imports(module: Path) -> Iterator[str]:
    package = ["mcpgen", *module.parts[:-1]]
    for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            argument = node.args[0] if called == "import_module" and node.args else None
            if isinstance(argument, ast.Constant):
                yield str(argument.value)


def imported_modules(module: Path) -> set[str]:
    """Return the modules of mcpgen that a module imports; of nested names the longest counts."""
    names: set[str] = set()
    for name in imports(module):
        head, _, rest = name.partition(".")
        while head == "mcpgen" and rest and place(rest) is None:
            rest = rest.rpartition(".")[0]
        if head == "mcpgen" and rest:
            names.add(rest)
    return names - {dotted(module)}


def top(module: Path) -> str:
    """Return the folder of a module, ``mcpgen`` for those that stand in no other."""
    return module.parts[0] if len(module.parts) > 1 else "mcpgen"


def test_the_table_lists_every_module_once() -> None:
    names = listed()
    assert len(names) == len(set(names))
    inits = {dotted(module) for module in MODULES if module.name == "__init__.py"}
    assert set(names) == {dotted(module) for module in MODULES} - inits - {"__main__"}


def test_there_are_few_folders() -> None:
    folders = {module.parts[0] for module in MODULES if len(module.parts) > 1}
    assert len(folders) <= MOST_FOLDERS
    assert folders == {folder for folder, _, _ in TABLE} - {"mcpgen"}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_imports_only_what_stands_before_it(module: Path) -> None:
    if module.name == "__main__.py" or module == Path("__init__.py"):
        return
    own = place(dotted(module))
    assert own is not None
    later = {name for name in imported_modules(module) if (place(name) or 0) >= own}
    assert later == set()


def test_the_demo_needs_nothing_of_mcpgen() -> None:
    assert imported_modules(Path("demo.py")) == set()


LIBRARIES = sorted({name for *_, owned in TABLE for name in re.findall(r"`(\w+)`", owned)})
OWNERS = {
    library: {folder for folder, _, owned in TABLE if f"`{library}`" in owned}
    for library in LIBRARIES
}


def libraries(module: Path) -> set[str]:
    names = {name.partition(".")[0] for name in imports(module) if not name.startswith("tomllib")}
    return names - {"mcpgen", "mcpgen_runtime", "__future__", ""} - sys.stdlib_module_names


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_library_is_imported_by_its_owners_alone(module: Path) -> None:
    assert {
        name for name in libraries(module) if top(module) not in OWNERS.get(name, set())
    } == set()


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_owner_of_a_library_uses_it(library: str) -> None:
    assert OWNERS[library] == {top(each) for each in MODULES if library in libraries(each)}


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
    # Only a server in a file is imported, to be asked, and our own runtime, to ask a person. Else
    # what is imported is named there.
    dynamic = {
        dotted(module)
        for module in MODULES
        for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _is_import_of_a_variable(node)
    }
    assert dynamic <= {"cli.app", "recording.in_process", "shell.person"}


def _is_import_of_a_variable(call: ast.Call) -> bool:
    names = {"import_module", "run_path", "run_module", "spec_from_file_location", "__import__"}
    called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return called in names and not (call.args and isinstance(call.args[0], ast.Constant))
