"""Rewrites a script for a type checker, so that it sees more errors.

A checker infers ``dict[str, str | int]`` for a dict in a variable, and loses its keys. So if such a
variable is an argument, it is replaced by the dict itself. In addition to ``found.get("totl")`` it
sees ``found["totl"]``, whose key it checks. The rewritten code never runs, and columns refer to the
script.
"""

from __future__ import annotations

import ast
from bisect import insort
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from mcpgen.scripting.syntax import column, last_name

_DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.ListComp, ast.DictComp)
_HARMLESS = frozenset({"get", "keys", "items", "values", "copy", "index", "count"})
_DEEPEST = 5


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A replacement of ``old`` characters in a line. A probe counts for one rule only."""

    line: int
    column: int
    old: int
    new: str
    is_probe: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A rewritten script for a type checker."""

    text: str
    edits: dict[int, list[Edit]] = field(default_factory=dict[int, "list[Edit]"])
    tested: frozenset[str] = frozenset()
    """The keys that the script tests, by ``.get("key")`` or ``"key" in``."""

    def is_tested(self, key: str) -> bool:
        """Return True if the script tests somewhere whether an object has a key."""
        return key in self.tested

    def place(self, line: int, column: int) -> tuple[int, Edit | None]:
        """Map a column of the rewritten script to the original, with its edit."""
        shift = 0
        for edit in self.edits.get(line, []):
            start = edit.column + shift
            if column < start:
                break
            if column < start + len(edit.new):
                return edit.column, edit
            shift += len(edit.new) - edit.old
        return column - shift, None


def read(text: str, tree: ast.Module, functions: Collection[str]) -> Reading:
    """Rewrite a script that calls these functions."""
    lines = text.split("\n")
    edits: dict[int, list[Edit]] = {}
    for edit in _edits(tree, functions, lines):
        insort(edits.setdefault(edit.line, []), edit)
    for number, several in edits.items():
        line, offset, parts = lines[number - 1], 0, list[str]()
        for edit in several:
            parts += [line[offset : edit.column - 1], edit.new]
            offset = edit.column - 1 + edit.old
        lines[number - 1] = "".join([*parts, line[offset:]])
    return Reading("\n".join(lines), edits, frozenset(_tested_keys(tree)))


def _tested_keys(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        key: ast.expr | None = None
        if isinstance(node, ast.Call) and last_name(node) == "get" and node.args:
            key = node.args[0]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            key = node.left
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _conditions(tree: ast.Module) -> set[int]:
    """Return the IDs of the expressions that conditions test."""
    result: set[int] = set()

    def collect(node: ast.expr) -> None:
        result.add(id(node))
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                collect(value)
        elif isinstance(node, ast.UnaryOp):
            collect(node.operand)
        elif isinstance(node, ast.Compare):
            for value in (node.left, *node.comparators):
                collect(value)

    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            collect(node.test)
        elif isinstance(node, ast.comprehension):
            for item in node.ifs:
                collect(item)
        elif isinstance(node, ast.BoolOp):
            collect(node)
    return result


def _edits(tree: ast.Module, functions: Collection[str], lines: list[str]) -> Iterator[Edit]:
    scopes = _Scopes()
    scopes.visit(tree)
    replaced: set[int] = set()
    conditions = _conditions(tree)
    for call, scope in scopes.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get":
            yield from _narrowing(call, lines) if id(call) in conditions else _probe(call, lines)
        elif last_name(call) in functions:
            for keyword in call.keywords:
                for name in ast.walk(keyword.value):
                    if not isinstance(name, ast.Name) or id(name) in replaced:
                        continue
                    replaced.add(id(name))
                    if value := scopes.display(name.id, scope, _DEEPEST):
                        start = column(lines[name.lineno - 1], name.col_offset)
                        yield Edit(name.lineno, start, len(name.id), ast.unparse(value))


def _narrowing(call: ast.Call, lines: list[str]) -> Iterator[Edit]:
    """Replace ``x.get("name")`` by ``x["name"]``, which a checker can narrow."""
    assert isinstance(call.func, ast.Attribute)
    key = call.args[0] if len(call.args) == 1 and not call.keywords else None
    is_plain = isinstance(call.func.value, ast.Name | ast.Subscript | ast.Attribute)
    if not is_plain or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        yield from _probe(call, lines)
    elif call.lineno == call.end_lineno and call.end_col_offset is not None:
        start = column(lines[call.lineno - 1], call.col_offset)
        end = column(lines[call.lineno - 1], call.end_col_offset)
        text = ast.unparse(ast.Subscript(call.func.value, key, ast.Load()))
        yield Edit(call.lineno, start, end - start, text)


def _probe(call: ast.Call, lines: list[str]) -> Iterator[Edit]:
    """Add ``x["name"]`` to ``x.get("name")``."""
    assert isinstance(call.func, ast.Attribute)
    key = call.args[0] if call.args else None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return
    if any(isinstance(node, ast.Await) for node in ast.walk(call.func.value)):
        return
    assert call.end_lineno is not None
    assert call.end_col_offset is not None
    start = column(lines[call.lineno - 1], call.col_offset)
    end = column(lines[call.end_lineno - 1], call.end_col_offset)
    probe = ast.unparse(ast.Subscript(call.func.value, key, ast.Load()))
    yield Edit(call.lineno, start, 0, "(")
    yield Edit(call.end_lineno, end, 0, f", {probe})[0]", is_probe=True)


class _Scopes(ast.NodeVisitor):
    """Collects the calls of a script, and the variables with one display that never change."""

    def __init__(self) -> None:
        self.calls: list[tuple[ast.Call, ast.AST | None]] = []
        self.scope: ast.AST | None = None
        self.bound: dict[str, list[tuple[ast.AST | None, ast.expr | None]]] = {}
        self.changed: set[str] = set()

    def display(self, name: str, scope: ast.AST | None, depth: int) -> ast.expr | None:
        """Return the display of a variable, with the variables in it replaced, too."""
        bindings = self.bound.get(name, [])
        if len(bindings) != 1 or name in self.changed or not depth:
            return None
        [(where, value)] = bindings
        if value is None or where is not scope:
            return None
        inlined: ast.expr = _Inlined(self, scope, depth - 1).visit(_copy(value))
        return inlined

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, None)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self._bind(argument.arg, None)
        outer, self.scope = self.scope, node
        self.generic_visit(node)
        self.scope = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the names that ast wants

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            is_display = isinstance(node.value, _DISPLAYS) and not any(
                isinstance(item, ast.Await) for item in ast.walk(node.value)
            )
            self._bind(target.id, node.value if is_display else None)
            self.visit(node.value)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.attr not in _HARMLESS:
            self.changed.add(node.value.id)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and not isinstance(node.ctx, ast.Load):
            self.changed.add(node.value.id)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.calls.append((node, self.scope))
        self.generic_visit(node)

    def _bind(self, name: str, value: ast.expr | None) -> None:
        self.bound.setdefault(name, []).append((self.scope, value))


class _Inlined(ast.NodeTransformer):
    """Replaces variables by their displays."""

    def __init__(self, scopes: _Scopes, scope: ast.AST | None, depth: int) -> None:
        self.scopes, self.scope, self.depth = scopes, scope, depth

    def visit_Name(self, node: ast.Name) -> ast.expr:
        is_read = isinstance(node.ctx, ast.Load)
        value = self.scopes.display(node.id, self.scope, self.depth) if is_read else None
        return value or node


def _copy(value: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(value), mode="eval").body
