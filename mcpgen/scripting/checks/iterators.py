"""Finds iterators that are lists in the sandbox, which ``next`` rejects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mcpgen_runtime.display import model_line

from mcpgen.scripting.checks.callbacks import RULE
from mcpgen.scripting.sandbox import Sandbox
from mcpgen.scripting.syntax import Finding, bound_names, column


def eager_iterators(text: str, tree: ast.Module, sandbox: Sandbox) -> Iterator[Finding]:
    """Yield each call of ``next`` whose argument is an iterator in Python only."""
    if "next" in set(bound_names(tree)):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        if not isinstance(node.func, ast.Name) or node.func.id != "next":
            continue
        iterator = _stand_in(_assigned_value(tree, node.args[0]))
        if iterator and sandbox.error(f"next({iterator})"):
            yield Finding(
                node.lineno,
                column(lines[node.lineno - 1], node.col_offset),
                RULE,
                model_line("the sandbox makes a list of this, and next() needs an iterator"),
                model_line("write next(iter(...)), with the same expression inside iter()"),
            )


def _assigned_value(tree: ast.Module, node: ast.expr) -> ast.expr:
    """Return the only expression assigned to a variable, or the node itself."""
    if not isinstance(node, ast.Name):
        return node
    values = [
        item.value
        for item in ast.walk(tree)
        if isinstance(item, ast.Assign)
        and any(isinstance(name, ast.Name) and name.id == node.id for name in item.targets)
    ]
    return values[0] if len(values) == 1 else node


def _stand_in(node: ast.expr) -> str:
    """Return source that makes the same kind of iterator, or "" if the node makes none."""
    if isinstance(node, ast.GeneratorExp):
        return "(a for a in [1])"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ""
    name = node.func.id
    if name in ("map", "filter"):
        return f"{name}(lambda a: a, [1])"
    return f"{name}([1])" if name in ("zip", "enumerate", "reversed", "iter") else ""
