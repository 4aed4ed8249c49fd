"""Formats with Black what a template cannot: statements that are too long for one line.

The templates write what Black would leave as it is, so only those statements are given to it; a
test checks that Black changes nothing in a whole generated file.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mcpgen.codegen import allowlist
from mcpgen.codegen.escaping import WIDTH
from mcpgen.errors import BugError


def format_files(files: Mapping[str, str]) -> dict[str, str]:
    """Check, compile and format every generated module; the runtime is copied as it stands.

    Black takes a second for some 15,000 characters, so it has a budget, which no server that we
    know of exceeds; statements beyond it keep their long lines.
    """
    black = _Black()
    return {path: _format(path, text, black) for path, text in files.items()}


def format_module(text: str, name: str) -> str:
    """Give Black a whole module that no template wrote, and compile it."""
    import black
    from black.mode import Mode, TargetVersion

    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH)
    formatted = black.format_str(text, mode=mode)
    compile(_parse(name, formatted), name, "exec")
    return formatted


def _format(path: str, text: str, black: _Black) -> str:
    if not path.endswith(".py") or path.startswith("_runtime/"):
        return text
    tree = _parse(path, text)
    allowlist.check(tree, path)
    compile(tree, path, "exec")
    if max(map(len, text.splitlines()), default=0) <= WIDTH:
        return text
    return _format_statements(text, tree, black)


def _parse(path: str, text: str) -> ast.Module:
    try:
        return ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BugError(
            f"the generated module is not Python: {error}",
            path,
            "please report this contract",
        ) from error


def _format_statements(text: str, tree: ast.Module, black: _Black) -> str:
    """Format each statement that has a line over the width, from the last to the first."""
    lines = text.splitlines()
    black.left_of_file = 50_000
    spans = {span: node for node in ast.walk(tree) if (span := _span(node))}
    for span in sorted(spans, reverse=True):
        start, end, header = span
        if any(len(line) > WIDTH for line in lines[start:end]):
            shown = _by_hand(spans[span], lines[start]) if end == start + 1 else []
            lines[start:end] = shown or black.formatted(lines[start:end], header=header)
    return "\n".join(lines) + "\n"


def _span(node: ast.AST) -> tuple[int, int, bool] | None:
    """Return the lines of a statement, or of a header, that may be formatted."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.lineno - 1, node.body[0].lineno - 1, True
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.ImportFrom | ast.Return):
        return node.lineno - 1, node.end_lineno or node.lineno, False
    return None


_MANY = 50


def _by_hand(node: ast.AST, line: str) -> list[str]:
    """Format without Black what is frequent, or has thousands of values; ``[]`` if it cannot be."""
    if isinstance(node, ast.ImportFrom):
        return _import(line)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Name) and line[:1] != " ":  # an alias; a field is left to Black
        head, _, name = line.partition(" = ")
        return [f"{head} = (", f"    {name}", ")"] if len(head) + 4 <= WIDTH else []
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        head, _, rest = line.partition("(")
        pad = line[: len(line) - len(line.lstrip())]
        shown = [f"{head}(", f"{pad}    {rest.removesuffix(')')}", f"{pad})"]
        return shown if max(map(len, shown)) <= WIDTH else []
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Tuple):
        return _literal(value.slice, line)
    return []


def _import(line: str) -> list[str]:
    """Format an import of names from a module."""
    head, _, names = line.partition(" import ")
    if names == "*":
        return [line]
    pad = line[: len(line) - len(line.lstrip())]
    return [f"{head} import (", *(f"{pad}    {name}," for name in names.split(", ")), f"{pad})"]


def _literal(choice: ast.Tuple, line: str) -> list[str]:
    """Format a ``Literal`` of many values, or one that is ``Annotated``."""
    first = choice.elts[0]
    inner = first.slice if isinstance(first, ast.Subscript) else choice
    if not isinstance(inner, ast.Tuple) or len(inner.elts) < _MANY:
        return []
    if not all(isinstance(each, ast.Constant) for each in inner.elts):
        return []
    source = line.encode()
    choices = [source[each.col_offset : each.end_col_offset].decode() for each in inner.elts]
    if inner is choice:
        return [f"{line.partition('[')[0]}[", *(f"    {value}," for value in choices), "]"]
    marks = [f"    {ast.unparse(each)}," for each in choice.elts[1:]]
    opening = f"{line.partition('[')[0]}["
    return [
        opening,
        "    Literal[",
        *(f"        {value}," for value in choices),
        "    ],",
        *marks,
        "]",
    ]


class _Black:
    """Black with a budget of characters, for the whole package and for each of its files."""

    def __init__(self) -> None:
        self.left = 150_000
        self.left_of_file = 0

    def formatted(self, lines: list[str], *, header: bool) -> list[str]:
        """Return the lines of one statement, or of the header of one, as Black formats them."""
        size = sum(map(len, lines))
        if size > min(self.left, self.left_of_file):
            return lines
        self.left -= size
        self.left_of_file -= size
        return _formatted(lines, header=header)


def _formatted(lines: list[str], *, header: bool) -> list[str]:
    import black
    from black.mode import Mode, TargetVersion

    indent = len(lines[0]) - len(lines[0].lstrip())
    source = "\n".join(line[indent:] for line in lines) + ("\n    pass\n" if header else "\n")
    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH - indent)
    formatted = black.format_str(source, mode=mode).splitlines()
    if header:
        formatted.pop()
    return [" " * indent + line if line else "" for line in formatted]
