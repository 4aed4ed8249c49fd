"""Reads characters, escapes and sets of an ECMA-262 expression one at a time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NoReturn

from . import characters
from .characters import Characters, Ranges, UnrunnableError

_CODE = re.compile(r"u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})")
_PAIR = re.compile(r"u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_CONTROL = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_CLASSES: dict[str, Ranges] = {
    **{"d": characters.DIGITS, "w": characters.WORD, "s": characters.SPACE},
    "D": characters.complement(characters.DIGITS),
    "W": characters.complement(characters.WORD),
    "S": characters.complement(characters.SPACE),
}


class Scanner:
    """An expression, and the current position in it."""

    def __init__(self, text: str) -> None:
        """Begin at the first character."""
        self.text, self.at = text, 0
        # Whether a closing bracket without an opening one is an error.
        self.is_strict = False

    def refuse(self, reason: str) -> NoReturn:
        """Raise an error for invalid syntax."""
        raise UnrunnableError(f"{reason}, at character {self.at + 1}")

    def parse_escape(self) -> Characters:
        """Parse the characters after a backslash."""
        if self.at == len(self.text):
            self.refuse("nothing follows a backslash")
        character = self.text[self.at]
        if character in _CLASSES:
            self.at += 1
            return Characters(_CLASSES[character])
        if character in "pP":
            return Characters((), (self._property(),))
        return alone(self._code())

    def _property(self) -> str:
        end = self.text.find("}", self.at, self.at + 100)
        written = self.text[self.at : end + 1]
        if not written[1:].startswith("{") or not characters.is_property(written[2:-1]):
            self.refuse("unknown property of characters")
        self.at = end + 1
        return written

    def _code(self) -> int:
        """Read the escape of one character."""
        character = self.text[self.at]
        after = self.text[self.at + 1 : self.at + 2]
        if pair := _PAIR.match(self.text, self.at):
            self.at = pair.end()
            return _join_surrogates(int(pair[1], 16), int(pair[2], 16))
        if match := _CODE.match(self.text, self.at):
            self.at = match.end()
            code = int(match[match.lastindex or 0], 16)
            return code if code <= characters.LAST else self.refuse("no such character")
        self.at += 1
        if character in _CONTROL:
            return ord(_CONTROL[character])
        if character == "c" and after.isascii() and after.isalpha():
            self.at += 1
            return ord(after) % 32
        if character == "0" and not (after.isascii() and after.isdigit()):
            return 0
        if character.isascii() and character.isalnum():
            self.refuse("unknown escape")
        return ord(character)

    def set(self) -> Characters:
        """Read a set in brackets."""
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        start = self.at
        ranges: list[tuple[int, int]] = []
        properties: list[str] = []
        while not self.text.startswith("]", self.at):
            for part in self._member():
                ranges += part.ranges
                properties += part.properties
        self.is_strict |= self.at == start
        self.at += 1
        return Characters(tuple(ranges), tuple(properties), negated)

    def _member(self) -> list[Characters]:
        """Parse one character, class or range of a set."""
        first = self._item()
        if not self.text.startswith("-", self.at) or self.text.startswith("-]", self.at):
            return [first]
        self.at += 1
        last = self._item()
        ends = [_lone(first), _lone(last)]
        if None in ends:
            return [first, last, alone(ord("-"))]
        low, high = (end or 0 for end in ends)
        if low > high:
            self.refuse("a range ends before it begins")
        return [Characters(((low, high),))]

    def _item(self) -> Characters:
        character = self.text[self.at : self.at + 1]
        self.at += 1
        if not character:
            self.refuse("a set of characters has no end")
        if character != "\\":
            self.is_strict |= character == "["
            return alone(ord(character))
        if self.text.startswith("b", self.at):
            self.at += 1
            return alone(8)
        return self.parse_escape()


@lru_cache(maxsize=10_000)
def alone(code: int) -> Characters:
    """Return the set of one character."""
    return Characters(((code, code),))


def _lone(characters: Characters) -> int | None:
    """Return the code of the only character of a set."""
    is_lone = len(characters.ranges) == 1 and characters.ranges[0][0] == characters.ranges[0][1]
    return characters.ranges[0][0] if is_lone else None


def _join_surrogates(high: int, low: int) -> int:
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
