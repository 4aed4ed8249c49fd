"""Finds letters that look like others, by the scripts in a word and a list of similar shapes."""

from __future__ import annotations

import re
import unicodedata

_SHAPES = {
    "аеорсухіјѕһԁԛԝѵьӏүԍ": "aeopcyxijshdqwvblyg",
    "АВЕКМНОРСТХУІЈЅӀ": "abekmhopctxyijsl",  # noqa: RUF001 - as above
    "αοινκρτυχ": "aoivkptux",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "abezhikmnoptyx",  # noqa: RUF001 - as above
    "օսոցհ": "oungh",  # noqa: RUF001 - as above
    "ɑɡǀ": "agl",  # noqa: RUF001 - as above
}
_LOOKALIKES = {
    ord(char): shape
    for chars, shapes in _SHAPES.items()
    for char, shape in zip(chars, shapes, strict=True)
}
_SKELETON = {**_LOOKALIKES, **{ord(char): shape for char, shape in zip("01|", "oll", strict=True)}}
_ALPHABETS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN", "DESERET")
_WORD = re.compile(r"[^\W\d_]+")


def misleading(text: str) -> frozenset[int]:
    """Return the indexes of letters that readers take for Latin ones.

    These are letters of another alphabet in a Latin word, whole words in a Latin text that only
    seem to be Latin, and letters that Unicode calls variants of Latin ones.
    """
    if text.isascii():
        return frozenset()
    letters = [char for char in text if char.isalpha() and not _is_lookalike(char)]
    is_latin = 2 * sum(char.isascii() for char in letters) > len(letters)
    positions: set[int] = set()
    for match in _WORD.finditer(text):
        token, start = match[0], match.start()
        positions |= {start + n for n, char in enumerate(token) if _is_foreign(char, token)}
        if is_latin and _is_disguised(token):
            positions |= set(range(start, match.end()))
        if is_latin:
            positions |= {start + n for n, char in enumerate(token) if _is_variant(char)}
    return frozenset(positions)


def _is_foreign(char: str, text: str) -> bool:
    """Return True for a letter of another alphabet among Latin ones, except in units such as μm."""
    if char.isascii() or not any(map(_is_latin, text)):
        return False
    if ord(char) in _LOOKALIKES:
        return True
    return _script(char) in _ALPHABETS and _script(char) != "GREEK"


def _is_disguised(text: str) -> bool:
    """Return True if all letters of a word look like Latin ones. A single Greek letter is a
    symbol.
    """
    if any(map(_is_latin, text)) or (len(text) == 1 and _script(text) != "CYRILLIC"):
        return False
    return all(ord(char) in _LOOKALIKES for char in text)


def _is_lookalike(char: str) -> bool:
    return ord(char) in _LOOKALIKES or _is_variant(char)


def _is_variant(char: str) -> bool:
    if ord(char) < 0x100:
        return False
    normalized = unicodedata.normalize("NFKC", char)
    return len(normalized) == 1 and normalized.isascii() and normalized.isalpha()


def _is_latin(char: str) -> bool:
    return char.isascii() or (_script(char) == "LATIN" and ord(char) not in _LOOKALIKES)


def _script(char: str) -> str:
    return unicodedata.name(char, "?").split()[0]


def is_mixed(name: str) -> bool:
    """Return True if a name has letters of several scripts."""
    return len({_script(char) for char in name if char.isalpha()}) > 1


def skeleton(name: str) -> str:
    """Return a key that is equal for similar names: folded, without invisible characters."""
    folded = unicodedata.normalize("NFKC", name).translate(_SKELETON).casefold()
    return "".join(char for char in folded if char.isalnum())
