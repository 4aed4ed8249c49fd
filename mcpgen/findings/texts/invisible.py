"""Finds characters that people don't see, but agents read."""

from __future__ import annotations

import re
import unicodedata

from mcpgen_runtime.display import is_blank

from mcpgen.findings.texts.lookalikes import misleading

_ASCII = re.compile(r"[ -~\n\t]*")
_SPACES = frozenset("\u1680\u205f")
"""Unusual spaces. Common ones are U+00A0, U+3000 and U+202F."""
_EMOJI_WITH_OTHER_CATEGORIES = frozenset("#*0123456789\u203c\u2049\u2139\u3030\u303d")
"""Characters other than symbols that a variation selector turns into an emoji."""


def invisible(text: str) -> list[str]:
    """Return the invisible characters of a string without repetitions, such as ``U+200B``."""
    if _ASCII.fullmatch(text):
        return []
    codes = (
        f"U+{ord(char):04X}"
        for index, char in enumerate(text)
        if is_invisible(char) and not _is_emoji_part(text, index)
    )
    return list(dict.fromkeys(codes))


def is_invisible(char: str) -> bool:
    """Return True if a character is invisible on its own."""
    if char in "\n\t\r":
        return False
    if is_blank(char) or char in _SPACES:
        return True
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _is_emoji_part(text: str, index: int) -> bool:
    """Return True if a character only joins or styles emoji."""
    char = text[index]
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if char in ("\ufe0e", "\ufe0f"):
        return _takes_selector(before)
    if char == "\u200d":
        previous = text[index - 2 : index - 1] if before == "\ufe0f" else before
        return _is_emoji(previous) and _is_emoji(after)
    return False


def _takes_selector(char: str) -> bool:
    """Return True for a character that Unicode lists with an emoji style and a text style."""
    if not char:
        return False
    is_symbol = unicodedata.category(char) in ("So", "Sm", "Sk")
    return is_symbol or char in _EMOJI_WITH_OTHER_CATEGORIES


def _is_emoji(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("So", "Sk")


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
