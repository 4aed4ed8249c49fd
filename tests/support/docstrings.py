"""The docstrings of generated code in their files, measured independently of the code that folds
them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mcpgen.codegen import escaping
from mcpgen.jsontext import Json

LIMIT = 88

# Characters that start a new line: list markers, headings, tables, fences, markup, JSON, shell
# prompts, or a short name with a description ("Returns: a list")
OWN_LINE = re.compile(
    r"[-*+|>#$<{}\[\]=]|\W?\w{1,3}[.)]\s|[^\w\s\x00-\x7f]|```|~~~|\.\.\. "
    r"|(?:\S+ ){0,4}\S*[:=]\W{0,3}(?: |$)|\S+ [-\u2013\u2014] "
)
HEADING = re.compile(r"\#{1,6} ")
LIST = re.compile(r"[-*+|] |\W?\w{1,3}[.)]\s|[^\w\s\x00-\x7f]")


@dataclass(frozen=True)
class Docstring:
    """A docstring: its source lines including the quotes, and its value."""

    position: str
    lines: list[str]
    value: str

    @property
    def margin(self) -> int:
        return len(self.lines[0]) - len(self.lines[0].lstrip())

    @property
    def body_lines(self) -> list[str]:
        """The lines without closing quotes on a line of their own."""
        return self.lines[:-1] if self.lines[-1].strip() == '"""' else self.lines


def docstrings(source: str, pointer: str = "") -> Iterator[Docstring]:
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
            continue
        if isinstance(node.value.value, str) and node.end_lineno:
            own = lines[node.lineno - 1 : node.end_lineno]
            yield Docstring(f"{pointer}:{node.lineno}", own, node.value.value)


def line_ends(document: Json) -> set[tuple[str, str]]:
    """Return the words before and after each line end in the strings of a contract."""
    results: set[tuple[str, str]] = set()
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.values(), *value]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            lines = [line.split() for line in escaping.visible(value).splitlines()]
            lines = [line for line in lines if line]
            results |= {(a[-1], b[0]) for a, b in pairwise(lines)}
    return results


def broken(docstring: Docstring, ends: set[tuple[str, str]]) -> list[str]:
    """Return the lines that break although the next word would fit. A break before a section
    entry, or one made by the author, is allowed.
    """
    names: list[str] = []
    base = docstring.margin
    is_code = is_list = is_section = is_heading = False
    for line, below in pairwise(docstring.body_lines):
        text, following = line.strip().removeprefix('"""'), below.strip()
        is_code ^= text.startswith(("```", "~~~"))
        if text and line[: docstring.margin + 1].strip():
            base, is_section = (
                docstring.margin,
                text in ("Args:", "Keyword Args:", "Keys:"),
            )
        is_list = bool(text) and (is_list or bool(LIST.match(text)))
        is_heading = bool(HEADING.match(text)) or (is_heading and bool(text))
        if is_section and re.match(rf" {{{docstring.margin + 4}}}\S", line):
            base, is_list = docstring.margin + 8, False
        if not text or not following or len(line) + 1 + len(following.split()[0]) > LIMIT:
            continue
        starts_entry = is_section and re.match(rf" {{{docstring.margin + 4}}}\S+: ", f"{below} ")
        if starts_entry or following.startswith("MIME type: "):
            continue
        pair = (unescape(text).split()[-1], unescape(following).split()[0])
        is_indented = line[base : base + 1] == " " or below[base : base + 1] == " "
        alone = is_code or is_list or is_indented or is_heading or text.endswith(":")
        if pair in ends:
            is_heading = False
            if alone or OWN_LINE.match(text) or OWN_LINE.match(following):
                continue
        names.append(f"{docstring.position}: {text!r} | {following!r}")
    return names


def unescape(text: str) -> str:
    """Return a docstring line as Python reads it."""
    return re.sub(r"\\(.)", r"\1", text)


def too_long(docstring: Docstring) -> list[str]:
    """Return the lines over the limit that have a space to break at, not counting a list's mark."""
    names: list[str] = []
    for line in docstring.lines:
        text = LIST.sub("", line.strip().removeprefix('"""'), count=1)
        if len(line) > LIMIT and " " in text.strip():
            names.append(f"{docstring.position}: {line}")
    return names
