"""Type-checks code for the old client against the new one. If a change is called compatible for
code, the code must still pass. It calls each tool with arguments of the declared types,
creates each argument class, and reads each property of each result class into a variable of
its declared type.
"""

from __future__ import annotations

import ast
import copy
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from paths import CACHE
from schema_changes import change_schema, hoist_definitions, schema
from schema_mutations import PAIRS, WHOLES, member
from shared_texts import locked

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import class_names, sharing
from mcpgen.compare import RULES, Audience, Severity, compare
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas

NAME = "old_client"
Case = tuple[Json, Json]
LIBRARIES = CACHE / "mypy" / "changed_clients"
"""mypy's cache. Only the first run reads the libraries."""
SEEDS = int(os.environ.get("MCPGEN_CHANGES", "25"))
"""How many random changes are tried on each side."""


@pytest.fixture(autouse=True)
def _own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent shared types: the tools are in one package only so that they are checked at once."""
    monkeypatch.setattr(sharing, "_is_in_two_tools", lambda _: False)
    monkeypatch.setattr(class_names.ClassNames, "from_schemas", lambda *_: {})


def contract(schemas: list[Json], direction: str) -> Contract:
    """Return a contract with one tool per schema, as its input or output schema."""
    free: Json = {"type": "object"}
    return Contract(
        {
            f"t{n}": {"name": f"t{n}", "inputSchema": free, direction: raw}
            for n, raw in enumerate(schemas)
        }
    )


def write_client(folder: Path, recorded_contract: Contract) -> Path:
    """Write a client, always under the same package name."""
    for path, text in generate(recorded_contract, Options(name=NAME)).files.items():
        target = folder / NAME / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def annotation_text(node: ast.expr | None) -> str:
    """Return an annotation without the MISSING default, which callers never pass."""
    return re.sub(r" \| MISSING$", "", ast.unparse(node)) if node else "Any"


def rewrite_imports(tree: ast.Module, package: str, models: str = "") -> Iterator[str]:
    """Yield the imports of a module for use outside it, limited to the models of one tool."""
    guarded = [node for item in tree.body if isinstance(item, ast.If) for node in item.body]
    for node in (*tree.body, *guarded):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            steps = package.split(".")[: len(package.split(".")) + 1 - node.level]
            inside = [node.module] if node.module else []
            module = ".".join([*steps, *inside]) if node.level else str(node.module)
            if ".models." in module and not module.endswith(f".{models}"):
                continue
            names = [alias.name for alias in node.names]
            yield from (f"from {module} import {name} as {name}" for name in names)


def uses_of_models(package: Path, tool: str) -> Iterator[str]:
    """Yield code that creates argument classes and reads result classes."""
    tree = ast.parse((package / "models" / f"{tool}.py").read_text(encoding="utf-8"))
    yield from rewrite_imports(tree, f"{NAME}.models")
    named = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.AnnAssign)]
    for node in named:
        name = node.name if isinstance(node, ast.ClassDef) else ast.unparse(node.target)
        if name[:1].isupper() and name.startswith(tool.upper()):
            yield f"from {NAME}.models.{tool} import {name} as {name}"
    for node in named:
        if isinstance(node, ast.ClassDef):
            fields = [
                (ast.unparse(item.target), annotation_text(item.annotation), item.value is None)
                for item in node.body
                if isinstance(item, ast.AnnAssign)
            ]
            yield from (make if "Input" in node.name else read)(node.name, fields)


def make(name: str, fields: list[tuple[str, str, bool]]) -> Iterator[str]:
    used = ", ".join(f"{field}: {kind}" for field, kind, _ in fields)
    yield f"def make_{name}({used}) -> None:"
    yield f"    {name}({', '.join(f'{field}={field}' for field, *_ in fields)})"
    needed = [field for field, _, required in fields if required]
    yield f"    {name}({', '.join(f'{field}={field}' for field in needed)})"


def read(name: str, fields: list[tuple[str, str, bool]]) -> Iterator[str]:
    yield f"def read_{name}(value: {name}) -> None:"
    yield from (f"    v{n}: {kind} = value.{field}" for n, (field, kind, _) in enumerate(fields))
    yield "    return"


def methods(package: Path) -> dict[str, tuple[ast.AsyncFunctionDef, ast.Module, str]]:
    """Return the methods of a client, in `client.py` or the classes that it inherits from."""
    result: dict[str, tuple[ast.AsyncFunctionDef, ast.Module, str]] = {}
    for path in (package / "client.py", *sorted(package.glob("tools/*.py"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        folder = ".".join(path.parent.relative_to(package.parent).parts)
        for client in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            for node in client.body:
                if isinstance(node, ast.AsyncFunctionDef):
                    result.setdefault(node.name, (node, tree, folder))
    return result


def uses_of_method(client: str, method: ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield code that calls a method with all its arguments, and with those it needs."""
    tool = method.name
    pairs = zip(method.args.kwonlyargs, method.args.kw_defaults, strict=True)
    keywords = [(arg.arg, annotation_text(arg.annotation), value is None) for arg, value in pairs]
    used = ", ".join(["client: Client", *(f"{name}: {kind}" for name, kind, _ in keywords)])
    passed = ", ".join(f"{name}={name}" for name, *_ in keywords)
    yield f"from {NAME}.client import {client} as Client"
    yield f"async def call_{tool}({used}) -> None:"
    yield f"    result: {annotation_text(method.returns)} = await client.{tool}({passed})"
    needed = ", ".join(f"{name}={name}" for name, _, required in keywords if required)
    yield f"    await client.{tool}({needed})"


def write_uses(folder: Path, package: Path, tools: int) -> list[str]:
    """Write into a folder a module of code for each tool, as a package has it."""
    module = ast.parse((package / "client.py").read_text(encoding="utf-8"))
    client = next(node.name for node in module.body if isinstance(node, ast.ClassDef))
    defined = methods(package)
    files: list[str] = []
    for n in range(tools):
        tool = f"t{n}"
        method, tree, inside = defined[tool]
        lines = ["from typing import Any", *rewrite_imports(tree, inside, tool)]
        lines += [*uses_of_models(package, tool), *uses_of_method(client, method)]
        (folder / f"use_{tool}.py").write_text("\n".join([*lines, ""]), encoding="utf-8")
        files.append(f"use_{tool}.py")
    return files


def failing(folder: Path, files: list[str]) -> dict[str, list[str]]:
    """Type-check files against the client in a folder and return the errors by tool."""
    from mypy import api

    before, levels = Path.cwd(), sys.getrecursionlimit()
    os.chdir(folder)
    try:
        options = ["--cache-dir", str(LIBRARIES), "--no-error-summary", "--follow-imports=silent"]
        with locked(LIBRARIES):
            output, problems, _ = api.run([*options, "--ignore-missing-imports", *files])
    finally:
        os.chdir(before)
        sys.setrecursionlimit(levels)  # mypy leaves it raised for all later tests
    assert problems == ""
    result: dict[str, list[str]] = {}
    for line in output.splitlines():
        match = re.match(r"use_(t\d+)\.py:\d+: error: (.*)", line)
        if match:
            result.setdefault(match[1], []).append(match[2])
        else:
            assert ": note: " in line, line
    return result


def random_case(seed: int) -> Case:
    """Return a schema and a changed copy. Half of them have definitions."""
    random = Random(seed)
    raw = schema(random)
    definitions: dict[str, Json] = {}
    inner = hoist_definitions(raw, random, definitions) if random.random() < 0.5 else raw
    old = member(inner, required=random.random() < 0.5)
    if definitions:
        old["$defs"] = definitions
    new = change_schema(old, random)
    return copy.deepcopy(old), {**new, "type": "object"}


def cases() -> list[Case]:
    """Return the changes of the tables and random ones, for usable schemas."""
    listed: list[Case] = [(member(old), member(new)) for old, new, *_ in PAIRS.values()]
    listed += [(old, new) for old, new, *_ in WHOLES.values()]
    listed += map(random_case, range(SEEDS))
    return [case for case in listed if not any(map(schemas.problem, case))]


def is_compatible(old: Contract, new: Contract, tool: str) -> bool:
    """Return True if no finding warns that code that calls a tool may fail to type-check.

    I31 only warns: few programs pass arguments to a tool that names none.
    """
    parts = [Contract({tool: item.tools[tool]}) for item in (old, new)]
    rules = {change.rule for change in compare(*parts)}
    levels = [RULES[rule].levels.get(Audience.SOURCE) for rule in rules]
    return Severity.BREAKING not in levels and "I31" not in rules


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["inputSchema", "outputSchema"])
def test_code_compatible_changes_pass_type_checks(tmp_path: Path, direction: str) -> None:
    listed = cases()
    old, new = (contract([case[n] for case in listed], direction) for n in (0, 1))
    folders = [write_client(tmp_path / name, item) for name, item in (("old", old), ("new", new))]
    for folder in folders:
        files = write_uses(folder, folders[0] / NAME, len(listed))
    assert failing(folders[0], files) == {}
    broken = failing(folders[1], files)
    compatible = {tool for tool in old.tools if is_compatible(old, new, tool)}
    wrong = {t: (listed[int(t[1:])], broken[t]) for t in sorted(compatible & broken.keys())}
    assert wrong == {}
    assert len(broken) > len(listed) / 10
    assert len(compatible) > len(listed) / 2
