"""Extracts names, imports and columns from a script's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mcpgen_runtime.display import ModelText, model_line, model_lines


def last_name(call: ast.Call) -> str:
    """Return the last part of a called name, such as ``get`` for ``x.get()``, or ""."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def column(line: str, offset: int) -> int:
    """Return the column of an offset in UTF-8 bytes, counted from one."""
    return (offset if line.isascii() else len(line.encode()[:offset].decode())) + 1


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each imported name, and its ``module`` or ``module:attribute``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}:{alias.name}"


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a script binds other than by an import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def attributes(tree: ast.Module) -> Iterable[str]:
    """Yield the attributes that a script gives its classes and objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from _members(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Call) and last_name(node) == "namedtuple":
            for argument in ast.walk(node):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield from argument.value.replace(",", " ").split()


def _members(node: ast.ClassDef) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inner.name
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def is_literal(node: ast.expr) -> bool:
    """Return True for a constant, or a display of constants."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


_MOST = 20
NO_HINT = ModelText("")


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: its line and column, counted from one, the problem, and a suggestion."""

    line: int
    column: int
    rule: str
    problem: ModelText
    hint: ModelText = NO_HINT

    def text(self, lines: Sequence[str]) -> ModelText:
        """Return the finding with its line of the script."""
        model_texts = [model_line("line {}: {}", self.line, self.problem)]
        if 0 < self.line <= len(lines) and lines[self.line - 1].strip():
            model_texts.append(model_line("    {}", lines[self.line - 1].strip()))
        if self.hint:
            model_texts.append(model_line("    hint: {}", self.hint))
        return model_lines(model_texts)


def report(findings: Sequence[Finding], script: str) -> ModelText:
    """Return the report for a model: each finding, and that no tool was called."""
    if not findings:
        return NO_HINT
    lines = script.splitlines()
    noun = "finding" if len(findings) == 1 else "findings"
    model_texts = [finding.text(lines) for finding in findings[:_MOST]]
    if len(findings) > _MOST:
        model_texts.append(model_line("... and {} more", len(findings) - _MOST))
    heading = model_line("{} {}, and nothing was called:", len(findings), noun)
    return model_lines([heading, *model_texts])
