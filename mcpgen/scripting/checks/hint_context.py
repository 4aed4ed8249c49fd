"""Finds the server, the call and the name that a position of a script is about."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen_runtime.display import on_one_line

from mcpgen.scripting.surface import Surface
from mcpgen.scripting.syntax import imports, last_name

_MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class ScriptPosition:
    """A position in a script, counted from one."""

    tree: ast.Module
    line: int
    column: int


def called_surface(
    function: str, surfaces: Mapping[str, Surface], position: ScriptPosition
) -> Surface | None:
    """Return the server whose function is called at a position of the script."""
    calls = [
        node
        for node in ast.walk(position.tree)
        if isinstance(node, ast.Call) and _is_around(node, position) and last_name(node) == function
    ]
    modules = imported_modules(position.tree)
    for call in sorted(calls, key=lambda item: item.lineno * 10_000 + item.col_offset)[::-1]:
        root = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        module = modules.get(root.id, "") if isinstance(root, ast.Name) else ""
        if module in surfaces:
            return surfaces[module]
    having = [surface for surface in surfaces.values() if function in surface.functions]
    return having[0] if len(having) == 1 else None


def _is_around(node: ast.Call, position: ScriptPosition) -> bool:
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return (node.lineno, node.col_offset) <= (position.line, position.column - 1) <= end


def imported_modules(tree: ast.Module) -> dict[str, str]:
    """Return the module that each imported name comes from."""
    return {name: origin.partition(":")[0] for name, origin in imports(tree)}


def nearest_name(name: str, candidates: Iterable[str], what: str) -> str:
    """Return the most similar known name, and all of them if there are few."""
    # Names come from servers, and must not look like mcpgen's own lines.
    names = [on_one_line(item) for item in candidates]
    near = difflib.get_close_matches(name, names, 1, 0.6) or [
        terminal_text
        for terminal_text in names
        if name and _normalize(name) in _normalize(terminal_text)
    ]
    text = f"did you mean {near[0]}?" if near else ""
    listed = ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")
    if not (what and listed):
        return text
    return f"{text} {what}: {listed}".strip()


def _normalize(name: str) -> str:
    return name.replace("_", "").lower()
