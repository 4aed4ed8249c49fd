"""Types that differ only in descriptions share one class. Tool names don't depend on other
tools.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from checkers import slug
from shared_classes import (
    ALL,
    SERVERS,
    contract,
    meanings,
    needs_corpus,
    parts,
    sides,
    titled_contract,
)

from mcpgen.codegen import naming
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import Style
from mcpgen.codegen.plan.sharing import Groups
from mcpgen.codegen.plan.tool_types import (
    RESULT,
    SchemaLocation,
)


def resolve_names(files: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the class behind each name in each models module, as `module.Class`."""
    resolved: dict[tuple[str, str], str] = {}
    modules = {p: t for p, t in files.items() if p.startswith("models/") and "__init__" not in p}
    # Split-off modules come before their origin, shared modules before those of tools.
    for path in sorted(modules, key=lambda p: ("shared" not in p, "_parts" not in p, p)):
        module = Path(path).stem
        for statement in ast.parse(files[path]).body:
            source = str(getattr(statement, "module", "")).rpartition(".")[2]
            if isinstance(statement, ast.ImportFrom) and source.startswith("shared"):
                for alias in statement.names:
                    resolved[module, alias.name] = resolved[source, alias.name]
            elif isinstance(statement, ast.ClassDef):
                resolved[module, statement.name] = f"{module}.{statement.name}"
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                name, value = assignment(statement)
                is_alias = isinstance(value, ast.Name) and (module, value.id) in resolved
                resolved[module, name] = (
                    resolved[module, ast.unparse(value)] if is_alias else f"{module}.{name}"
                )
    return resolved


def assignment(statement: ast.Assign | ast.AnnAssign) -> tuple[str, ast.expr]:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    assert isinstance(target, ast.Name)
    assert statement.value is not None
    return target.id, statement.value


@pytest.mark.sampled(2)
@needs_corpus
@pytest.mark.parametrize("style", STYLES if ALL else STYLES[:1])
@pytest.mark.parametrize("server", SERVERS)
def test_nested_classes_are_distinct_and_have_one_type(server: str, style: Style) -> None:
    files = generate(contract(server), Options(name=slug(server), style=style)).files
    names = naming.methods(contract(server).tools, contract(server).names)
    resolved = resolve_names(files)
    classes: dict[tuple[str, int], set[str]] = {}
    types: dict[str, set[tuple[str, int]]] = {}
    for location, tool_type in parts(sides(server)):
        own = resolved[naming.module(names[location.tool]), tool_type.names[location.pointer]]
        types.setdefault(own, set()).add(meanings(server)[location])
        if location.pointer:
            classes.setdefault(meanings(server)[location], set()).add(own)
    assert next((own for own, expected in types.items() if len(expected) > 1), "") == ""
    assert next((entry for entry in classes.values() if len(entry) > 1), set()) == set()


def test_method_returns_a_class_of_its_own_tool() -> None:
    files = generate(
        titled_contract({"search": "estimatesOutput", "news": "newsOutput"}), Options()
    ).files
    assert ") -> models.SearchOutput" in files["client.py"]
    assert ") -> models.NewsOutput" in files["client.py"]
    assert "class SearchOutput(" in files["models/search.py"]
    assert "\nEstimatesOutput: TypeAlias = SearchOutput" in files["models/search.py"]


@needs_corpus
@pytest.mark.parametrize("server", SERVERS)
def test_every_method_returns_its_own_name(server: str) -> None:
    types = Groups.from_sides(sides(server)).with_names({})
    for tool, (_, own) in types.types_by_tool.items():
        if own is not None:
            assert types.known_as(SchemaLocation(tool, RESULT, "")) == own.names[""]
