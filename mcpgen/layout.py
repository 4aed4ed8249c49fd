"""Black lays out what a template cannot: statements that are too long for one line.

The templates write what Black would leave as it is, so only those statements are given to it; a
test checks that Black changes nothing in a whole generated file.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mcpgen import guard
from mcpgen.errors import ContractError
from mcpgen.literal import WIDTH


def tidy(files: Mapping[str, str]) -> dict[str, str]:
    """Lay out, check and compile every generated module; the runtime is copied as it stands."""
    return {path: _tidy(path, text) for path, text in files.items()}


def reformat(text: str, name: str) -> str:
    """Give Black a whole module that no template wrote, and compile it."""
    import black
    from black.mode import Mode, TargetVersion

    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH)
    formatted = black.format_str(text, mode=mode)
    compile(_parse(name, formatted), name, "exec")
    return formatted


def _tidy(path: str, text: str) -> str:
    if not path.endswith(".py") or path.startswith("_runtime/"):
        return text
    tree = _parse(path, text)
    guard.check(tree, path)
    compile(tree, path, "exec")
    if max(map(len, text.splitlines()), default=0) <= WIDTH:
        return text
    return _reflow(text, tree)


def _parse(path: str, text: str) -> ast.Module:
    try:
        return ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(
            f"the generated module is not Python: {error}",
            path,
            "nothing was written; please report this contract",
        ) from error


def _reflow(text: str, tree: ast.Module) -> str:
    """Give Black each statement that has a line over the width, from the last to the first."""
    lines = text.splitlines()
    spans = sorted({span for node in ast.walk(tree) if (span := _span(node))}, reverse=True)
    for start, end, header in spans:
        if any(len(line) > WIDTH for line in lines[start:end]):
            lines[start:end] = _formatted(lines[start:end], header=header)
    return "\n".join(lines) + "\n"


def _span(node: ast.AST) -> tuple[int, int, bool] | None:
    """Return the lines of a statement, or of a header, that may be laid out anew."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.lineno - 1, node.body[0].lineno - 1, True
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.ImportFrom | ast.Return):
        return node.lineno - 1, node.end_lineno or node.lineno, False
    return None


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
