"""Characters that a person does not see, and an agent reads."""

from __future__ import annotations

import re
import unicodedata

_ASCII = re.compile(r"[ -~\n\t]*")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u2800\u3000\u3164\uffa0\u115f\u1160")
_TYPED_SPACES = frozenset("\u00a0\u3000\u202f")
"""Spaces that people type, and that look like spaces."""


def invisible(text: str) -> list[str]:
    """Return the characters of a text that cannot be seen, as ``U+200B``, each once."""
    if _ASCII.fullmatch(text):
        return []
    codes = (
        f"U+{ord(char):04X}"
        for index, char in enumerate(text)
        if is_invisible(char) and not _is_emoji_part(text, index)
    )
    return list(dict.fromkeys(codes))


def is_invisible(char: str) -> bool:
    """Say whether a character cannot be seen where it stands alone."""
    if char in "\n\t\r":
        return False
    if _SELECTORS.match(char) or char in _SPACES:
        return char not in _TYPED_SPACES
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _is_emoji_part(text: str, index: int) -> bool:
    """Say whether a character only joins or colours emoji, as their fonts want it."""
    char = text[index]
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if char == "\ufe0f":
        return bool(before) and (unicodedata.category(before) in ("So", "Sm") or after == "\u20e3")
    if char == "\u200d":
        left = text[index - 2 : index - 1] if before == "\ufe0f" else before
        return _is_emoji(left) and _is_emoji(after)
    return False


def _is_emoji(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("So", "Sk")
