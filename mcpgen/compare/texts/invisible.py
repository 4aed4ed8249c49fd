"""Characters that a person does not see, and an agent reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from mcpgen.jsontext import Json, is_array, is_object

_PLAIN = re.compile(r"[ -~\n\t]*")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u2800\u3000\u3164\uffa0\u115f\u1160")


def hidden(text: str) -> list[str]:
    """Return the characters of a text that cannot be seen, as ``U+200B``, without doubles."""
    if _PLAIN.fullmatch(text):
        return []
    found: dict[str, None] = {}
    for index, char in enumerate(text):
        if _is_hidden(char) and not _is_emoji_part(text, index):
            found[f"U+{ord(char):04X}"] = None
    return list(found)


def _is_hidden(char: str) -> bool:
    if char in "\n\t\r":
        return False
    if _SELECTORS.match(char) or char in _SPACES:
        return char not in "\u00a0\u3000\u202f"  # which people type, and which look like spaces
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


def strings(value: Json) -> Iterator[str]:
    """Yield every string in a JSON value, names of members included."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif is_array(value):
            waiting += value
        elif is_object(value):
            waiting += [*value.keys(), *value.values()]
