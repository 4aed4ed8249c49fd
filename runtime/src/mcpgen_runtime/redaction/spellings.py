"""The encodings in which a text may repeat a secret value.

Values are searched literally, percent-encoded, JSON-escaped and in Base64, also as part of
a longer Base64 text and across line breaks.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote, unquote_plus

_BETWEEN = r"(?:\s|\\+[nrt]|%0[aAdD])*"
_BLANK = r"(?:\s|\\+[nrt]|%20|%0[aAdD]|\+)+"
_LINES = re.compile(r"\s+|\\+[nrt]")
_ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([\"/]))")
_SLASHES = re.compile(r"\\{2,}")


def replace(text: str, value: str, instead: str) -> str:
    """Replace a value in a text, in each of its encodings."""
    return _pattern(value).sub(lambda _: instead, text)


def finder(text: str) -> Callable[[str], bool]:
    """Return a function that returns True if a value occurs in a text in any encoding.

    It may return True for a value that doesn't occur, such as one that spans two
    properties. ``replace`` changes nothing in that case.
    """
    readings = set(_readings(text))

    def stands(value: str) -> bool:
        forms = _forms(value)
        return any(form in reading for reading in readings for form in forms)

    return stands


def _readings(text: str) -> Iterable[str]:
    bare = _LINES.sub("", text)
    yield bare
    unescaped = [bare]
    if "\\" in text:
        # A backslash before n can be an escaped line break or part of the value.
        unescaped += [
            _unescape(bare),
            _LINES.sub("", _unescape(text)),
            _unescape(text),
        ]
        yield from unescaped[1:]
    for item in unescaped if "%" in text or "+" in text else ():
        yield _LINES.sub("", unquote(item))
        yield _LINES.sub("", unquote_plus(item))


def _unescape(text: str) -> str:
    text = _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)
    return _SLASHES.sub(r"\\", text)


@functools.lru_cache(maxsize=1_000)
def _forms(value: str) -> frozenset[str]:
    """Return the forms to search for in decoded text, such as Base64."""
    return frozenset({_LINES.sub("", value), value, *_in_base64(value, is_whole=False)})


def _in_base64(value: str, *, is_whole: bool) -> Iterable[str]:
    """Return the Base64 of a value. Within longer text only a part of it is fixed."""
    raw = value.encode("utf-8", "surrogatepass")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        if is_whole:
            yield encode(raw).decode().rstrip("=")
        for before in range(3):
            sure = (before + len(raw)) * 8 // 6
            yield encode(b"\0" * before + raw).decode()[-(-before * 8 // 6) : sure]


@functools.lru_cache(maxsize=100)
def _pattern(value: str) -> re.Pattern[str]:
    forms = [value, *dict.fromkeys(_in_base64(value, is_whole=True))]
    return re.compile("|".join(map(_normalize_spelling, forms)))


def _normalize_spelling(form: str) -> str:
    patterns = (_BETWEEN.join(map(_character, part)) for part in form.split())
    return _BLANK.join(patterns)


def _character(char: str) -> str:
    """Return a pattern for one character: itself, percent-encoded, escaped for JSON."""
    percent = "".join(f"%{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    escaped = json.dumps(char)[1:-1]
    if len(escaped) == 1:
        escaped = f"\\u{ord(char):04x}"
    spellings = [re.escape(char), f"(?i:{percent})"]
    if escaped.startswith("\\u"):
        spellings.append(f"(?i:{re.escape(escaped).replace('u', 'u', 1)})")
    if char in '"\\/':
        spellings.append(r"\\+" + re.escape(char))
    return f"(?:{'|'.join(spellings)})"
