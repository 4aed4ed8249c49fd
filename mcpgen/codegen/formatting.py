"""Validates and compiles generated code, and breaks statements that are too long.

Templates write code as Black would, except for statements that don't fit a line. ``layout`` covers
nearly all of these. Black is loaded for the others. A test checks that Black changes nothing in
generated files.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import pickle
import sys
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

from mcpgen.codegen import allowlist, layout
from mcpgen.codegen.escaping import WIDTH
from mcpgen.errors import BugError

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def in_two(work: Callable[[Sequence[_Item]], list[_Made]], items: Sequence[_Item]) -> list[_Made]:
    """Process items with ``work`` in two processes. The results are unordered and independent."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) == 1:
        return work(items)
    if threading.active_count() > 1:  # a lock held by another thread would stay locked in the copy
        return work(items)
    receiving, sending = os.pipe()
    try:
        child = os.fork()
    except OSError:  # there may be no more processes
        os.close(receiving)
        os.close(sending)
        return work(items)
    if not child:
        _answer(lambda: work(items[1::2]), sending)
    os.close(sending)
    try:
        with os.fdopen(receiving, "rb") as answer:
            made = work(items[::2])
            content = answer.read()
    finally:
        _, status = os.waitpid(child, 0)
    if status:
        return [*made, *work(items[1::2])]
    return [*made, *cast("list[_Made]", pickle.loads(content))]  # noqa: S301 - we wrote it


def _answer(work: Callable[[], object], sending: int) -> None:
    """Send the result and end the process without cleanup, which belongs to the parent."""
    status = 1
    try:
        gc.disable()
        with os.fdopen(sending, "wb") as answer:
            pickle.dump(work(), answer)
        status = 0
    finally:
        os._exit(status)


def format_files(files: Mapping[str, str]) -> dict[str, str]:
    """Validate, compile and format every generated module. The runtime's copy stays unchanged.

    Black takes a second for about 15,000 characters, so its work is limited. No known server
    exceeds the limit. Statements beyond it keep their long lines.
    """
    modules = [(path, text) for path, text in files.items() if _is_generated(path)]
    is_large = sum(len(text) for _, text in modules) >= _LARGE
    laid_out = dict(in_two(_format_without_black, modules)) if is_large else {}
    black = _Black()
    return {
        path: laid_out.get(path) or (_format(path, text, black) if _is_generated(path) else text)
        for path, text in files.items()
    }


_LARGE = 1_000_000
"""How many characters are worth a second process."""


def _is_generated(path: str) -> bool:
    return path.endswith(".py") and not path.startswith("_runtime/")


def _format_without_black(modules: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Format modules, except those that need Black, whose budget is per package."""
    formatted: list[tuple[str, str]] = []
    for path, text in modules:
        with contextlib.suppress(_NeedsBlackError):
            formatted.append((path, _format(path, text, None)))
    return formatted


class _NeedsBlackError(Exception):
    """A statement needs Black."""


def format_module(text: str, name: str) -> str:
    """Give Black a whole module that no template wrote, and compile it."""
    import black
    from black.mode import Mode, TargetVersion

    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH)
    formatted = black.format_str(text, mode=mode)
    compile(_parse(name, formatted), name, "exec")
    return formatted


def _format(path: str, text: str, black: _Black | None) -> str:
    tree = _parse(path, text)
    allowlist.check(tree, path)
    compile(tree, path, "exec")
    lines = text.splitlines()
    long = [number for number, line in enumerate(lines) if len(line) > WIDTH]
    if not long:
        return text
    if black:
        black.left_of_file = 50_000
    for start, end, header in reversed(list(_spans(tree.body, long))):
        lines[start:end] = _laid_out(lines[start:end], black, header=header)
    return "\n".join(lines) + "\n"


def _parse(path: str, text: str) -> ast.Module:
    try:
        return ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BugError(
            f"the generated module is not Python: {error}",
            path,
            "please report this contract",
        ) from error


def _spans(body: Sequence[ast.stmt], long: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines of each statement, or header of one, that has a line that is too long."""
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


def _laid_out(lines: Sequence[str], black: _Black | None, *, header: bool) -> Sequence[str]:
    shown = layout.statement(lines, header=header)
    if shown is not None:
        return shown
    if black is None:
        raise _NeedsBlackError
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
    """Return the lines of a statement, or of the header of one, as Black lays them out."""
    import black
    from black.mode import Mode, TargetVersion

    indent = len(lines[0]) - len(lines[0].lstrip())
    source = "\n".join(line[indent:] for line in lines) + ("\n    pass\n" if header else "\n")
    mode = Mode(target_versions={TargetVersion.PY310}, line_length=WIDTH - indent)
    formatted = black.format_str(source, mode=mode).splitlines()
    if header:
        formatted.pop()
    return [" " * indent + line if line else "" for line in formatted]
