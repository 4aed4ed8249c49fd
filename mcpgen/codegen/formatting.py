"""Validates generated code, and breaks statements that are too long.

Templates write code as Black would, except for statements that don't fit a line. ``layout`` covers
nearly all of these. Black is loaded for the others. A test checks that Black changes nothing in
generated files.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mcpgen.codegen import allowlist, layout
from mcpgen.codegen.escaping import WIDTH
from mcpgen.errors import BugError


def format_files(files: Mapping[str, str]) -> dict[str, str]:
    """Validate and format every generated module. The runtime's copy stays unchanged.

    Black takes a second for about 15,000 characters, so its work is limited. No known server
    exceeds the limit. Statements beyond it keep their long lines.
    """
    black = _Black()
    return {
        path: _format(path, text, black) if _is_generated(path) else text
        for path, text in files.items()
    }


def _is_generated(path: str) -> bool:
    return path.endswith(".py") and not path.startswith("_runtime/")


def format_module(text: str, name: str) -> str:
    """Format a module that no template wrote with Black, and compile it."""
    import black
    from black.mode import Mode, TargetVersion

    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH)
    formatted = black.format_str(text, mode=mode)
    compile(_parse(name, formatted), name, "exec")
    return formatted


def _format(path: str, text: str, black: _Black) -> str:
    lines = text.splitlines()
    long = [number for number, line in enumerate(lines) if len(line) > WIDTH]
    try:
        parts = _pieces(lines)
        spans = [span for tree, before in parts for span in _check(tree, path, long, before)]
    except _UNPARSABLE:  # a piece, perhaps because it starts within a string
        spans = _check(_parse(path, text), path, long)
    if not spans:
        return text
    black.left_of_file = 50_000
    for start, end, header in reversed(spans):
        lines[start:end] = _laid_out(lines[start:end], black, header=header)
    return "\n".join(lines) + "\n"


_PIECE = 2_000
"""Lines of a class to parse at once, because the syntax tree of a line takes 1.5 kB."""


def _pieces(lines: Sequence[str]) -> Iterator[tuple[ast.Module, int]]:
    """Parse a module, and yield each tree with the number of lines before it.

    A long class is parsed in several pieces. A piece that parses ends outside of strings and
    brackets, so the pieces have the statements of the whole module. Raises an error if one doesn't
    parse.
    """
    starts = [0]
    for number, line in enumerate(lines):
        if number - starts[-1] >= _PIECE and line.startswith(_METHODS) and not lines[number - 1]:
            starts.append(number)
    for start, end in pairwise((*starts, len(lines))):
        header = ["class _:"] if start else []
        yield ast.parse("\n".join([*header, *lines[start:end]])), start - len(header)


_METHODS = ("    def ", "    async def ", "    @")
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def _check(
    tree: ast.Module, path: str, long: Sequence[int], before: int = 0
) -> list[tuple[int, int, bool]]:
    """Validate a module, or a part of it. ``before`` counts the lines before the part.

    Returns the spans of its statements that are too long, in lines of the module.
    """
    if not allowlist.check(tree, path, before):
        compile(tree, path, "exec")
    if not long:
        return []
    numbers = [number - before for number in long[bisect_left(long, before) :]]
    spans = _spans(tree.body, numbers)
    return [(start + before, end + before, header) for start, end, header in spans]


def _parse(path: str, text: str) -> ast.Module:
    try:
        return ast.parse(text, path)
    except _UNPARSABLE as error:
        raise BugError(
            f"the generated module is not Python: {error}",
            path,
            "please report this contract",
        ) from error


def _spans(body: Sequence[ast.stmt], long: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
    """Yield the span of each statement or header that has a line beyond the maximum length."""
    for node in body:
        if not _any_within(long, node.lineno - 1, node.end_lineno or node.lineno):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start, end = node.lineno - 1, node.body[0].lineno - 1
            if _any_within(long, start, end):
                yield start, end, True
            yield from _spans(node.body, long)
        elif isinstance(node, ast.If):
            yield from _spans([*node.body, *node.orelse], long)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.ImportFrom | ast.Return):
            yield node.lineno - 1, node.end_lineno or node.lineno, False


def _any_within(numbers: Sequence[int], start: int, end: int) -> bool:
    """Return True if a sorted list has a number within bounds."""
    at = bisect_left(numbers, start)
    return at < len(numbers) and numbers[at] < end


def _laid_out(lines: Sequence[str], black: _Black, *, header: bool) -> Sequence[str]:
    laid_out = layout.statement(lines, header=header)
    if laid_out is not None:
        return laid_out
    return black.format_lines(lines, header=header)


class _Black:
    """Black with a budget of characters, for the whole package and for each of its files."""

    def __init__(self) -> None:
        self.left = 150_000
        self.left_of_file = 0

    def format_lines(self, lines: Sequence[str], *, header: bool) -> Sequence[str]:
        """Format the lines of a statement, or of a statement's header, with Black."""
        size = sum(map(len, lines))
        if size > min(self.left, self.left_of_file):
            return lines
        self.left -= size
        self.left_of_file -= size
        return by_black(lines, header=header)


def by_black(lines: Sequence[str], *, header: bool) -> list[str]:
    """Return a statement, or the header of one, as formatted by Black."""
    import black
    from black.mode import Mode, TargetVersion

    indent = len(lines[0]) - len(lines[0].lstrip())
    source = "\n".join(line[indent:] for line in lines) + ("\n    pass\n" if header else "\n")
    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH - indent)
    formatted = black.format_str(source, mode=mode).splitlines()
    if header:
        formatted.pop()
    return [" " * indent + line if line else "" for line in formatted]
