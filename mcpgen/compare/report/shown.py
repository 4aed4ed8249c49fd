"""Values on their way to a reader: short, on one line, with nothing in them that is not seen."""

from __future__ import annotations

import json
import re
import unicodedata

from mcpgen.compare.change import ABSENT, Change
from mcpgen.compare.hidden import hidden
from mcpgen.jsontext import Json

MAX_SHOWN = 100
"""How many characters of a text are shown before only what differs is."""


def visible(text: str) -> str:
    """Escape what a reader does not see, or what a terminal would act on."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char == "\n":
        return "\\n"
    if hidden(char) or unicodedata.category(char)[0] == "C" or unicodedata.combining(char) > 200:
        code = ord(char)
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char


def value(found: Json, limit: int = MAX_SHOWN) -> str:
    """Return a value as JSON on one line, cut where it is long."""
    return cut(visible(json.dumps(found, ensure_ascii=False, sort_keys=True)), limit)


def cut(text: str, limit: int = MAX_SHOWN) -> str:
    """Return a text without its end where it is long, saying how much is not shown."""
    if len(text) <= limit + 30:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"


def values(change: Change, limit: int = MAX_SHOWN) -> list[tuple[str, str]]:
    """Return the old value as ``-`` and the new one as ``+``, where there are such.

    Of long texts only the part that differs is shown, and nothing where the rule says it all.
    """
    old, new = change.old, change.new
    if isinstance(old, bool) and isinstance(new, bool):
        return []
    if isinstance(old, str) and isinstance(new, str):
        old, new = window(old, new)
    return [(sign, value(v, limit)) for sign, v in (("-", old), ("+", new)) if v is not ABSENT]


def arrow(change: Change, limit: int = MAX_SHOWN) -> str:
    """Return both values on one line: ``1 -> 2``, or ``+ 2`` where there was none."""
    found = values(change, limit)
    if len(found) == 2:
        return f"{found[0][1]} -> {found[1][1]}"
    return " ".join(found[0]) if found else ""


def window(old: str, new: str) -> tuple[str, str]:
    """Cut what two long texts have in common at both ends, apart from a few words."""
    if len(old) <= MAX_SHOWN and len(new) <= MAX_SHOWN:
        return old, new
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    start, end = max(0, start - 20), max(0, end - 20)
    start -= len(re.findall(r"\S*$", old[:start])[0]) if start else 0
    return _part(old, start, end), _part(new, start, end)


def _part(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    return f"{'...' if start else ''}{middle}{'...' if end else ''}"


def _common(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
