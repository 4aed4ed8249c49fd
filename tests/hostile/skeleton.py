"""The statements of a generated module without the words of a server, to compare them by."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(text: str) -> Iterator[str]:
    """Yield each statement of a module, and where it stands, with all that is remote left out."""
    tree = ast.parse(text)
    imported = {a.name for n in ast.walk(tree) if _is_known(n) for a in getattr(n, "names", [])}
    known = imported | {"str", "int", "float", "bool", "list", "dict", "tuple", "self", "name"}
    known |= {"timeout", "on_progress", "meta", "TOOL", "property", "module", "value", "own"}
    known |= {"AttributeError", "globals", "getattr", "sorted", "_MODULES", "__name__"}
    yield from _inside(tree, "", known)


def _is_known(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    return not (node.module or "").startswith(("models", "client", "base"))


def _inside(node: ast.AST, place: str, known: set[str]) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield f"{place} {_shown(child, known)}"
            yield from _inside(child, f"{place}/{type(child).__name__}", known - _given(child))


def _given(node: ast.stmt) -> set[str]:
    """Return the names of parameters that a server chose, which hide what else is called so."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    given = {each.arg for each in node.args.kwonlyargs}
    return given - {"timeout", "on_progress", "meta"}


def _shown(node: ast.AST, known: set[str]) -> str:
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        remote = module.startswith("models.") or (node.level > 0 and module == "base")
        words = "N" if remote or module in ("client", "models") else "known"
        names = sorted({a.name if words == "known" else "N" for a in node.names})
        return f"from {node.level} {'models.N' if remote else module} import {names}"
    if isinstance(node, ast.Constant):
        return "..." if node.value is ... else type(node.value).__name__
    if isinstance(node, ast.Name):
        return node.id if node.id in known and isinstance(node.ctx, ast.Load) else "N"
    if isinstance(node, ast.Attribute):
        return f"{_shown(node.value, known)}.N"
    parts: list[str] = []
    for field, value in ast.iter_fields(node):
        if field in ("ctx", "body", "orelse", "type_comment") and isinstance(node, ast.stmt):
            continue
        if isinstance(value, ast.AST):
            parts.append(_shown(value, known))
        elif isinstance(value, list):
            inner = [_shown(each, known) for each in value if isinstance(each, ast.AST)]
            parts.append(str(sorted(set(inner))))  # how many there are is the server's choice
        elif field not in ("name", "arg", "id", "attr", "lineno", "simple", "ctx"):
            parts.append(str(value))
    if isinstance(node, ast.keyword):
        parts.insert(0, str(node.arg))
    return f"{type(node).__name__}({', '.join(parts)})"
