"""Checks a generated module against an allow-list of syntax nodes, imports and calls.

A second check after ``naming`` and ``escaping``: if remote text became code, nothing is written.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mcpgen.codegen.plan.imports import FACADES, RUNTIME
from mcpgen.errors import BugError

_ALLOWED_MODULES = frozenset(
    "__future__ typing typing_extensions collections.abc pydantic pydantic.dataclasses"
    " mcp.types mcp.server abc".split()
) | {RUNTIME, *(f"{RUNTIME}.{facade}" for facade in FACADES)}
_ALLOWED_CALLS = frozenset(
    "Field ConfigDict dataclass with_config TypeAdapter TypeAliasType TypedDict Tool Whole Numeric"
    " Exactly ByMembers blocking attach attach_package names_of super"
    " build Handler Policy main SystemExit call_former_prompt call_former_resource"
    " call_former_server call_former_tool".split()
)
_ALLOWED_STATEMENTS = (
    ast.ImportFrom,
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.AnnAssign,
    ast.Assign,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.If,
    ast.Pass,
)
_ALLOWED_EXPRESSIONS = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Starred,
    ast.BinOp,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Call,
    ast.Await,
    ast.Compare,
    ast.IfExp,
    ast.JoinedStr,
    ast.FormattedValue,
)


def check(tree: ast.Module, path: str, before: int = 0) -> bool:
    """Reject a module, or the part after ``before`` lines, with code that no template writes.

    Returns True if the module is so simple that Python surely compiles it.
    """
    nodes = _plainly_allowed_nodes(tree)
    if nodes is not None:
        return _surely_compile(nodes, tree)
    for node in ast.walk(tree):
        reason = _forbidden_reason(node)
        if reason:
            line = before + getattr(node, "lineno", 0)
            raise BugError(
                f"the generated module would hold {reason}",
                f"{path}:{line}",
                "please report this contract",
            )
    return False


# Fields with nodes other than statements and expressions.
_LEAVES = {"ctx", "op", "ops", "names", "type_ignores"}
_TEXTS = frozenset("id attr name arg module level kind type_comment simple conversion".split())
_PARTS = (ast.Module, ast.arguments, ast.arg, ast.keyword)
_KINDS: tuple[type[ast.AST], ...] = (*_PARTS, *_ALLOWED_STATEMENTS, *_ALLOWED_EXPRESSIONS)
_FIELDS: dict[type, tuple[str, ...]] = {
    **{kind: tuple(n for n in kind._fields if n not in _LEAVES | _TEXTS) for kind in _KINDS},
    ast.Constant: (),
    type(None): (),
}
"""The fields of each allowed node type that hold statements and expressions."""

_JUDGED = frozenset({ast.ImportFrom, ast.Expr, ast.Call})


def _plainly_allowed_nodes(tree: ast.Module) -> list[ast.AST | None] | None:
    """Return all nodes of a module if it is allowed, otherwise None.

    This is several times as fast as finding the reason.
    """
    nodes: list[ast.AST | None] = [tree]
    fields_of, judged = _FIELDS, _JUDGED
    for node in nodes:  # grows meanwhile
        kind = type(node)
        if kind not in fields_of or (kind in judged and node and _forbidden_reason(node)):
            return None
        for field in fields_of[kind]:
            value = getattr(node, field)
            if type(value) is list:
                nodes += value
            elif value is not None:
                nodes.append(value)
    return nodes


_MOST_NODES = 1_000
"""No syntax tree with so few nodes is too deep to be compiled."""
_SIMPLE = frozenset(
    {type(None), ast.Module, ast.ImportFrom, ast.ClassDef, ast.AnnAssign, ast.Assign, ast.Expr}
    | {ast.If, ast.Pass, ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List}
    | {ast.Dict, ast.Set, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword}
)
"""Nodes of a module of types. Once parsed, it compiles unless :func:`_may_fail` finds a reason."""


def _surely_compile(nodes: Sequence[ast.AST | None], tree: ast.Module) -> bool:
    """Return True for a module of types without anything that only the compiler rejects.

    Nearly all modules are of types. With many tools, compiling them would take a sixth of the time.
    """
    if len(nodes) > _MOST_NODES or not _SIMPLE.issuperset(map(type, nodes)):
        return False
    if any(type(node) is ast.Name and node.id == _CONSTANT for node in nodes):
        return False
    return not any(type(node) in _DOUBTED and _may_fail(node, tree) for node in nodes)


_DOUBTED = frozenset({ast.Attribute, ast.Call, ast.ClassDef, ast.ImportFrom})


def _may_fail(node: ast.AST | None, tree: ast.Module) -> bool:
    """Return True for a node that the compiler may reject although the parser accepts it."""
    if isinstance(node, ast.Attribute):
        return node.attr == _CONSTANT
    if isinstance(node, ast.Call | ast.ClassDef):
        keywords = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
        return _CONSTANT in keywords or len({*keywords}) < len(keywords)
    if isinstance(node, ast.ImportFrom):
        names = [alias.asname or alias.name for alias in node.names]
        is_misplaced = node.module == "__future__" and not _is_first(node, tree)
        return is_misplaced or not {"*", _CONSTANT}.isdisjoint(names)
    return False


_CONSTANT = "__debug__"


def _is_first(node: ast.ImportFrom, tree: ast.Module) -> bool:
    """Return True for ``from __future__ import annotations`` after nothing but a docstring."""
    first = tree.body[0 if ast.get_docstring(tree, clean=False) is None else 1]
    return node is first and [alias.name for alias in node.names] == ["annotations"]


def _forbidden_reason(node: ast.AST) -> str:
    if isinstance(node, ast.stmt) and not isinstance(node, _ALLOWED_STATEMENTS):
        return f"the statement {type(node).__name__}"
    if isinstance(node, ast.expr) and not isinstance(node, _ALLOWED_EXPRESSIONS):
        return f"the expression {type(node).__name__}"
    if isinstance(node, ast.ImportFrom) and not node.level and node.module not in _ALLOWED_MODULES:
        return f"an import of {node.module}"
    if isinstance(node, ast.Expr) and not _is_allowed_statement(node.value):
        return "an expression without use"
    if isinstance(node, ast.Call) and not _is_allowed_call(node.func):
        return f"a call of {ast.unparse(node.func)[:60]}"
    return ""


def _is_allowed_statement(node: ast.expr) -> bool:
    return _is_docstring(node) or _is_typeddict_config(node)


def _is_docstring(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (isinstance(node.value, str) or node.value is ...)


def _is_typeddict_config(node: ast.expr) -> bool:
    """Return True for ``with_config(OPEN)(Name)``, the settings of a functional TypedDict."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call)


def _is_allowed_call(function: ast.expr) -> bool:
    if isinstance(function, ast.Call):  # the result of with_config
        return isinstance(function.func, ast.Name) and function.func.id == "with_config"
    if isinstance(function, ast.Name):
        return (
            function.id in _ALLOWED_CALLS
            or function.id.startswith(("Raw", "Sync"))
            or function.id.endswith(("Prompts", "Resources"))
        )
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "self"
    )
