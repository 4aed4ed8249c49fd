"""The structure of a generated module without server strings, for comparison."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

# Modules of a package that hold names that a server chose.
_REMOTE = {"models", "shared", "_parts", "client", "base", "tools", "fakes", "_generated"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


def joints(text: str, package: str = "") -> set[str]:
    """Return the parent-child pairs in a module's syntax tree, and the names it relies on. A
    pair gives the child, its field in the parent, and the kind of statement.
    """
    return set(_Reader(package).module(ast.parse(text)))


@dataclass(frozen=True)
class _Reader:
    package: str

    def module(self, tree: ast.Module) -> Iterator[str]:
        names = self._own_names(tree)
        return self._pairs_below(tree, "Module", names, names)

    def _own_names(self, node: ast.Module | ast.ClassDef) -> frozenset[str]:
        """Return the names that a module or class defines itself, excluding imports."""
        names: set[str] = set()
        waiting: list[ast.AST] = list(node.body)
        while waiting:
            part = waiting.pop()
            if isinstance(part, _SCOPES):
                names.add(part.name)
                continue
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names.add(part.id)
            elif isinstance(part, ast.ImportFrom) and self._is_remote(part):
                names |= {alias.asname or alias.name for alias in part.names}
            elif isinstance(part, ast.Import):
                names |= {alias.name for alias in part.names if alias.name == self.package}
            waiting += ast.iter_child_nodes(part)
        return frozenset(names)

    def _is_remote(self, node: ast.ImportFrom) -> bool:
        parts = (node.module or node.names[0].name).split(".")
        if not node.level:
            return parts[0] == self.package
        # A module of types is called as its tool is, one of methods as some of them begin.
        is_named = node.names[0].name == "*" or node.names[0].name.endswith("Methods")
        is_cut = node.level == 1 and parts[-1].rpartition("_")[2].isdecimal()
        return (is_named or is_cut or bool(_REMOTE & {*parts[:2]})) and "_runtime" not in parts

    def _pairs_below(
        self, node: ast.AST, pointer: str, names: frozenset[str], outer: frozenset[str]
    ) -> Iterator[str]:
        """Yield the pairs below a node. ``outer`` are the names visible to functions."""
        own = self._label(node, names)
        around = names
        if isinstance(node, _FUNCTIONS):
            parameters = {item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg)}
            names = outer = outer | parameters
        elif isinstance(node, ast.ClassDef):
            names = outer | self._own_names(node)
        for field, value in ast.iter_fields(node):
            observed = names if field == "body" else around  # as decorators and bases stand outside
            for part in value if isinstance(value, list) else [value]:
                if not isinstance(part, ast.AST) or field == "ctx":
                    continue
                inner = type(part).__name__ if isinstance(part, ast.stmt) else pointer
                yield f"{pointer}: {own}.{field} = {self._label(part, observed)}"
                yield from self._pairs_below(part, inner, observed, outer)

    def _label(self, node: ast.AST, names: frozenset[str]) -> str:
        kind = type(node).__name__
        if isinstance(node, ast.Name):
            return f"{kind} {'_' if node.id in names else node.id}"
        if isinstance(node, ast.Constant):
            return f"{kind} {type(node.value).__name__}"
        if isinstance(node, ast.keyword):
            return f"{kind} {node.arg}"
        if isinstance(node, ast.Attribute):
            of = self._label(node.value, names)
            own = of == "Name _" and node.attr[:2] != "__"
            return f"{kind} {of}.{'_' if own else node.attr}"
        return f"{kind}{self._import_label(node, names)}"

    def _import_label(self, node: ast.AST, names: frozenset[str]) -> str:
        if isinstance(node, ast.ImportFrom):
            if self._is_remote(node):
                return " _"
            # Modules split off from long models are one folder deeper.
            return f" {min(node.level, 2)} {node.module}"
        if isinstance(node, ast.alias):
            name = "_" if node.name in names else node.name
            return f" {name} {'' if node.asname == node.name else node.asname}"
        return ""
