"""Escapes remote text for Python source, as literals and docstrings: the only place that does.

What a reader could not see, or would see in another order than Python does, is written escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NewType

from mcpgen_runtime.display import Markdown, visible, visible_character

from mcpgen.codegen import paragraphs
from mcpgen.jsontext import Json

WIDTH = 88
MAX_DOCUMENTATION = 4_000
_REST = " ...\n\n(The rest is in contract.json.)"
_QUOTE, _BACKSLASH = '"', "\\"

Line = NewType("Line", str)
"""A line of a docstring: visible, and escaped as docstrings need it."""

_ESCAPED = re.compile(r"[^ !#-\[\]-~]")
_UNSEEN = re.compile(r"[^ -~\s]")
_MARKED = re.compile(r"[\\`*_{}\[\]<>()#!|@&:~]")
_QUOTES = re.compile('"{3,}')
_OPENING_QUOTE = re.compile(r'\A(\s*)"')
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def string(text: str) -> str:
    """Return a Python string literal, in double quotes where that needs no more escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    escaped = _ESCAPED.sub(lambda match: _SHORT.get(match[0]) or visible_character(match[0]), text)
    if quote == "'":
        escaped = escaped.replace('\\"', '"')
    return quote + escaped + quote


def scalar(value: Json) -> str:
    """Return the literal of a string, whole number, boolean or null, as ``Literal`` takes them."""
    if isinstance(value, str):
        return string(value)
    if value is None or isinstance(value, bool | int):
        return repr(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def plain(text: str) -> str:
    """Return remote text on one line, with everything that could mislead a reader shown escaped."""
    start = shortened(text, MAX_DOCUMENTATION)
    return " ".join(_UNSEEN.sub(lambda match: visible_character(match[0]), start).split())


def markdown(text: str) -> Markdown:
    """Return plain text as Markdown that means nothing else, nor names an owner to the registry."""
    return Markdown(_MARKED.sub(r"\\\g<0>", text))


def lines(text: str, width: int, *, first: int, lead: str = "") -> list[Line]:
    """Return remote text as lines of a docstring, ``width`` columns wide where words allow it.

    The first one is ``first`` columns wide, and starts with ``lead``. What docstrings must have
    escaped is so before the text is folded, since it makes lines longer.
    """
    text = paragraphs.dedented(shortened(text, MAX_DOCUMENTATION, _REST))
    escaped = _escaped(text) if lead else _OPENING_QUOTE.sub(r'\1\\"', _escaped(text))
    folded = paragraphs.fold(escaped, width, first=first, lead=_escaped(lead))
    return [Line(line) for line in folded]


def _escaped(text: str) -> str:
    # A quote is escaped only where a run of them, or its place, could end or move the docstring.
    doubled = visible(text).replace("\\", "\\\\")
    return _QUOTES.sub(lambda match: '\\"' * len(match[0]), doubled)


def shortened(text: str, most: int, mark: str = "...") -> str:
    """Return a text of at most so many characters, and a mark where words of it are left out."""
    if len(text) <= most:
        return text
    start = text[: most - len(mark)]
    whole_words = re.match(r"(?s).*(?=\s)", text[: len(start) + 1])
    return (whole_words[0] if whole_words else start).rstrip() + mark


def docstring(text: Sequence[Line], indent: int) -> str:
    """Return a docstring literal that Black leaves as it is.

    The first line stands at the column where the literal starts; the rest is indented.
    """
    first, *others = text or [Line("(no description)")]
    opening, pad = f'"""{first}', " " * indent
    if not others and not first.endswith(_BACKSLASH):
        return _one_line(opening, pad)
    rest = [f"{pad}{line}" if line else "" for line in others]
    return "\n".join([opening, *rest, f'{pad}"""'])


def _one_line(opening: str, pad: str) -> str:
    """Close a text of one line: Black has the quotes beside its last word, wherever that is."""
    closing = ' """' if opening.endswith(_QUOTE) else '"""'
    head, space, word = opening.rpartition(" ")
    if len(pad) + len(opening) + len(closing) <= WIDTH or not space:
        return opening + closing
    return f"{head}\n{pad}{word}{closing}"
