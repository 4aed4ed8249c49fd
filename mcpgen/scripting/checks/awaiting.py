"""Finds calls of async functions without ``await`` that type checkers accept.

A coroutine can be printed, formatted, compared and tested like any value, so the types are correct.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from mcpgen_runtime.display import model_line

from mcpgen.scripting.surface import EXCEPTIONS, Surface
from mcpgen.scripting.syntax import Finding, column, last_name

RULE = "missing-await"

# Functions that read a value. Others, such as gather and append, may pass a coroutine on.
_READING = frozenset(
    "print str repr format len bool int float list tuple set dict sorted sum min max any all"
    " enumerate zip reversed isinstance dumps pprint".split()
)


def missing_awaits(
    text: str, tree: ast.Module, surfaces: Mapping[str, Surface]
) -> Iterator[Finding]:
    """Yield each use of a coroutine as if it were its result."""
    calls = _AsyncCalls(tree, surfaces)
    lines = text.split("\n")
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    variables = _variables(tree, calls, parents)
    returned = set(_returned_calls(tree))
    for node in ast.walk(tree):
        is_variable = isinstance(node, ast.Name) and node.id in variables
        if not is_variable and not calls.is_async(node):
            continue
        if not isinstance(node, ast.expr):
            continue
        if id(node) in returned or _is_read(node, parents.get(id(node))):
            what = "all of these calls" if calls.is_gather(node) else "the call"
            hint = model_line("write await before {}: every function of a server is async", what)
            yield Finding(
                node.lineno,
                column(lines[node.lineno - 1], node.col_offset),
                RULE,
                model_line("a coroutine, not its result"),
                hint,
            )


class _AsyncCalls:
    """The names of a script's async functions: of servers, of asyncio, and its own."""

    def __init__(self, tree: ast.Module, surfaces: Mapping[str, Surface]) -> None:
        self.modules: set[str] = set()
        self.functions: set[str] = set()
        self.gathers: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef):
                self.functions.add(node.name)
            elif isinstance(node, ast.Import):
                self.modules |= {
                    name.asname or name.name for name in node.names if name.name in surfaces
                }
            elif isinstance(node, ast.ImportFrom) and node.module in surfaces:
                names = [name for name in node.names if name.name not in EXCEPTIONS]
                self.functions |= {name.asname or name.name for name in names}
            elif isinstance(node, ast.ImportFrom) and node.module == "asyncio":
                self.gathers |= {e.asname or e.name for e in node.names if e.name == "gather"}

    def is_async(self, node: ast.AST) -> bool:
        """Return True for a call that returns a coroutine or a future."""
        if not isinstance(node, ast.Call):
            return False
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            is_server = function.value.id in self.modules and function.attr not in EXCEPTIONS
            return is_server or self.is_gather(node)
        return isinstance(function, ast.Name) and (
            function.id in self.functions or function.id in self.gathers
        )

    def is_gather(self, node: ast.AST) -> bool:
        """Return True for a call of ``asyncio.gather``."""
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute):
            return function.attr == "gather"
        return isinstance(function, ast.Name) and function.id in self.gathers


def _variables(
    tree: ast.Module, calls: _AsyncCalls, parents: Mapping[int, ast.AST]
) -> Collection[str]:
    """Return the variables that always hold a coroutine and are never awaited."""
    values: dict[str, list[ast.expr | None]] = {}
    awaited: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            values.setdefault(node.arg, []).append(None)
        if not isinstance(node, ast.Name):
            continue
        parent = parents.get(id(node))
        if isinstance(node.ctx, ast.Store):
            is_assigned = isinstance(parent, ast.Assign) and parent.targets == [node]
            values.setdefault(node.id, []).append(
                parent.value if is_assigned and isinstance(parent, ast.Assign) else None
            )
        elif not _is_read(node, parent):
            awaited.add(node.id)  # it may be awaited there
    return {
        name
        for name, assigned in values.items()
        if name not in awaited
        and all(item is not None and calls.is_async(item) for item in assigned)
    }


def _returned_calls(tree: ast.Module) -> Iterator[int]:
    """Yield the IDs of calls that an async function returns. Only ``await await`` uses their
    results.
    """
    if any(
        isinstance(node, ast.Await) and isinstance(node.value, ast.Await) for node in ast.walk(tree)
    ):
        return
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            for node in function.body:
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
                    yield id(node.value)


def _is_read(node: ast.expr, parent: ast.AST | None) -> bool:  # noqa: PLR0911 - one for each kind
    """Return True if the value itself is used here instead of being passed on."""
    if isinstance(parent, ast.FormattedValue | ast.Compare | ast.UnaryOp):
        return True
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.BoolOp):
        return parent.values[-1] is not node
    if isinstance(parent, ast.For | ast.comprehension):
        return parent.iter is node
    if isinstance(parent, ast.Assign):
        return isinstance(parent.targets[0], ast.Tuple | ast.List)
    if isinstance(parent, ast.Call):
        return node in parent.args and last_name(parent) in _READING
    return False
