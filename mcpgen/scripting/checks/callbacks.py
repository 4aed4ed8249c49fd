"""Finds functions that call a server and are passed to a Python function.

``sorted``, ``map`` and others call their arguments. In the sandbox only the script's own code can
wait for a server.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from mcpgen_runtime.display import model_line

from mcpgen.scripting.surface import EXCEPTIONS, Surface
from mcpgen.scripting.syntax import Finding, attributes, bound_names, column, imports, last_name

RULE = "unsupported-in-sandbox"

# Functions that pass a function on, or call it in a context that may await.
_ALLOWED = frozenset({"partial", "gather", "run"})


def server_callbacks(
    text: str, tree: ast.Module, surfaces: Mapping[str, Surface]
) -> Iterator[Finding]:
    """Yield each argument that calls a server from a function of Python."""
    servers = _ServerCalls(tree, surfaces)
    own = {*bound_names(tree), *attributes(tree), *_ALLOWED}
    lines = text.split("\n")
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or (name := last_name(call)) in own:
            continue
        if isinstance(call.func, ast.Attribute) and servers.is_server(call.func.value):
            continue
        for value in [*call.args, *(keyword.value for keyword in call.keywords)]:
            if servers.is_caller(value):
                yield Finding(
                    value.lineno,
                    column(lines[value.lineno - 1], value.col_offset),
                    RULE,
                    model_line("in the sandbox {} can't call a server", name or "this function"),
                    model_line("use a for loop, or a list comprehension"),
                )


class _ServerCalls:
    """Finds the functions of a script that call a server."""

    def __init__(self, tree: ast.Module, surfaces: Mapping[str, Surface]) -> None:
        self._surfaces = surfaces
        self._imports = dict(imports(tree))
        self._callers = self._synchronous_callers(tree)

    def is_server(self, node: ast.expr) -> bool:
        """Return True for the imported module of a server."""
        return isinstance(node, ast.Name) and self._imports.get(node.id) in self._surfaces

    def is_caller(self, value: ast.expr) -> bool:
        """Return True for a function or a lambda that calls a server."""
        if isinstance(value, ast.Lambda):
            return self._calls_server(value.body, self._callers)
        return self._is_function(value, self._callers)

    def _synchronous_callers(self, tree: ast.Module) -> set[str]:
        """Return the script's synchronous functions that call a server, directly or indirectly."""
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        callers: set[str] = set()
        while True:
            more = {
                function.name
                for function in functions
                if any(self._calls_server(line, callers) for line in function.body)
            }
            if more == callers:
                return callers
            callers = more

    def _calls_server(self, node: ast.AST, callers: Collection[str]) -> bool:
        if isinstance(node, ast.AsyncFunctionDef):
            return False
        if isinstance(node, ast.Call) and self._is_function(node.func, callers):
            return True
        return any(self._calls_server(child, callers) for child in ast.iter_child_nodes(node))

    def _is_function(self, node: ast.expr, callers: Collection[str]) -> bool:
        if isinstance(node, ast.Attribute):
            return self.is_server(node.value) and node.attr not in EXCEPTIONS
        if not isinstance(node, ast.Name):
            return False
        module, _, attribute = self._imports.get(node.id, "").rpartition(":")
        is_imported = module in self._surfaces and attribute not in EXCEPTIONS
        return node.id in callers or is_imported
