"""Escapes remote text for Python literals and docstrings. No other module does.

Characters that are invisible, or change the order of text on screen, are written as escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NewType

from mcpgen_runtime.display import Markdown, visible, visible_character

from mcpgen.codegen import paragraphs
from mcpgen.jsontext import Json, is_array, is_object

WIDTH = 88
MAX_DOCUMENTATION = 4_000
_REST = " ...\n\n(The rest is in contract.json.)"
_QUOTE, _BACKSLASH = '"', "\\"

Line = NewType("Line", str)
"""An escaped line of a docstring, without invisible characters."""

_ESCAPED = re.compile(r"[^ !#-\[\]-~]")
_UNSEEN = re.compile(r"[^ -~\s]")
_MARKED = re.compile(r"[\\`*_{}\[\]<>()#!|@&:~]")
_QUOTES = re.compile('"{3,}')
_OPENING_QUOTE = re.compile(r'\A(\s*)"')
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def string(text: str) -> str:
    """Return a Python string literal, with single quotes if that avoids escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    escaped = _ESCAPED.sub(lambda match: _SHORT.get(match[0]) or visible_character(match[0]), text)
    if quote == "'":
        escaped = escaped.replace('\\"', '"')
    return quote + escaped + quote


def scalar(value: Json) -> str:
    """Return the literal of a string, integer, boolean or null, for use in ``Literal[...]``."""
    if isinstance(value, str):
        return string(value)
    if value is None or isinstance(value, bool | int):
        return repr(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def literal(value: Json) -> str:
    """Return the Python expression of a JSON value."""
    if is_object(value):
        return f"{{{', '.join(f'{string(k)}: {literal(v)}' for k, v in value.items())}}}"
    if is_array(value):
        return f"[{', '.join(map(literal, value))}]"
    return string(value) if isinstance(value, str) else repr(value)


def plain(text: str) -> str:
    """Return remote text on one line, with misleading characters escaped."""
    start = shorten(text, MAX_DOCUMENTATION)
    return " ".join(_UNSEEN.sub(lambda match: visible_character(match[0]), start).split())


def markdown(text: str) -> Markdown:
    """Escape plain text for Markdown. Mentions such as ``@user`` are escaped, too."""
    return Markdown(_MARKED.sub(r"\\\g<0>", text))


def lines(text: str, width: int, *, first: int, lead: str = "") -> list[Line]:
    """Fold remote text into lines of a docstring, ``width`` columns wide if its words allow it.

    The first line is ``first`` columns wide and starts with ``lead``. Text is escaped before it is
    folded, because escaping makes lines longer.
    """
    text = paragraphs.dedent(shorten(text, MAX_DOCUMENTATION, _REST))
    escaped = (
        _escape_docstring(text) if lead else _OPENING_QUOTE.sub(r'\1\\"', _escape_docstring(text))
    )
    folded = paragraphs.fold(escaped, width, first=first, lead=_escape_docstring(lead))
    return [Line(line) for line in folded]


def _escape_docstring(text: str) -> str:
    # A quote is escaped only if it could end the docstring or change its layout.
    doubled = visible(text).replace("\\", "\\\\")
    return _QUOTES.sub(lambda match: '\\"' * len(match[0]), doubled)


def shorten(text: str, most: int, mark: str = "...") -> str:
    """Truncate a text to a number of characters, with a mark at the end."""
    if len(text) <= most:
        return text
    start = text[: most - len(mark)]
    whole_words = re.match(r"(?s).*(?=\s)", text[: len(start) + 1])
    return (whole_words[0] if whole_words else start).rstrip() + mark


def docstring(text: Sequence[Line], indent: int) -> str:
    """Return a docstring literal that Black doesn't change.

    The first line starts at the column of the literal, the others are indented.
    """
    first, *following = text or [Line("(no description)")]
    opening, pad = f'"""{first}', " " * indent
    if not following and not first.endswith(_BACKSLASH):
        return _one_line(opening, pad)
    rest = [f"{pad}{line}" if line else "" for line in following]
    return "\n".join([opening, *rest, f'{pad}"""'])


def _one_line(opening: str, pad: str) -> str:
    """Close a docstring of one line. Black keeps the quotes next to the last word."""
    closing = ' """' if opening.endswith(_QUOTE) else '"""'
    head, space, token = opening.rpartition(" ")
    if len(pad) + len(opening) + len(closing) <= WIDTH or not space:
        return opening + closing
    return f"{head}\n{pad}{token}{closing}"
