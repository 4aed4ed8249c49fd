"""Checks a generated module against an allow-list of syntax nodes, imports and calls.

A second check after ``naming`` and ``escaping``: if remote text became code, nothing is written.
"""

from __future__ import annotations

import ast

from mcpgen.errors import BugError

_ALLOWED_MODULES = frozenset(
    "__future__ typing typing_extensions collections.abc pydantic pydantic.dataclasses"
    " mcp.types mcp.server abc".split()
)
_ALLOWED_CALLS = frozenset(
    "Field ConfigDict dataclass with_config TypeAdapter TypeAliasType TypedDict Tool Whole Numeric"
    " Exactly blocking attach names_of super"
    " build Handler Policy".split()
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


def check(tree: ast.Module, path: str) -> None:
    """Refuse a generated module that holds anything but what the templates write."""
    for node in ast.walk(tree):
        reason = _forbidden_reason(node)
        if reason:
            line = getattr(node, "lineno", 0)
            raise BugError(
                f"the generated module would hold {reason}",
                f"{path}:{line}",
                "please report this contract",
            )


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
    """Say whether this is ``with_config(OPEN)(Name)``, the settings of a functional TypedDict."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call)


def _is_allowed_call(function: ast.expr) -> bool:
    if isinstance(function, ast.Call):  # what with_config returns, and nothing else
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
