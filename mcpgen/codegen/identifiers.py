"""Converts names of a contract to Python identifiers. The same name gives the same identifier."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# Abbreviations first: several of a kind ("URLs"), and one of a version ("IPv6").
_WORDS = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]{2,}v[0-9]+(?![a-z])"
    r"|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+|[^\W\dA-Za-z_][^\W_]*|[^\W_]+"
)
BLANK = frozenset("\u115f\u1160\u3164\uffa0")
"""Invisible letters that Python allows in identifiers."""

LONGEST = 80
"""Maximum length of a name in characters. As a file name, it must fit into 255 bytes in any
script.
"""

_LONGEST_READ = 2_000
"""Maximum number of characters of a JSON name that its Python name uses. The hash uses all."""

_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def words(text: str) -> list[str]:
    """Split a name into words at case changes and at characters other than letters and digits."""
    folded = text[:_LONGEST_READ]
    if not folded.isascii():
        folded = "".join(_fold(char) for char in unicodedata.normalize("NFKC", folded))
    return [token for token in _WORDS.findall(folded) if token.isidentifier() or token.isalnum()]


def _fold(char: str) -> str:
    if char in BLANK:
        return " "
    base = unicodedata.normalize("NFKD", char)[:1]
    return base if base.isascii() and base.isalnum() else char


def snake(text: str, fallback: str) -> str:
    """Return the ideal spelling of a method, argument, field or module."""
    is_ideal = len(text) <= _LONGEST_READ and _SNAKE.fullmatch(text)
    name = text if is_ideal else "_".join(token.lower() for token in words(text))
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier():
        name = f"{fallback}_{name}" if name else fallback if not text else with_hash(fallback, text)
    if len(name) > LONGEST:
        name = with_hash(name[: LONGEST - 7].rstrip("_"), text)
    return name if name.isidentifier() else with_hash(fallback, text)


def pascal(text: str, fallback: str = "X") -> str:
    """Return the ideal spelling of a class, or of a part of one."""
    name = "".join(token[:1].upper() + token[1:] for token in words(text))
    return name if name and name.replace("_", "a").isalnum() else fallback


def with_hash(name: str, wire: str) -> str:
    """Append a short hash of the JSON name to a name."""
    digest = hashlib.sha256(wire.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}_{digest[:6]}"
