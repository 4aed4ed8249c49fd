"""What a generated module may contain, as a list over its syntax tree: known imports, known calls.

A second lock behind ``naming`` and ``literal``: if remote text became code, nothing is written.
"""

from __future__ import annotations

import ast

from mcpgen.errors import BugError

_IMPORTS = frozenset(
    "__future__ typing typing_extensions collections.abc pydantic pydantic.dataclasses"
    " mcp.types mcp.server abc".split()
)
_CALLS = frozenset(
    "Field ConfigDict dataclass with_config TypeAdapter TypeAliasType TypedDict Tool Whole Numeric"
    " Exactly blocking attach names_of super"
    " build Page Policy".split()
)
_STATEMENTS = (
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
_EXPRESSIONS = (
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
        reason = _objection(node)
        if reason:
            line = getattr(node, "lineno", 0)
            raise BugError(
                f"the generated module would hold {reason}",
                f"{path}:{line}",
                "please report this contract",
            )


def _objection(node: ast.AST) -> str:
    if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
        return f"the statement {type(node).__name__}"
    if isinstance(node, ast.expr) and not isinstance(node, _EXPRESSIONS):
        return f"the expression {type(node).__name__}"
    if isinstance(node, ast.ImportFrom) and not node.level and node.module not in _IMPORTS:
        return f"an import of {node.module}"
    if isinstance(node, ast.Expr) and not (_is_text(node.value) or _is_setting(node.value)):
        return "an expression without use"
    if isinstance(node, ast.Call) and not _is_known(node.func):
        return f"a call of {ast.unparse(node.func)[:60]}"
    return ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (isinstance(node.value, str) or node.value is ...)


def _is_setting(node: ast.expr) -> bool:
    """Say whether this is ``with_config(OPEN)(Name)``, the settings of a functional TypedDict."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call)


def _is_known(function: ast.expr) -> bool:
    if isinstance(function, ast.Call):  # what with_config returns, and nothing else
        return isinstance(function.func, ast.Name) and function.func.id == "with_config"
    if isinstance(function, ast.Name):
        return (
            function.id in _CALLS
            or function.id.startswith(("Raw", "Sync"))
            or function.id.endswith(("Prompts", "Resources"))
        )
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "self"
    )
