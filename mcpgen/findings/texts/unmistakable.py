"""Text in which nothing is unseen, and nothing is taken for something else."""

from __future__ import annotations

import unicodedata

from mcpgen.findings.texts.invisible import is_invisible
from mcpgen.findings.texts.lookalikes import misleading


def unmistakable(text: str) -> str:
    """Escape what a reader does not see or takes for something else, or a terminal would act on.

    Each such character is shown as ``\\u{200b}``, by its number. ``visible`` leaves
    letters of other alphabets alone: there nobody approves what an agent will read.
    """
    if text.isascii() and text.isprintable():
        return text
    lookalikes = misleading(text)
    return "".join(_shown(char, index in lookalikes) for index, char in enumerate(text))


def _shown(char: str, is_lookalike: bool) -> str:
    if char == "\n":
        return "\\n"
    if is_lookalike or is_invisible(char) or _is_control(char) or _hides_others(char):
        return f"\\u{{{ord(char):x}}}"
    return char


def _is_control(char: str) -> bool:
    return unicodedata.category(char)[0] == "C"


def _hides_others(char: str) -> bool:
    """Say whether a mark is put above or below the letter before it, where it may hide others."""
    return unicodedata.combining(char) > 200
