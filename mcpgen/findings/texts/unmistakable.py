"""Escapes invisible and misleading characters."""

from __future__ import annotations

import unicodedata

from mcpgen.findings.texts.invisible import is_invisible
from mcpgen.findings.texts.lookalikes import misleading


def unmistakable(text: str) -> str:
    r"""Escape characters that are invisible, misleading, or active in a terminal.

    Each one appears by its code point, such as ``\\u{200b}``. Unlike ``visible``, this also escapes
    letters of other alphabets, because a person has to approve the text before an agent reads it.
    """
    if text.isascii() and text.isprintable():
        return text
    lookalikes = misleading(text)
    return "".join(_show(char, index in lookalikes) for index, char in enumerate(text))


def _show(char: str, is_lookalike: bool) -> str:
    if char == "\n":
        return "\\n"
    if is_lookalike or is_invisible(char) or _is_control(char) or _hides_others(char):
        return f"\\u{{{ord(char):x}}}"
    return char


def _is_control(char: str) -> bool:
    return unicodedata.category(char)[0] == "C"


def _hides_others(char: str) -> bool:
    """Return True for a mark above or below the previous letter, which may hide others."""
    return unicodedata.combining(char) > 200
