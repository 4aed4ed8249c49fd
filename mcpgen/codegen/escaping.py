"""The only door from remote text to Python source: literals and docstrings.

What a reader could not see, or would see in another order than Python does, is written escaped.
"""

from __future__ import annotations

import re
import textwrap

from mcpgen.display import visible, visible_character
from mcpgen.jsontext import Json

WIDTH = 88
MAX_DOCUMENTATION = 4_000

_TOLD = re.compile(r"[^ !#-\[\]-~]")
_ODD = re.compile(r"[^ -~\s]")
_MARKED = re.compile(r"[\\`*_{}\[\]<>()#!|@&:~]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def string(text: str) -> str:
    """Return a Python string literal, in double quotes where that needs no more escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    escaped = _TOLD.sub(lambda match: _SHORT.get(match[0]) or visible_character(match[0]), text)
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
    start = text[: MAX_DOCUMENTATION + 1]
    return " ".join(_ODD.sub(lambda match: visible_character(match[0]), start).split())


def markdown(text: str) -> str:
    """Return plain text as Markdown that means nothing else, nor names an owner to the registry."""
    return _MARKED.sub(r"\\\g<0>", text)


def lines(text: str, width: int) -> list[str]:
    """Return remote text as visible lines no wider than ``width`` where words allow it.

    Line breaks, indentation and blank lines of the text are kept; a text longer than 4,000
    characters is cut, and says so.
    """
    if len(text) > MAX_DOCUMENTATION:
        text = text[:MAX_DOCUMENTATION].rstrip() + " ... (shortened; see contract.json)"
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    text = visible(text)
    found: list[str] = []
    for line in textwrap.dedent(text).strip("\n").split("\n"):
        found += _folded(line.rstrip(), width)
    while found and not found[-1]:
        found.pop()
    return found


def _folded(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())][: width // 2]
    folded = textwrap.wrap(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return folded or [""]


def docstring(body: list[str], indent: int) -> str:
    """Return a docstring literal that Black leaves as it is; ``body`` is from :func:`lines`.

    The first line stands at the column where the literal starts; the rest is indented.
    """
    text = [_quotable(line.rstrip()) for line in body] or [""]
    text[0] = text[0].lstrip() or "(no description)"
    # The opening quotes take three columns of the first line, the closing ones of a single line.
    quotes = 3 if len(text) > 1 else 6
    if indent + quotes + len(text[0]) > WIDTH:
        text[:1] = _folded(text[0], WIDTH - indent - 3)
    pad = " " * indent
    if len(text) == 1 and text[0][-1] not in '"\\':
        return f'"""{text[0]}"""'
    # Readers of docstrings, and Black, take off what all lines after the first are indented by.
    rest = textwrap.dedent("\n".join(text[1:])).splitlines()
    rest = [f"{pad}{line}" if line else "" for line in rest]
    return "\n".join([f'"""{text[0]}', *rest, f'{pad}"""'])


def _quotable(line: str) -> str:
    # A quote is escaped only where a run of them, or its place, could end or move the docstring.
    line = line.replace("\\", "\\\\").replace('""', '\\"\\"')
    return f"\\{line}" if line.startswith('"') else line
